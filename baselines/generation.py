"""Sampling from a causal language model: one left-padded batch, a noise stream for each row.

A row's tokens depend on its prompt and its seed alone (up to rounding), not on what else is in the
batch: token k of a row is drawn by inverting the cumulative distribution at the k-th number of the
row's own generator. Equal prompts are read once; finished rows leave the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import torch
from torch import Tensor

from colbench_env.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Completion:
    """What was sampled for one prompt.

    Attributes:
        ids: Token ids, the stop token included.
        logprobs: Log-probability of each at the sampling temperature.
        finished: Ended by a stop token or stop string, not by the limit on length.
    """

    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    finished: bool


@torch.no_grad()
def sample(
    model: Any,
    prompts: Sequence[Sequence[int]],
    seeds: Sequence[int],
    *,
    max_new_tokens: int,
    temperature: float,
    stop_ids: Sequence[int],
    pad_id: int,
    stopped: Callable[[Sequence[int]], bool] | None = None,
) -> list[Completion]:
    """Sample one completion for each prompt.

    Args:
        model: A Transformers causal model, in evaluation mode.
        prompts: Token ids, at least one each.
        seeds: One for each prompt.
        max_new_tokens: Longest completion.
        temperature: Of the sampling, above 0; 0 takes the likeliest token and reports
            log-probabilities at temperature 1.
        stop_ids: Tokens that end a completion.
        pad_id: Fills the left of shorter prompts.
        stopped: From a completion's ids so far to whether it ends here (stop strings).

    Returns:
        Completions in order.

    Raises:
        ConfigError: A prompt is empty, or numbers of prompts and seeds differ.
    """
    if len(prompts) != len(seeds) or not all(len(p) for p in prompts):
        raise ConfigError("give one seed for each prompt, and prompts of at least one token")
    if not prompts or max_new_tokens < 1:
        return [Completion((), (), False) for _ in prompts]
    device = next(model.parameters()).device
    uniforms = np.stack([np.random.default_rng(s % 2**63).random(max_new_tokens) for s in seeds])
    noise = torch.tensor(uniforms, device=device)  # [B, max_new_tokens], float64
    stop = torch.tensor(list(stop_ids), dtype=torch.int64, device=device)
    unique = {tuple(p): n for n, p in enumerate(dict.fromkeys(map(tuple, prompts)))}
    width = max(map(len, unique))
    tokens = torch.tensor([[pad_id] * (width - len(p)) + list(p) for p in unique], device=device)
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in unique], device=device)
    repeat = torch.tensor([unique[tuple(p)] for p in prompts], device=device)
    ids: list[list[int]] = [[] for _ in prompts]
    logprobs: list[list[float]] = [[] for _ in prompts]
    finished = [False] * len(prompts)

    live = list(range(len(prompts)))  # rows of the batch -> prompts
    position = (mask.cumsum(dim=1) - 1).clamp(min=0)
    cache_name = "cache" if "cache" in signature(model.forward).parameters else "past_key_values"
    cache: Any = None
    for step in range(max_new_tokens):
        out = model(
            input_ids=tokens,
            attention_mask=mask,
            position_ids=position,
            use_cache=True,
            logits_to_keep=1,
            **{cache_name: cache},
        )
        cache, logits = out[cache_name], out.logits[:, -1].float()  # [B, V]
        if step == 0:  # equal prompts were read once
            cache.batch_select_indices(repeat)
            logits, mask, position = logits[repeat], mask[repeat], position[repeat]
        chosen, chosen_logprobs = _draw(logits, noise[live, step], temperature)
        ended = torch.isin(chosen, stop).tolist()
        for row, (i, token, logprob) in enumerate(
            zip(live, chosen.tolist(), chosen_logprobs.tolist(), strict=True)
        ):
            ids[i].append(token)
            logprobs[i].append(logprob)
            if not ended[row] and stopped is not None:
                ended[row] = stopped(ids[i])
            finished[i] = ended[row]
        keep = [row for row, end in enumerate(ended) if not end]
        if not keep:
            break
        tokens, position = chosen[:, None], position[:, -1:] + 1
        mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
        if len(keep) < len(live):
            index = torch.tensor(keep, device=device)
            cache.batch_select_indices(index)
            tokens, mask, position = tokens[index], mask[index], position[index]
            live = [live[row] for row in keep]
    return [
        Completion(tuple(i), tuple(p), f) for i, p, f in zip(ids, logprobs, finished, strict=True)
    ]


def _draw(logits: Tensor, uniform: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Draw a token a row, `[B, V] -> [B]`, and its log-probability `[B]`."""
    logprobs = torch.log_softmax(logits / (temperature or 1.0), dim=-1)
    if temperature == 0:
        chosen = logprobs.argmax(dim=-1)
    else:
        cumulative = logprobs.double().exp().cumsum(dim=-1)
        threshold = uniform[:, None] * cumulative[:, -1:]
        chosen = torch.searchsorted(cumulative, threshold, right=True)[:, 0]
        chosen = chosen.clamp(max=logits.shape[-1] - 1)
    return chosen, logprobs.gather(1, chosen[:, None])[:, 0]
