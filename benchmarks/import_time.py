"""CPU time of `import colbench_env`, as a ratio to `import pettingzoo, gymnasium`, in one run.

python benchmarks/import_time.py
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

PAIRS = 15


def cpu(program: str) -> float:
    """CPU seconds (user and system) of one fresh interpreter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> None:
    ratios = []
    cpu("import colbench_env")
    for _ in range(PAIRS):
        ours, theirs = cpu("import colbench_env"), cpu("import pettingzoo")
        ratios.append(ours / theirs)
    low, *_, high = sorted(ratios)
    print(
        f"import colbench_env / import pettingzoo: {statistics.median(ratios):.2f} "
        f"(median of {PAIRS} pairs; {low:.2f} to {high:.2f})"
    )


if __name__ == "__main__":
    main()
