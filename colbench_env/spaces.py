"""`Utterance`: the space of what an agent may say or hear, as bounded Unicode text.

`gymnasium.spaces.Text` carries its character set: over full Unicode it takes seconds to build and
tens of megabytes to pickle. `Utterance` is a `Text` without one, so everything that dispatches on
`Text` still works.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NoReturn

import numpy as np
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Box, Space, Text, Tuple
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import (
    batch_differing_spaces,
    create_empty_array,
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)
from numpy.typing import NDArray

_WORDS = ("what", "should", "it", "return", "for", "an", "empty", "list", "or", "zero", "then")
_LAST_CODE_POINT = 0x10FFFF


class Utterance(Text):
    """Any text of at most `max_length` characters that can be encoded as UTF-8; `""` included.

    Args:
        max_length: Largest number of characters (code points), inclusive.
        seed: Seed of the space's own generator, which `sample` draws from.
    """

    def __init__(self, max_length: int, *, seed: int | np.random.Generator | None = None) -> None:
        if isinstance(max_length, bool) or not isinstance(max_length, (int, np.integer)):
            raise TypeError(f"max_length must be an integer, got {type(max_length).__name__}")
        if max_length < 0:
            raise ValueError(f"max_length must not be negative, got {max_length}")
        self.min_length = 0
        self.max_length = int(max_length)
        Space.__init__(self, dtype=str, seed=seed)

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a string within the length that UTF-8 can encode."""
        if not isinstance(x, str) or len(x) > self.max_length:
            return False
        return x.isascii() or not any("\ud800" <= c <= "\udfff" for c in x)

    def fit(self, text: str) -> tuple[str, bool]:
        """Make any string a member: lone surrogates become U+FFFD, what is too long is cut.

        Args:
            text: Any string.

        Returns:
            The member of the space, and whether anything was cut off.
        """
        clipped = len(text) > self.max_length
        if clipped:
            text = text[: self.max_length]
        if not text.isascii():
            # "replace" writes "?" when encoding, so go through UTF-16, where it means U+FFFD.
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text, clipped

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Draw a short readable text from the space's own generator.

        Raises:
            ValueError: A mask or probability was given; this space has no character set.
        """
        if mask is not None or probability is not None:
            raise ValueError("Utterance has no character set, so it takes no mask or probability")
        words = self.np_random.choice(_WORDS, size=int(self.np_random.integers(1, 9)))
        return " ".join(words)[: self.max_length]

    @property
    def characters(self) -> str:
        """Empty: this space has no list of characters."""
        return ""

    @property
    def character_set(self) -> frozenset[str]:
        """Empty: this space has no list of characters."""
        return frozenset()

    @property
    def character_list(self) -> tuple[str, ...]:
        """Empty: this space has no list of characters."""
        return ()

    def character_index(self, char: str) -> np.int32:
        """Return the character's code point, its index when flattened."""
        return np.int32(ord(char))

    def __repr__(self) -> str:
        return f"Utterance({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Utterance) and other.max_length == self.max_length

    __hash__ = None  # type: ignore[assignment]  # as every other Gymnasium space


@flatdim.register(Utterance)
def _flatdim(space: Utterance) -> int:
    return space.max_length


@flatten_space.register(Utterance)
def _flatten_space(space: Utterance) -> Box:
    return Box(low=-1, high=_LAST_CODE_POINT, shape=(space.max_length,), dtype=np.int32)


@flatten.register(Utterance)
def _flatten(space: Utterance, x: str) -> NDArray[np.int32]:  # type: ignore[misc]
    points = np.frombuffer(x.encode("utf-32-le"), dtype="<i4")
    out = np.full(space.max_length, -1, dtype=np.int32)
    out[: len(points)] = points
    return out


@unflatten.register(Utterance)
def _unflatten(space: Utterance, x: NDArray[np.int32]) -> str:  # type: ignore[misc]
    return x[x >= 0].astype("<i4").tobytes().decode("utf-32-le")


def _no_shared_memory(*args: Any, **kwargs: Any) -> NoReturn:
    raise CustomSpaceError(
        "text cannot live in shared memory: pass shared_memory=False to AsyncVectorEnv, "
        "or use this package's own gym.make_vec(id, num_envs)"
    )


create_shared_memory.register(Utterance, _no_shared_memory)
read_from_shared_memory.register(Utterance, _no_shared_memory)
write_to_shared_memory.register(Utterance, _no_shared_memory)


@batch_differing_spaces.register(Utterance)
def _batch_differing_spaces(spaces: Sequence[Utterance]) -> Tuple[Any]:  # type: ignore[misc]
    return Tuple([deepcopy(space) for space in spaces], seed=deepcopy(spaces[0].np_random))


@create_empty_array.register(Utterance)
def _create_empty_array(space: Utterance, n: int = 1, fn: Any = None) -> tuple[str, ...]:
    return ("",) * n


# `iterate` needs no entry: registering one would make a batch of texts iterate over characters,
# because Gymnasium zips the items of a Tuple whose subspaces are all registered.
