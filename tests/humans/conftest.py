"""Makes the benchmarks' own functions importable, so that the tests measure what they print."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
