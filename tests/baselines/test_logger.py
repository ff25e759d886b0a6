"""Logs, alarms, checkpoints, schedules."""

import csv
import dataclasses
import json
import math

import pytest
import torch

from colbench_env.baselines.checkpoint import Checkpoint
from colbench_env.baselines.logger import Alarm, AlarmError, Logger, parse_alarms
from colbench_env.baselines.optimise import Schedule, fit, minibatches
from colbench_env.errors import ConfigError


@dataclasses.dataclass
class Args:
    out: str = "x"
    lr: float = 0.1


def test_both_files_hold_the_same_numbers(tmp_path):
    logger = Logger(tmp_path)
    logger.log("actor", 1, {"loss": 0.5, "kl": 0.0})
    logger.log("evaluate", 1, {"success": 0.25})
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert lines == logger.rows
    with (tmp_path / "metrics.csv").open() as file:
        table = list(csv.reader(file))
    assert table == [
        ["stage", "step", "metric", "value"],
        ["actor", "1", "loss", "0.5"],
        ["actor", "1", "kl", "0.0"],
        ["evaluate", "1", "success", "0.25"],
    ]


def test_a_continued_log_keeps_what_is_true_and_drops_a_torn_line(tmp_path):
    logger = Logger(tmp_path)
    for step in (1, 2, 3):
        logger.log("actor", step, {"loss": float(step)})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"stage": "ac')
    again = Logger(tmp_path)
    again.rewind("actor", 2)
    again.log("actor", 2, {"loss": 99.0})  # on file already
    again.log("actor", 3, {"loss": 7.0})
    assert [row["loss"] for row in Logger(tmp_path).rows] == [1.0, 2.0, 7.0]
    assert again.last("actor") == {"stage": "actor", "step": 3, "loss": 7.0}
    assert again.last("critic") is None


def test_alarms_read_and_ring(tmp_path):
    assert parse_alarms("entropy<0.1, kl>2e1") == [
        Alarm("entropy", "<", 0.1),
        Alarm("kl", ">", 20.0),
    ]
    assert parse_alarms("") == []
    with pytest.raises(ConfigError, match="kl=2"):
        parse_alarms("kl=2")
    logger = Logger(tmp_path, alarms="entropy<0.1,leak>0.3")
    logger.log("evaluate", 1, {"entropy": 0.2, "leak": 0.3})
    with pytest.raises(AlarmError, match=r"leak is 0.4.*recite"):
        logger.log("evaluate", 2, {"leak": 0.4})
    with pytest.raises(AlarmError, match="entropy is nan"):
        logger.log("evaluate", 3, {"entropy": math.nan})
    assert len(logger.rows) == 3


def test_a_checkpoint_is_replaced_whole(tmp_path):
    checkpoint = Checkpoint(tmp_path, Args())
    assert checkpoint.load("actor") is None
    checkpoint.save("actor", {"step": 1, "w": torch.ones(2)})
    checkpoint.save("actor", {"step": 2, "w": torch.zeros(2)})
    assert checkpoint.load("actor")["step"] == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["actor.pt", "args.json"]
    Checkpoint(tmp_path, Args(out="y"))
    with pytest.raises(ConfigError, match=r"lr=0.1, now it is 0.2"):
        Checkpoint(tmp_path, Args(lr=0.2))


def test_schedule_by_hand():
    schedule = Schedule(lr=1.0, epochs=2, batch_size=4, warmup=0.2, floor=0.1)
    assert schedule.steps(10) == 6
    assert schedule.rate(0, 10) == 0.5
    assert schedule.rate(1, 10) == 1.0
    assert schedule.rate(2, 10) == 1.0
    assert schedule.rate(6, 10) == pytest.approx(0.55)  # half way down
    assert schedule.rate(10, 10) == pytest.approx(0.1)


def test_minibatches_pass_over_everything_in_orders_of_their_own():
    schedule = Schedule(lr=1.0, epochs=2, batch_size=4)
    batches = minibatches(10, schedule, 0, "actor")
    assert [len(b) for b in batches] == [4, 4, 2, 4, 4, 2]
    first = [i for batch in batches[:3] for i in batch]
    second = [i for batch in batches[3:] for i in batch]
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second
    assert batches == minibatches(10, schedule, 0, "actor")
    assert batches != minibatches(10, schedule, 1, "actor")
    assert batches != minibatches(10, schedule, 0, "critic")


class Line:
    """y = w x."""

    def __init__(self):
        self.w = torch.nn.Parameter(torch.zeros(1))

    def parameters(self):
        return [self.w]

    def state_dict(self):
        return {"w": self.w.detach().clone()}

    def load_state_dict(self, state):
        with torch.no_grad():
            self.w.copy_(state["w"])


@pytest.mark.parametrize("micro_batch", [1, 3, 8])
def test_micro_batches_add_up_to_the_batch(micro_batch, tmp_path):
    """The gradient of the mean squared error at 0 is -2 mean(x y), whatever the micro-batch."""
    data = [(1.0, 2.0), (2.0, 1.0), (3.0, -1.0), (4.0, 5.0), (0.0, 9.0)]

    def loss(batch):
        x, y = torch.tensor(batch).T
        return ((line.w * x - y) ** 2).mean(), {"items": float(len(batch))}

    line = Line()
    logger = Logger(tmp_path)
    schedule = Schedule(lr=0.1, batch_size=5, micro_batch=micro_batch, clip=1e9)
    checkpoint = Checkpoint(tmp_path, Args())
    fit(line, data, loss, schedule, stage="line", seed=0, logger=logger, checkpoint=checkpoint)
    expected = 2 * (2 + 2 - 3 + 20) / 5
    assert logger.rows[0]["grad_norm"] == pytest.approx(expected)
    assert logger.rows[0]["loss"] == pytest.approx((4 + 1 + 1 + 25 + 81) / 5)
    assert line.w.item() == pytest.approx(0.1, rel=1e-4)  # Adam's first step is the rate


def test_nothing_to_train_on_is_said(tmp_path):
    with pytest.raises(ConfigError, match="nothing to train on"):
        fit(
            Line(),
            [],
            None,
            Schedule(lr=1.0),
            stage="x",
            seed=0,
            logger=Logger(tmp_path),
            checkpoint=Checkpoint(tmp_path, Args()),
        )
