"""Short names for models, resolved once per process so that their calls batch.

* `openai:MODEL[@BASE_URL][?concurrency=64&timeout=120&...]`, with arguments of `ServerModel`;
* `hf:MODEL_OR_PATH[?gguf=FILE&device=cuda&...]`, with arguments of `LocalModel`;
* `replay:FILE`, a recording;
* `replay:FILE+openai:...` or `replay:FILE+hf:...`: what the recording lacks is asked and recorded.
"""

from __future__ import annotations

import inspect
import re
import threading
import typing
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from colbench_env.errors import ConfigError
from colbench_env.models.local import LocalModel
from colbench_env.models.model import Model, Usage
from colbench_env.models.replay import ReplayModel
from colbench_env.models.server import ServerModel

KINDS: Mapping[str, Callable[..., Model]] = {"openai": ServerModel, "hf": LocalModel}
_made: dict[str, Model] = {}
_lock = threading.RLock()  # a recording's fallback is made within


def is_model_spec(spec: str) -> bool:
    """Whether a name is one that `make_model` takes."""
    return spec.partition(":")[0] in (*KINDS, "replay")


def make_model(spec: str | Model) -> Model:
    """Return the model that a short name stands for: the same object each time in one process.

    Args:
        spec: As this module's documentation lists them; a `Model` is returned as it is.

    Raises:
        ConfigError: The name, or one of its arguments, is unknown or cannot work.
    """
    if not isinstance(spec, str):
        return spec
    with _lock:
        if spec not in _made:
            _made[spec] = _make(spec)
        return _made[spec]


def split_options(spec: str, own: Mapping[str, Callable[[str], Any]]) -> tuple[str, dict[str, Any]]:
    """Split a name into the model's part and the caller's own options (`persona=`, say).

    Args:
        spec: A model's name whose query may also hold options of the caller's.
        own: The caller's options and how to read each.

    Returns:
        The name without them, and their values.

    Raises:
        ConfigError: A value cannot be read.
    """
    name, _, query = spec.partition("?")
    options = parse_qsl(query, keep_blank_values=True)
    mine = {key: _read(spec, key, value, own[key]) for key, value in options if key in own}
    rest = [(key, value) for key, value in options if key not in own]
    return name + ("?" + urlencode(rest, safe="/:") if rest else ""), mine


def read_temperature(text: str) -> float | None:
    """Return a temperature; `"default"` is None, which leaves it to the server."""
    return None if text == "default" else float(text)


def usage_by_model() -> dict[str, Usage]:
    """Return what each model that `make_model` made has been used for, by its name; they add up."""
    usages: dict[str, Usage] = {}
    for model in _made.values():
        usages[model.name] = usages.get(model.name, Usage()) + model.usage
    return usages


def _make(spec: str) -> Model:
    kind, _, rest = spec.partition(":")
    if kind == "replay":
        file, _, fallback = re.sub(r"\+(?=(openai|hf):)", "\0", rest, count=1).partition("\0")
        if not file or "?" in file:
            raise ConfigError("a recording is replay:FILE or replay:FILE+openai:MODEL@URL")
        return ReplayModel(file, make_model(fallback) if fallback else None)
    if kind not in KINDS:
        raise ConfigError(
            f"{kind!r} is no kind of model; use openai:MODEL@URL, hf:MODEL_OR_PATH or replay:FILE"
        )
    maker = KINDS[kind]
    name, _, query = rest.partition("?")
    readers = _readers(maker)
    options: dict[str, Any] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in readers:
            raise ConfigError(f"{kind}:{name} has no option {key!r}; it has {', '.join(readers)}")
        options[key] = _read(f"{kind}:{name}", key, value, readers[key])
    if kind == "openai":
        found = re.fullmatch(r"(.*?)@(https?://.*)", name)
        arguments = found.groups() if found else (name,)
    else:
        arguments = (name,)
    return maker(*arguments, **options)


def _readers(maker: Callable[..., Model]) -> dict[str, Callable[[str], Any]]:
    """Return the keyword-only arguments of a class, and how to read each from text."""
    hints = typing.get_type_hints(maker.__init__)
    keywords = [
        p.name
        for p in inspect.signature(maker).parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    return {name: _reader(hints[name]) for name in keywords}


def _reader(hint: Any) -> Callable[[str], Any]:
    for kind in (bool, int, float):
        if hint is kind or kind in typing.get_args(hint):
            return _boolean if kind is bool else kind
    return str


def _boolean(text: str) -> bool:
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    return known[text.lower()]


def _read(spec: str, key: str, value: str, reader: Callable[[str], Any]) -> Any:
    try:
        return reader(value)
    except (ValueError, KeyError) as error:
        raise ConfigError(f"{spec}: {key}={value!r} cannot be read") from error
