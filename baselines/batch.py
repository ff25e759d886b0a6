"""`TokenBatch`: the tensors that every trainer's forward pass takes, and how turns become rows.

Text is never re-tokenised for training: a row holds the prompt ids as they were sent and the
completion ids as they were sampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from colbench_env.errors import ConfigError
from colbench_env.records import Turn


@dataclass(frozen=True, slots=True)
class Row:
    """One sequence of tokens to train on: a turn, or several whose prompts grow by prefix.

    Attributes:
        input_ids: Token ids, context and actions. Length T.
        turn_ids: For each token the position of its turn in the episode, or -1 for context. T.
        logprobs: Behaviour log-probability of each sampled token, 0 for context. T.
    """

    input_ids: tuple[int, ...]
    turn_ids: tuple[int, ...]
    logprobs: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.input_ids) == len(self.turn_ids) == len(self.logprobs):
            raise ConfigError("input_ids, turn_ids and logprobs of a row must be equally long")

    def __len__(self) -> int:
        return len(self.input_ids)

    @property
    def action_mask(self) -> tuple[bool, ...]:
        """True where the token was sampled by the policy."""
        return tuple(turn >= 0 for turn in self.turn_ids)

    def after(self, prefix: Sequence[int]) -> Row:
        """Return the row with more context in front, such as a critic's privileged text."""
        n = len(prefix)
        return Row(
            (*prefix, *self.input_ids), (-1,) * n + self.turn_ids, (0.0,) * n + self.logprobs
        )

    def clipped(self, max_length: int) -> Row:
        """Return the row's last `max_length` tokens: what goes is the oldest context."""
        return Row(
            self.input_ids[-max_length:], self.turn_ids[-max_length:], self.logprobs[-max_length:]
        )


def turn_row(
    prompt_ids: Sequence[int],
    completion_ids: Sequence[int],
    logprobs: Sequence[float] | None = None,
    turn: int = 0,
) -> Row:
    """Return the row of one turn.

    Args:
        prompt_ids: As sent to the model.
        completion_ids: As sampled.
        logprobs: Behaviour log-probabilities of the completion; None for zeros.
        turn: Its position in the episode.
    """
    p, c = len(prompt_ids), len(completion_ids)
    behaviour = tuple(logprobs) if logprobs is not None else (0.0,) * c
    return Row((*prompt_ids, *completion_ids), (-1,) * p + (turn,) * c, (0.0,) * p + behaviour)


def rows_from_turns(turns: Iterable[Turn]) -> list[Row]:
    """Return the rows of one agent's turns in one episode, in order.

    A turn whose prompt begins with all tokens of the row before it (checked on ids) continues that
    row, so an episode whose prompts only grow is one row. Private thought leaves the history; then
    the prompt does not extend the one before and a row of its own begins. Turns without sampled
    tokens (a policy without tokens, an empty message) are left out.
    """
    rows: list[Row] = []
    for position, turn in enumerate(turns):
        if turn.prompt_ids is None or not turn.completion_ids:
            continue
        row = turn_row(turn.prompt_ids, turn.completion_ids, turn.logprobs, position)
        last = rows[-1] if rows else None
        if last is not None and row.input_ids[: len(last)] == last.input_ids:
            n = len(last)
            row = Row(
                row.input_ids, last.turn_ids + row.turn_ids[n:], last.logprobs + row.logprobs[n:]
            )
            rows[-1] = row
        else:
            rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class TokenBatch:
    """Rows as tensors, padded on the right.

    Attributes:
        input_ids: int64 `[B, T]`.
        attention_mask: int64 `[B, T]`, 1 where there is a token.
        action_mask: bool `[B, T]`, True where the policy sampled the token.
    """

    input_ids: Tensor
    attention_mask: Tensor
    action_mask: Tensor

    def __post_init__(self) -> None:
        shapes = {self.input_ids.shape, self.attention_mask.shape, self.action_mask.shape}
        if len(shapes) > 1 or self.input_ids.ndim != 2:
            raise ConfigError(f"the tensors of a batch must share one shape [B, T], got {shapes}")

    @classmethod
    def from_rows(cls, rows: Sequence[Row], pad_id: int) -> Self:
        """Pad the rows to the longest one.

        Args:
            rows: B rows.
            pad_id: Token id that fills the rest.
        """
        return cls(
            pad([row.input_ids for row in rows], pad_id, torch.int64),
            pad([[1] * len(row) for row in rows], 0, torch.int64),
            pad([row.action_mask for row in rows], False, torch.bool),
        )

    def to(self, device: torch.device | str) -> TokenBatch:
        """Return the batch on a device."""
        return TokenBatch(
            self.input_ids.to(device), self.attention_mask.to(device), self.action_mask.to(device)
        )

    def __len__(self) -> int:
        return int(self.input_ids.shape[0])


def pad(
    values: Sequence[Sequence[int | float | bool]], fill: int | float | bool, dtype: torch.dtype
) -> Tensor:
    """Stack sequences of unequal length into `[B, T]`, filled on the right."""
    width = max((len(v) for v in values), default=0)
    return torch.tensor([[*v, *[fill] * (width - len(v))] for v in values], dtype=dtype)
