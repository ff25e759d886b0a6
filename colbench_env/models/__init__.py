"""One client for language models: a server, a local model, or a recording of either.

Whoever needs words from a model (a simulated person, a worker, a judge, a policy) makes it with
`make_model("openai:MODEL@BASE_URL" | "hf:MODEL_OR_PATH" | "replay:FILE")` and calls
`generate(requests)`, which answers each request with a `Completion` or a `Fault`.
"""

from colbench_env.models.model import (
    Completion,
    Image,
    Model,
    ModelError,
    Request,
    Usage,
    raise_final,
    spoken,
)
from colbench_env.models.specs import (
    is_model_spec,
    make_model,
    read_temperature,
    split_options,
    usage_by_model,
)

__all__ = [
    "Completion",
    "Image",
    "Model",
    "ModelError",
    "Request",
    "Usage",
    "is_model_spec",
    "make_model",
    "raise_final",
    "read_temperature",
    "split_options",
    "spoken",
    "usage_by_model",
]
