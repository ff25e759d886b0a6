"""Build the tiny chat model: a tokenizer and a 1M-parameter Llama, from scripted dialogues.

A byte-level BPE, then a small Llama trained on the words of scripted assistants
(`tiny_dialogues.py`) on the training split of the procedural tasks: first on the answers of
assistants that ask and copy right, so that it learns to copy from its context, then on all that
assistants of mixed quality say. The result is an ordinary Transformers checkpoint in float16.

    python -m colbench_env.baselines.pretrain_tiny --out runs/tiny

Everything follows from the seed; the same seed on the same machine gives the same file.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
import tyro

from colbench_env.baselines.tiny_dialogues import MARKER, SENSIBLE, Chat, Habits, dialogues

SPECIAL = {"pad": "<|pad|>", "end": "<|end|>", "user": "<|user|>", "assistant": "<|assistant|>"}
TEMPLATE = (  # the system prompt is the same in every dialogue, so the tiny model does without it
    "{% for m in messages %}{% if m['role'] != 'system' %}"
    "<|{{ m['role'] }}|>{{ m['content'] }}<|end|>"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)

Example = tuple[list[int], list[bool]]  # token ids, and which of them to train on


@dataclass
class Args:
    """Arguments of the pre-training.

    Attributes:
        out: Folder of the checkpoint.
        seed: Of everything.
        sensible: How many dialogues of assistants that ask and copy right to train on first.
        mixed: How many dialogues of mixed quality to train on after those.
        batch_size: Dialogues a step.
        lr: Peak learning rate of the matrices.
        vocabulary: Pieces of the tokenizer.
        hidden: Width of the model.
        layers: Its depth.
        heads: Its attention heads.
        threads: Threads of the computation.
        early: How often a scripted assistant answers too early.
        senseless: How often it asks a senseless question.
        mistaken: How often it mistakes what it was told.
    """

    out: Path = Path("runs/tiny")
    seed: int = 0
    sensible: int = 50_000
    mixed: int = 30_000
    batch_size: int = 16
    lr: float = 2e-2
    vocabulary: int = 2_000
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    threads: int = 1
    early: float = 0.25
    senseless: float = 0.2
    mistaken: float = 0.1


def train_tokenizer(chats: list[Chat], size: int) -> Any:
    """Train a byte-level BPE that spells a value alike in a sentence and in code.

    Numbers are pieces of two digits and of one, capitals and quotes pieces of their own, so that a
    value can be copied, most of them in one step. The marker of an answer is one piece.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex('\\d{2}|["\\dA-Z]'), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - 1,
        special_tokens=list(SPECIAL.values()),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((m["content"] for chat in chats for m in chat), trainer)
    tokenizer.add_tokens([MARKER])
    wrap: Any = PreTrainedTokenizerFast
    return wrap(
        tokenizer_object=tokenizer,
        pad_token=SPECIAL["pad"],
        eos_token=SPECIAL["end"],
        chat_template=TEMPLATE,
        model_max_length=1024,
    )


def encode(chat: Chat, tokenizer: Any, *, answer_only: bool = False) -> Example:
    """Return the ids of a chat, and which of them to train on.

    Args:
        chat: From the brief to the answer.
        tokenizer: As `train_tokenizer` returns it.
        answer_only: Train on the assistant's last message alone, not on all of them.
    """
    ids: list[int] = []
    mask: list[bool] = []
    end = tokenizer.eos_token_id
    for i, message in enumerate(chat):
        role = tokenizer.convert_tokens_to_ids(SPECIAL[message["role"]])
        words = tokenizer(message["content"], add_special_tokens=False)["input_ids"]
        own = message["role"] == "assistant" and (i == len(chat) - 1 or not answer_only)
        ids += [role, *words, end]
        mask += [False, *[own] * (len(words) + 1)]
    return ids, mask


