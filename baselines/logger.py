"""Metrics of a run: JSON lines and CSV always, TensorBoard and Weights & Biases when installed.

`metrics.jsonl` has a line for each report; `metrics.csv` has the same in long form, one number a
row. Alarms watch the metrics and stop a run that collapses.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import math
import operator
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from colbench_env.errors import ColbenchError, ConfigError

_COMPARE = {"<": operator.lt, ">": operator.gt}


class AlarmError(ColbenchError, RuntimeError):
    """A watched metric crossed its limit; the message says which, where and what it may mean."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A limit on a metric.

    Attributes:
        metric: Its name.
        sign: `"<"` or `">"`: on which side of the limit it rings.
        limit: The limit. A value that is not finite rings always.
    """

    metric: str
    sign: str
    limit: float

    def rings(self, value: float) -> bool:
        """Return whether this value is beyond the limit."""
        return not math.isfinite(value) or bool(_COMPARE[self.sign](value, self.limit))


MEANING = {
    "entropy": "the policy says the same thing whatever it hears",
    "kl": "the policy has left its reference far behind",
    "leak": "the policy makes the person recite the hidden code",
}


def parse_alarms(text: str) -> list[Alarm]:
    """Read alarms such as `"entropy<0.01,kl>10,leak>0.3"`; an empty text means none.

    Raises:
        ConfigError: It reads otherwise.
    """
    alarms = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        found = re.fullmatch(r"(\w+)\s*([<>])\s*([-+.\deE]+)", part)
        if found is None:
            raise ConfigError(f"alarm {part!r} is not of the form 'kl>10' or 'entropy<0.01'")
        alarms.append(Alarm(found[1], found[2], float(found[3])))
    return alarms


class Logger:
    """Write the metrics of a run.

    Args:
        folder: Of the run; an interrupted run's files are continued.
        alarms: As `parse_alarms` reads them.
        active: False for all processes but the first: nothing is read or written.

    Weights & Biases takes part when the package is installed and `WANDB_PROJECT` is set.
    """

    def __init__(self, folder: str | Path, *, alarms: str = "", active: bool = True) -> None:
        self.folder = Path(folder)
        self._alarms = parse_alarms(alarms)
        self._active = active
        self._path = self.folder / "metrics.jsonl"
        self.rows: list[dict[str, Any]] = []
        if active and self._path.exists():
            lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
            self.rows = [json.loads(line) for line in lines if line.endswith("\n")]
        self._rewrite()
        self._tensorboard = _tensorboard(self.folder) if active else None
        self._wandb = _wandb(self.folder) if active else None

    def log(self, stage: str, step: int, metrics: Mapping[str, float]) -> None:
        """Report the metrics of a step; one that is on file already is not written again.

        Args:
            stage: Which part of the algorithm ("critic", "actor", "evaluate").
            step: Number of the step within the stage.
            metrics: Plain numbers by name.

        Raises:
            AlarmError: A metric is beyond its limit; it has been written all the same.
        """
        if not any(r["stage"] == stage and r["step"] == step for r in self.rows):
            row = {"stage": stage, "step": step, **{k: float(v) for k, v in metrics.items()}}
            self.rows.append(row)
            self._append([row])
            for name, value in metrics.items():
                if self._tensorboard is not None:
                    self._tensorboard.add_scalar(f"{stage}/{name}", value, step)
            if self._wandb is not None:
                self._wandb.log({f"{stage}/{k}": v for k, v in metrics.items()})
        for alarm in self._alarms:
            if alarm.metric in metrics and alarm.rings(metrics[alarm.metric]):
                raise AlarmError(
                    f"{stage}, step {step}: {alarm.metric} is {metrics[alarm.metric]:.4g}, the "
                    f"alarm is set to {alarm.metric}{alarm.sign}{alarm.limit:g}"
                    + (f" ({MEANING[alarm.metric]})" if alarm.metric in MEANING else "")
                )

    def rewind(self, stage: str, step: int) -> None:
        """Forget the reports of a stage after a step: a resumed run writes them again."""
        kept = [r for r in self.rows if r["stage"] != stage or r["step"] <= step]
        if len(kept) < len(self.rows):
            self.rows = kept
            self._rewrite()

    def last(self, stage: str) -> dict[str, Any] | None:
        """Return the stage's latest report."""
        return next((row for row in reversed(self.rows) if row["stage"] == stage), None)

    def close(self) -> None:
        """Close TensorBoard and Weights & Biases."""
        if self._tensorboard is not None:
            self._tensorboard.close()
        if self._wandb is not None:
            self._wandb.finish()

    def _rewrite(self) -> None:
        if not self._active:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path.write_text("", encoding="utf-8")
        with (self.folder / "metrics.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerow(["stage", "step", "metric", "value"])
        self._append(self.rows)

    def _append(self, rows: list[dict[str, Any]]) -> None:
        if not self._active:
            return
        with self._path.open("a", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows)
        with (self.folder / "metrics.csv").open("a", encoding="utf-8", newline="") as table:
            writer = csv.writer(table)
            for row in rows:
                values = {k: v for k, v in row.items() if k not in ("stage", "step")}
                writer.writerows([row["stage"], row["step"], k, v] for k, v in values.items())


def _tensorboard(folder: Path) -> Any | None:
    if importlib.util.find_spec("tensorboard") is None:
        return None
    return import_module("torch.utils.tensorboard").SummaryWriter(str(folder / "tensorboard"))


def _wandb(folder: Path) -> Any | None:
    if "WANDB_PROJECT" not in os.environ or importlib.util.find_spec("wandb") is None:
        return None
    return import_module("wandb").init(dir=str(folder), name=folder.name, resume="allow")
