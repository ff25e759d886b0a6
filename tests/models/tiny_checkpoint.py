"""A checkpoint that costs nothing to make and to run."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}<end>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
CONTEXT = 256


def save_tiny(folder: Path) -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=262,
        special_tokens=["<pad>", "<end>", "<system>", "<user>", "<assistant>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["ask and answer"], trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="<end>",
        chat_template=TEMPLATE,
        model_max_length=CONTEXT,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(fast),
                hidden_size=32,
                intermediate_size=64,
                num_hidden_layers=2,
                num_attention_heads=4,
                num_key_value_heads=2,
                max_position_embeddings=CONTEXT,
                eos_token_id=fast.eos_token_id,
                initializer_range=0.3,
            )
        )
    network.generation_config.repetition_penalty = 3.0  # must not leak into what we sample
    network.save_pretrained(folder)
    fast.save_pretrained(folder)
