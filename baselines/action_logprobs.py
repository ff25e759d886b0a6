"""Log-probabilities of sampled tokens, without ever holding all logits of a batch.

Logits are computed for sampled tokens alone, a bounded number at a time, and again in the backward
pass; `[B, T, V]` is never built.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

LOGITS = 2**25  # most logits held at once, in float32: 128 MiB


class ActionLogprobs(nn.Module):
    """The forward pass as a module of its own, so that data-parallel wrappers can take it.

    Args:
        model: A Transformers causal model whose logits are its output embedding applied to the
            decoder's last hidden states.

    Attributes:
        recompute: The model has gradient checkpointing, which it uses in training mode alone.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.recompute = False

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, action_mask: Tensor, temperature: float
    ) -> Tensor:
        """Return float32 `[B, T]`: log-probabilities where `action_mask` is True, else 0.

        Args:
            input_ids: int64 `[B, T]`, padded on the right.
            attention_mask: int64 `[B, T]`.
            action_mask: bool `[B, T]`, False in the first column.
            temperature: Divides the logits.
        """
        self.model.train(self.recompute and torch.is_grad_enabled())
        hidden = self.model.get_decoder()(
            input_ids=input_ids, attention_mask=attention_mask, use_cache=False
        ).last_hidden_state  # [B, T, H]
        head = self.model.get_output_embeddings()
        where = action_mask[:, 1:]
        hidden, targets = hidden[:, :-1][where], input_ids[:, 1:][where]  # [N, H], [N]
        size = max(1, LOGITS // head.weight.shape[0])

        def chosen(h: Tensor, target: Tensor) -> Tensor:
            logits = head(h).float() / temperature  # [n, V]
            picked: Tensor = logits.gather(1, target[:, None])[:, 0] - logits.logsumexp(dim=1)
            return picked

        pieces = [
            checkpoint(chosen, h, t, use_reentrant=False)
            if torch.is_grad_enabled()
            else chosen(h, t)
            for h, t in zip(torch.split(hidden, size), torch.split(targets, size), strict=True)
        ]
        zeros = torch.zeros(input_ids.shape, device=input_ids.device)
        filled = zeros[:, 1:].masked_scatter(where, torch.cat(pieces))
        return torch.cat([zeros[:, :1], filled], dim=1)
