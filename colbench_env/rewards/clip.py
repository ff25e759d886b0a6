"""The paper's score of a page: the cosine of CLIP's embeddings of two pictures.

As in ColBench (arXiv 2503.15478, section 3.2): `openai/clip-vit-base-patch32`, each picture scaled
to 224 pixels on its shorter side and cut to the centre square. Two limits come with that: of a tall
page only the middle third or so is seen, and the useful range of the cosine is narrow, because most
pages resemble each other. `"mix"` has neither.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colbench_env.browser.page import Page
from colbench_env.errors import Fault, MissingDependencyError
from colbench_env.records import Score
from colbench_env.rewards.page_similarity import Comparison, unusable

MODEL = "openai/clip-vit-base-patch32"
BATCH = 32  # pictures embedded at once
REMEMBERED = 2_048  # reference embeddings kept


class ClipSimilarity:
    """The cosine of CLIP's image embeddings, cut at 0.

    The model is loaded when the first page is scored. A page that is missing, could not be drawn or
    shows nothing scores 0; with `black=True` it counts as a black picture, as in the original,
    which does not score 0.

    Args:
        model: A model id of the hub or a folder, as `transformers` takes it.
        black: Compare a black picture where there is no page.
        device: Where torch runs it.
    """

    name = "clip"

    def __init__(self, model: str = MODEL, *, black: bool = False, device: str = "cpu") -> None:
        self.model, self.black, self.device = model, black, device
        self._loaded: tuple[Any, Any, Any] | None = None
        self._known: dict[bytes, NDArray[np.float32]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.model, self.black, self.device)

    def score(self, comparisons: Sequence[Comparison]) -> list[Score | Fault]:
        """Score a batch.

        Returns:
            For each a `Score` with the component `cosine`; a `Fault` for all where the model cannot
            be loaded.

        Raises:
            MissingDependencyError: torch or transformers is not installed.
        """
        try:
            self._load()
        except (OSError, ValueError) as error:
            fault = Fault("clip", "not loaded", f"{self.model}: {error}"[:300], retry=False)
            return [fault for _ in comparisons]
        scores: list[Score | Fault] = []
        for comparison, cosine in zip(comparisons, self._cosines(comparisons), strict=True):
            why = unusable(comparison.shown)
            details = {"reward": self.name, "model": self.model, **comparison.reference.engine}
            if why is not None:
                details["problem"] = why
                cosine = cosine if self.black else 0.0
            scores.append(Score(min(max(cosine, 0.0), 1.0), {"cosine": cosine}, details))
        return scores

    def _cosines(self, comparisons: Sequence[Comparison]) -> list[float]:
        references = self._references([c.reference for c in comparisons])  # [B, D]
        black = np.zeros((224, 224, 3), np.uint8)
        pictures = [
            c.shown.pixels if c.shown is not None and unusable(c.shown) is None else black
            for c in comparisons
        ]
        cosines: list[float] = (references * self._embed(pictures)).sum(-1).tolist()
        return cosines

    def _references(self, pages: Sequence[Page]) -> NDArray[np.float32]:
        """Embed pages that come again and again, each once."""
        by_key = {_digest(p): p for p in pages}
        new = {key: page for key, page in by_key.items() if key not in self._known}
        if len(self._known) + len(new) > REMEMBERED:
            self._known, new = {}, by_key
        if new:
            rows = self._embed([page.pixels for page in new.values()])
            self._known.update(zip(new, rows, strict=True))
        return np.stack([self._known[_digest(p)] for p in pages])

    def _embed(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return unit vectors, float32 `[B, D]`."""
        torch, model, processor = self._load()
        rows = []
        for start in range(0, len(pictures), BATCH):
            batch = [np.ascontiguousarray(p) for p in pictures[start : start + BATCH]]
            inputs = processor(images=batch, return_tensors="pt").to(self.device)
            with torch.no_grad():
                features = model.get_image_features(**inputs)
            features = getattr(features, "pooler_output", features)
            rows.append(torch.nn.functional.normalize(features, dim=-1).float().cpu().numpy())
        joined: NDArray[np.float32] = np.concatenate(rows)
        return joined

    def _load(self) -> tuple[Any, Any, Any]:
        if self._loaded is None:
            try:
                torch = importlib.import_module("torch")
                transformers = importlib.import_module("transformers")
            except ImportError as error:
                raise MissingDependencyError(
                    "reward='clip' needs torch and transformers: pip install 'colbench-env[train]'"
                ) from error
            model = transformers.CLIPModel.from_pretrained(self.model).to(self.device).eval()
            processor = transformers.CLIPImageProcessor.from_pretrained(self.model)
            self._loaded = torch, model, processor
        return self._loaded


def _digest(page: Page) -> bytes:
    runs = page.picture
    return hashlib.blake2b(runs.starts.tobytes() + runs.colours.tobytes()).digest()


def _rebuild(kind: type[ClipSimilarity], model: str, black: bool, device: str) -> ClipSimilarity:
    return kind(model, black=black, device=device)
