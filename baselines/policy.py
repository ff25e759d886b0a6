"""`TransformersPolicy`: a causal language model that acts, and that can be trained.

One copy of the weights may serve several policies: each is a view with a LoRA adapter of its own
(one an agent, one for a critic), and the reference is the view with adapters off. With full
fine-tuning (no adapter), a fork is a copy, and reference log-probabilities are computed before the
weights move.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from colbench_env.baselines.action_logprobs import ActionLogprobs
from colbench_env.baselines.adapters import add_like
from colbench_env.baselines.batch import Row, TokenBatch
from colbench_env.baselines.generation import Completion, sample
from colbench_env.baselines.rollout import Action, Query
from colbench_env.errors import ConfigError

_OTHER_HEADS = ("final_logit_softcapping", "logits_scaling", "logit_scale")


class TransformersPolicy:
    """A policy over a Transformers causal model.

    Args:
        model: The model, a plain one or a `peft.PeftModel`.
        tokenizer: With a chat template; pads on the left for generation whatever it says itself.
        name: For tables and files.
        adapter: Name of the LoRA adapter that this policy is; None: the model's own weights, or,
            of a `PeftModel`, those with all adapters off.
        temperature: Of the sampling; 0 takes the likeliest token.
        max_new_tokens: Longest message.
        stop: Strings that end a message besides the tokenizer's end token; cut from the text.
        batch_size: Most prompts sampled, or rows scored, at once.
        max_length: Longest prompt and message together; by default what the model has positions
            for. A prompt too long for it gets an empty message.
        autocast: Compute in bfloat16 with the weights in float32.

    Raises:
        ConfigError: The tokenizer has no chat template, or the model computes its logits in a way
            that `logprobs` does not follow.
    """

    privileged = False

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        name: str = "model",
        adapter: str | None = None,
        temperature: float = 1.0,
        max_new_tokens: int = 256,
        stop: Sequence[str] = (),
        batch_size: int = 64,
        max_length: int | None = None,
        autocast: bool = False,
    ) -> None:
        if getattr(tokenizer, "chat_template", None) is None:
            raise ConfigError("the tokenizer has no chat template: use an instruction-tuned model")
        self.model, self.tokenizer, self.name, self.adapter = model, tokenizer, name, adapter
        self.temperature, self.max_new_tokens = temperature, max_new_tokens
        self.stop, self.batch_size, self.autocast = tuple(stop), batch_size, autocast
        self.base = model.get_base_model() if hasattr(model, "get_base_model") else model
        for name in _OTHER_HEADS:
            if getattr(self.base.config, name, None) not in (None, 1.0):
                raise ConfigError(f"models with {name} are not supported: it changes the logits")
        self.max_length = max_length or self.base.config.max_position_embeddings
        self._forward = ActionLogprobs(self.base)
        self.module: nn.Module = self._forward  # or what a data-parallel wrapper makes of it
        self.model.eval()  # no dropout, in training either: ratios compare like with like

    # --- acting -------------------------------------------------------------------------------

    def act(self, queries: Sequence[Query]) -> list[Action]:
        """Answer each query with a sampled message."""
        prompts = [self.encode(query.messages) for query in queries]
        completions = self.sample(prompts, [query.seed for query in queries])
        return [
            Action(self.text(done.ids), tuple(prompt), done.ids, done.logprobs)
            for prompt, done in zip(prompts, completions, strict=True)
        ]

    def encode(self, messages: Sequence[Any]) -> list[int]:
        """Return the prompt ids of a chat, ready for the assistant's next message."""
        ids: list[int] = self.tokenizer.apply_chat_template(
            [dict(m) for m in messages], add_generation_prompt=True, return_dict=False
        )
        return ids

    def text(self, completion_ids: Sequence[int]) -> str:
        """Return the message that sampled ids spell, without end token and stop string."""
        text: str = self.tokenizer.decode(completion_ids, skip_special_tokens=True)
        ends = [at for stop in self.stop if (at := text.find(stop)) >= 0]
        return text[: min(ends)] if ends else text

    def sample(self, prompts: Sequence[Sequence[int]], seeds: Sequence[int]) -> list[Completion]:
        """Sample one completion for each prompt, in batches of prompts of like length."""
        results = [Completion((), (), False)] * len(prompts)
        fits = [i for i, p in enumerate(prompts) if len(p) + self.max_new_tokens <= self.max_length]
        order = sorted(fits, key=lambda i: (len(prompts[i]), tuple(prompts[i])))
        with self._active(), self._precision():
            for batch in _chunks(order, self.batch_size):
                done = sample(
                    self.base,
                    [prompts[i] for i in batch],
                    [seeds[i] for i in batch],
                    max_new_tokens=self.max_new_tokens,
                    temperature=self.temperature,
                    stop_ids=self._stop_ids(),
                    pad_id=self.pad_id,
                    stopped=self._stopped if self.stop else None,
                )
                for i, completion in zip(batch, done, strict=True):
                    results[i] = completion
        return results

    def _stopped(self, ids: Sequence[int]) -> bool:
        longest = max(map(len, self.stop))  # a token spells at least one byte of the string
        tail = self.tokenizer.decode(ids[-4 * longest - 1 :])
        return any(stop in tail for stop in self.stop)

    def _stop_ids(self) -> list[int]:
        ends = getattr(self.base.generation_config, "eos_token_id", None)
        ends = ends if isinstance(ends, list) else [ends]
        return sorted({e for e in (*ends, self.tokenizer.eos_token_id) if e is not None})

    @property
    def pad_id(self) -> int:
        """Token id used as padding; always masked, so any will do."""
        pad: int | None = self.tokenizer.pad_token_id
        return self._stop_ids()[0] if pad is None else pad

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        device: torch.device = next(self.base.parameters()).device
        return device

    # --- training -----------------------------------------------------------------------------

    def logprobs(self, batch: TokenBatch) -> Tensor:
        """Return the log-probability of every sampled token, with gradient.

        At this policy's sampling temperature, so that they equal the behaviour log-probabilities
        until the weights move. Logits are computed for sampled tokens alone and a few at a time,
        again in the backward pass: `[B, T, V]` is never built.

        Args:
            batch: B rows of T tokens; the first token of a row cannot be a sampled one.

        Returns:
            float32 `[B, T]`: at t the log-probability of `input_ids[:, t]` given what stands
            before it, 0 where `action_mask` is False.
        """
        batch = batch.to(self.device)
        with self._active(), self._precision():
            result: Tensor = self.module(
                batch.input_ids, batch.attention_mask, batch.action_mask, self.temperature or 1.0
            )
        return result

    def hidden(self, batch: TokenBatch) -> Tensor:
        """Return the last layer's hidden states, `[B, T, H]`, with gradient."""
        inputs = {"input_ids": batch.input_ids, "attention_mask": batch.attention_mask}
        with self._active(), self._precision():
            states: Tensor = self.base.get_decoder()(**inputs, use_cache=False).last_hidden_state
        return states

    @torch.no_grad()
    def score(self, rows: Sequence[Row]) -> list[Tensor]:
        """Return the log-probabilities of rows without gradient, each `[T]`, on the CPU."""
        results: list[Tensor] = [torch.empty(0)] * len(rows)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        for chosen in _chunks(order, self.batch_size):
            batch = TokenBatch.from_rows([rows[i] for i in chosen], self.pad_id)
            for i, logprobs in zip(chosen, self.logprobs(batch).cpu(), strict=True):
                results[i] = logprobs[: len(rows[i])].clone()
        return results

    def parameters(self) -> list[nn.Parameter]:
        """Return what training moves: the adapter's weights, or all of the model's."""
        if self.adapter is None:
            if self.base is not self.model:
                raise ConfigError("adapters are off: this is the reference, which is not trained")
            return list(self.model.parameters())
        with self._active():
            return [p for n, p in self.model.named_parameters() if f".{self.adapter}." in n]

    def state_dict(self) -> dict[str, Tensor]:
        """Return a copy of the weights that training moves, by name."""
        mine = {id(p) for p in self.parameters()}
        named = self.model.named_parameters()
        return {n: p.detach().cpu().clone() for n, p in named if id(p) in mine}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Take back what `state_dict` returned.

        Raises:
            ConfigError: The weights are another model's.
        """
        named = dict(self.model.named_parameters())
        if set(state) != set(self.state_dict()):
            raise ConfigError("these weights belong to another model or adapter")
        with torch.no_grad():
            for n, value in state.items():
                named[n].copy_(value)

    def fork(self, name: str) -> TransformersPolicy:
        """Return a second trainable policy that begins as this one.

        With an adapter: a new adapter over the same weights; without: a copy of the model.
        """
        if self.adapter is None:
            return self._view(copy.deepcopy(self.base), name, None)
        add_like(self.model, name, self.adapter)
        forked = self._view(self.model, name, name)
        mine, new = f".{self.adapter}.", f".{name}."
        forked.load_state_dict({n.replace(mine, new): v for n, v in self.state_dict().items()})
        return forked

    def reference(self) -> TransformersPolicy:
        """Return the initial model for comparison: adapters off, or a frozen copy of the weights.

        Take it before training when the policy has no adapter.
        """
        if self.adapter is not None:
            return self._view(self.model, "reference", None)
        frozen = copy.deepcopy(self.base)
        return self._view(frozen.requires_grad_(False), "reference", None)

    def _view(self, model: Any, name: str, adapter: str | None) -> TransformersPolicy:
        return TransformersPolicy(
            model,
            self.tokenizer,
            name=name,
            adapter=adapter,
            temperature=self.temperature,
            max_new_tokens=self.max_new_tokens,
            stop=self.stop,
            batch_size=self.batch_size,
            max_length=self.max_length,
            autocast=self.autocast,
        )

    def enable_gradient_checkpointing(self) -> Self:
        """Trade time for memory in the backward pass: activations of layers are computed again."""
        name = "activation_checkpointing_enable"  # its name since Transformers 5.20
        enable = getattr(self.base, name, None) or self.base.gradient_checkpointing_enable
        enable({"use_reentrant": False})
        self.base.enable_input_require_grads()
        self._forward.recompute = True
        return self

    def save(self, directory: str | Path) -> Path:
        """Write an ordinary checkpoint: the model, or the adapter alone, and the tokenizer.

        Returns:
            The folder that `load_policy` takes: `directory`, or for an adapter with a name of its
            own the folder of that name in it.
        """
        folder = Path(directory)
        if self.adapter is None:
            self.base.save_pretrained(folder)
        else:
            self.model.save_pretrained(folder, selected_adapters=[self.adapter])
            folder = folder if self.adapter == "default" else folder / self.adapter
        self.tokenizer.save_pretrained(folder)
        return folder

    # --- which weights, which precision -------------------------------------------------------

    @contextlib.contextmanager
    def _active(self) -> Iterator[None]:
        """Make the shared model be this policy."""
        if self.base is self.model:
            yield
        elif self.adapter is None:
            with self.model.disable_adapter():
                yield
        else:
            self.model.set_adapter(self.adapter)
            yield

    def _precision(self) -> contextlib.AbstractContextManager[Any]:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.autocast)


def _chunks(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (items[i : i + size] for i in range(0, len(items), size))