def build_model(args: Args, tokenizer: Any) -> Any:
    """Return the untrained model."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(args.seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=args.hidden,
            intermediate_size=3 * args.hidden,
            num_hidden_layers=args.layers,
            num_attention_heads=args.heads,
            num_key_value_heads=args.heads,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def train(
    model: Any,
    data: Sequence[Sequence[Example]],
    args: Args,
    save: Callable[[], None] = lambda: None,
) -> list[float]:
    """Train on the assistant's tokens, one pass over each part of the data in turn.

    Returns the loss of each step. `save` is called at times.

    Matrices are trained by Muon (K. Jordan, 2024), which needs fewer steps until the model copies
    from its context, embeddings and norms by AdamW.
    """
    rng = np.random.default_rng(args.seed)
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and "embed" not in n]
    others = [p for n, p in model.named_parameters() if p.ndim != 2 or "embed" in n]
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.Muon(matrices, lr=args.lr, weight_decay=0.01),
        torch.optim.AdamW(others, lr=args.lr / 7, betas=(0.9, 0.95), weight_decay=0.01),
    ]
    peaks = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    batches = [b for part in data for b in epoch(part, args.batch_size, rng)]
    losses = []
    model.train()
    for step, batch in enumerate(batches):
        rate = min((step + 1) / 50, 0.5 * (1 + math.cos(math.pi * step / len(batches))))
        for optimizer, peak in zip(optimizers, peaks, strict=True):
            optimizer.param_groups[0]["lr"] = peak * max(rate, 0.02)
        width = max(len(tokens) for tokens, _ in batch)
        ids = torch.zeros(len(batch), width, dtype=torch.int64)
        labels = torch.full((len(batch), width), -100)
        for row, (tokens, own) in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            labels[row, : len(tokens)] = torch.tensor(
                [t if o else -100 for t, o in zip(tokens, own, strict=True)]
            )
        with torch.autocast("cpu", torch.bfloat16):  # padding is on the right: no mask is needed
            hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state[:, :-1]
            where = labels[:, 1:] >= 0
            logits = model.lm_head(hidden[where])
        loss = F.cross_entropy(logits.float(), labels[:, 1:][where])
        model.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        losses.append(loss.item())
        if step % 250 == 249:
            save()
        if step % 100 == 99:
            print(
                f"step {step + 1} of {len(batches)}: loss {np.mean(losses[-100:]):.4f}", flush=True
            )
    return losses


def epoch(data: Sequence[Example], size: int, rng: np.random.Generator) -> list[list[Example]]:
    """Return batches of dialogues of like length, in random order."""
    order = rng.permutation(len(data))
    stretch = 50 * size  # sort by length within stretches only
    batches = []
    for start in range(0, len(order), stretch):
        near = [data[i] for i in order[start : start + stretch]]
        near.sort(key=lambda example: len(example[0]))
        batches += [near[i : i + size] for i in range(0, len(near), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def main(args: Args) -> None:
    """Write dialogues, train tokenizer and model, save them."""
    started = time.perf_counter()
    torch.set_num_threads(args.threads)
    habits = Habits(args.early, args.senseless, args.mistaken)
    parts = [
        list(dialogues(args.sensible, args.seed, difficulties=(2, 3), habits=SENSIBLE)),
        list(dialogues(args.mixed, args.seed + 1, difficulties=(1, 2), habits=habits)),
    ]
    tokenizer = train_tokenizer([chat for part in parts for chat in part], args.vocabulary)
    data = [
        [encode(chat, tokenizer, answer_only=part is parts[0]) for chat in part] for part in parts
    ]
    tokens = sum(len(ids) for part in data for ids, _ in part)
    print(f"{tokens} tokens, {time.perf_counter() - started:.0f} s")
    model = build_model(args, tokenizer)

    def save() -> None:
        copy.deepcopy(model).half().save_pretrained(args.out)
        tokenizer.save_pretrained(args.out)

    train(model, data, args, save)
    save()
    size = sum(p.numel() for p in model.parameters())
    print(f"{size} parameters in {args.out}, {time.perf_counter() - started:.0f} s in all")


if __name__ == "__main__":
    main(tyro.cli(Args))
