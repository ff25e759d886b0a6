"""The loop that every offline stage shares: shuffled minibatches, one optimiser, resumable."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from rich.progress import track
from torch import Tensor, nn

from colbench_env.baselines.checkpoint import Checkpoint
from colbench_env.baselines.logger import AlarmError, Logger
from colbench_env.baselines.parallel import gather, rank, share, sum_gradients, world_size
from colbench_env.errors import ConfigError

SAVE_EVERY = 50  # updates between two checkpoints; the last is always saved

T = TypeVar("T")
Loss = Callable[[list[T]], tuple[Tensor, Mapping[str, float]]]


class Trainable(Protocol):
    """What can be trained: a policy, or anything else with weights."""

    def parameters(self) -> list[nn.Parameter]:
        """Return what training moves."""
        ...

    def state_dict(self) -> dict[str, Tensor]:
        """Return a copy of the weights."""
        ...

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Take the weights back."""
        ...


@dataclass(frozen=True, slots=True)
class Schedule:
    """How to optimise: AdamW with betas (0.9, 0.95), gradient clipping, warm-up, cosine decay.

    The defaults are SWEET-RL's (arXiv 2503.15478, Table 5).

    Attributes:
        lr: Peak learning rate.
        epochs: Passes over the items.
        batch_size: Items an update.
        micro_batch: Items a forward pass; more than one pass adds up to an update.
        clip: Largest norm of the gradient.
        warmup: Share of the steps in which the rate rises.
        floor: Share of the peak at which the rate ends.
        max_steps: Upper limit on updates, 0 for none.
    """

    lr: float
    epochs: int = 1
    batch_size: int = 8
    micro_batch: int = 8
    clip: float = 1.0
    warmup: float = 0.03
    floor: float = 0.1
    max_steps: int = 0

    def steps(self, items: int) -> int:
        """Return the number of updates on so many items."""
        total = self.epochs * math.ceil(items / self.batch_size)
        return min(total, self.max_steps) if self.max_steps else total

    def rate(self, step: int, total: int) -> float:
        """Return the learning rate of update `step` (from 0) of `total`."""
        warm = max(1, round(self.warmup * total))
        if step < warm:
            return self.lr * (step + 1) / warm
        progress = (step - warm) / max(1, total - warm)
        return self.lr * (self.floor + (1 - self.floor) * 0.5 * (1 + math.cos(math.pi * progress)))


def minibatches(number: int, schedule: Schedule, seed: int, stage: str) -> list[list[int]]:
    """Return the items of each update: every epoch in an order of its own."""
    batches: list[list[int]] = []
    for epoch in range(schedule.epochs):
        rng = np.random.default_rng([seed, zlib.crc32(stage.encode()), epoch])
        order = rng.permutation(number).tolist()
        batches += [
            order[i : i + schedule.batch_size] for i in range(0, number, schedule.batch_size)
        ]
    return batches[: schedule.steps(number)]


def fit(
    model: Trainable,
    items: Sequence[T],
    loss: Loss[T],
    schedule: Schedule,
    *,
    stage: str,
    seed: int,
    logger: Logger,
    checkpoint: Checkpoint,
    after_step: Callable[[int, int], None] | None = None,
) -> None:
    """Train on items that do not change, from where an interrupted run left off.

    Args:
        model: What is trained.
        items: One training example each, whatever `loss` takes.
        loss: From some items to their mean loss and metrics to log.
        schedule: How to optimise.
        stage: Name for logs and checkpoints.
        seed: Of the order.
        logger: Gets loss, gradient norm, learning rate and the metrics of each update.
        checkpoint: Where weights and optimiser are kept.
        after_step: Called with the number of updates made and their total, before they are saved.

    Raises:
        ConfigError: There is nothing to train on.
        AlarmError: The logger's alarm rang; the state is saved.
    """
    if not items:
        raise ConfigError(f"{stage}: nothing to train on; collect more episodes, or easier tasks")
    parameters = model.parameters()
    optimizer = torch.optim.AdamW(parameters, lr=schedule.lr, betas=(0.9, 0.95), weight_decay=0.0)
    batches = minibatches(len(items), schedule, seed, stage)
    start = 0
    if (saved := checkpoint.load(stage)) is not None:
        model.load_state_dict(saved["weights"])
        optimizer.load_state_dict(saved["optimizer"])
        start = saved["step"]
    logger.rewind(stage, start)

    def save(step: int) -> None:
        if rank() == 0:
            state = {"step": step, "weights": model.state_dict()}
            checkpoint.save(stage, {**state, "optimizer": optimizer.state_dict()})

    for step in track(range(start, len(batches)), stage, disable=rank() > 0):
        for group in optimizer.param_groups:
            group["lr"] = schedule.rate(step, len(batches))
        metrics = _update(parameters, optimizer, [items[i] for i in batches[step]], loss, schedule)
        done = step + 1
        try:
            if rank() == 0:
                logger.log(stage, done, {**metrics, "lr": optimizer.param_groups[0]["lr"]})
            if after_step is not None:
                after_step(done, len(batches))
        except AlarmError:
            save(done)
            raise
        if done % SAVE_EVERY == 0 or done == len(batches):
            save(done)


def _update(
    parameters: Sequence[nn.Parameter],
    optimizer: torch.optim.Optimizer,
    batch: list[T],
    loss: Loss[T],
    schedule: Schedule,
) -> dict[str, float]:
    """Make one update; returns the batch's mean loss and metrics and the gradient's norm."""
    optimizer.zero_grad(set_to_none=True)
    mine = share(batch)
    parts: list[tuple[int, dict[str, float]]] = []
    for i in range(0, len(mine), schedule.micro_batch):
        micro = mine[i : i + schedule.micro_batch]
        value, metrics = loss(micro)
        torch.autograd.backward(value * (len(micro) / len(batch)))
        parts.append((len(micro), {"loss": float(value.detach()), **metrics}))
    if world_size() > 1:
        sum_gradients(parameters)
        parts = gather(parts)
    norm = float(nn.utils.clip_grad_norm_(parameters, schedule.clip))
    if math.isfinite(norm):
        optimizer.step()
    return {**_mean(parts), "grad_norm": norm}


def _mean(parts: Sequence[tuple[int, Mapping[str, Any]]]) -> dict[str, float]:
    """Average metrics, weighted by the number of items."""
    total = sum(n for n, _ in parts)
    names = dict.fromkeys(name for _, metrics in parts for name in metrics)
    return {name: sum(n * m[name] for n, m in parts) / total for name in names}
