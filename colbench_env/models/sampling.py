"""How a batch of rows picks its tokens and ends, each row by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from colbench_env.models.model import Completion, Request, Usage

TAIL = 16  # tokens in which a stop string is looked for after each new one


class Rows:
    """The state of a batch of rows while it is generated.

    `choose` is a logits processor and `ended` a stopping criterion of Transformers' `generate`,
    which itself only runs the network: the processor leaves one token with a finite score.

    Args:
        requests: One for each row.
        tokenizer: To read the rows as text.
        end_ids: Token ids that end a completion.
        width: Length of the padded prompts, in tokens.
    """

    def __init__(
        self, requests: Sequence[Request], tokenizer: Any, end_ids: frozenset[int], width: int
    ) -> None:
        self.requests, self.width, self.end_ids = requests, width, end_ids
        self.decode: Callable[[list[int]], str] = lambda ids: str(
            tokenizer.decode(ids, skip_special_tokens=True)
        )
        temperatures = [1.0 if r.temperature is None else r.temperature for r in requests]
        self.greedy = torch.tensor([t == 0 for t in temperatures])  # [B]
        self.temperatures = torch.tensor([t or 1.0 for t in temperatures])  # [B]
        self.noise = torch.zeros(len(requests), max(r.max_tokens for r in requests)).double()
        for row, request in zip(self.noise, requests, strict=True):
            generator = torch.Generator().manual_seed(request.noise_seed())
            row[: request.max_tokens] = torch.rand(
                request.max_tokens, generator=generator, dtype=torch.float64
            )
        self.ids: list[list[int]] = [[] for _ in requests]
        self.logprobs: list[list[float]] = [[] for _ in requests]
        self.finish = [""] * len(requests)

    def choose(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Pick one token for each row, `[B, V] -> [B, V]`, and note its log-probability."""
        step, device = input_ids.shape[1] - self.width, scores.device
        scaled = scores.float() / self.temperatures.to(device)[:, None]
        logprobs = scaled.log_softmax(-1)  # [B, V]
        cdf = logprobs.double().exp().cumsum(-1)  # [B, V]
        target = self.noise[:, step : step + 1].to(device) * cdf[:, -1:]  # [B, 1]
        sampled = torch.searchsorted(cdf, target, right=True).clamp(max=cdf.shape[-1] - 1)[:, 0]
        tokens = torch.where(self.greedy.to(device), scores.argmax(-1), sampled)  # [B]
        chosen = logprobs.gather(-1, tokens[:, None])[:, 0]
        for i, (token, logprob) in enumerate(zip(tokens.tolist(), chosen.tolist(), strict=True)):
            if not self.finish[i]:
                self.ids[i].append(token)
                self.logprobs[i].append(logprob)
                self.finish[i] = self._finish(i)
        return torch.full_like(scores, -torch.inf).scatter(-1, tokens[:, None], 0.0)

    def ended(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        """Say which rows have ended, `[B]`."""
        return torch.tensor([bool(f) for f in self.finish], device=input_ids.device)

    def completions(self, prompts: Sequence[Sequence[int]], name: str) -> list[Completion]:
        """Return what each row wrote, once all have ended."""
        results = []
        for i, request in enumerate(self.requests):
            text = self.decode(self.ids[i])
            for stop in request.stop:
                text = text.partition(stop)[0]
            results.append(
                Completion(
                    text,
                    self.finish[i],
                    name,
                    Usage(1, 0, len(prompts[i]), len(self.ids[i])),
                    tuple(prompts[i]),
                    tuple(self.ids[i]),
                    tuple(self.logprobs[i]),
                )
            )
        return results

    def _finish(self, i: int) -> str:
        ids, request = self.ids[i], self.requests[i]
        if ids[-1] in self.end_ids:
            return "stop"
        if request.stop:
            tail = self.decode(ids[-TAIL:])
            if any(stop in tail for stop in request.stop):
                return "stop"
        return "length" if len(ids) >= request.max_tokens else ""
