"""Exported rows: the sampled ids and nothing else, aligned with masks and rewards."""

import importlib.util
import json

import pytest

from colbench_env.baselines import exporters
from colbench_env.errors import ConfigError, MissingDependencyError
from colbench_env.records import Episode, Score, Turn


def turn(step, prompt, completion, reward):
    logprobs = tuple(-0.5 * i for i in completion)
    return Turn("a_0", step, "", "", reward, tuple(prompt), tuple(completion), logprobs)


def episode(*turns, score=1.0, index=0):
    return Episode(
        "Env-v0",
        "t/1",
        7,
        turns,
        score=None if score is None else Score(score),
        extra={"index": index, "leak": {"run": 1, "share": 0.25}},
    )


GROWING = episode(turn(0, [1, 2], [3], 0.0), turn(1, [1, 2, 3, 4], [5, 6], 1.0))
SPLIT = episode(turn(0, [1, 2], [3], 0.0), turn(1, [1, 9], [5], 0.5), score=0.5, index=1)
FAULT = episode(turn(0, [1], [2], 0.0), score=None, index=2)


def test_trl():
    rows = list(exporters.trl_rows([GROWING, SPLIT, FAULT]))
    assert rows[0] == {
        "prompt_ids": [1, 2],
        "completion_ids": [3, 4, 5, 6],
        "logprobs": [-1.5, 0.0, -2.5, -3.0],
        "env_mask": [1, 0, 1, 1],
        "reward": 1.0,
    }
    assert [r["prompt_ids"] for r in rows] == [[1, 2], [1, 2], [1, 9]]


def test_verl():
    [row] = exporters.verl_rows([GROWING])
    assert (row["response_ids"], row["response_mask"]) == ([3, 4, 5, 6], [1, 0, 1, 1])
    assert (row["reward_score"], row["num_turns"]) == (1.0, 2)


def test_skyrl_puts_rewards_at_the_last_token_of_their_turn():
    batch = exporters.skyrl_batch([GROWING, SPLIT])
    assert batch["rewards"] == [[0.0, 0.0, 0.0, 1.0], [0.0], [0.5]]
    assert batch["loss_masks"] == [[1, 0, 1, 1], [1], [1]]
    assert {len(column) for column in batch.values()} == {3}


def test_files(tmp_path):
    for form, lines in (("trl", 3), ("verl", 3), ("skyrl", 1)):
        exporters.write_rows([GROWING, SPLIT], tmp_path / form, form)
        written = (tmp_path / form).read_text().splitlines()
        assert len([json.loads(line) for line in written]) == lines
    with pytest.raises(ConfigError, match="no format"):
        exporters.write_rows([], tmp_path / "x", "csv")


def test_parquet_goes_round(tmp_path):
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(MissingDependencyError, match="pip install pyarrow"):
            exporters.write_parquet([GROWING], tmp_path / "a.parquet")
        return
    import pyarrow.parquet

    assert exporters.write_parquet([GROWING, SPLIT, FAULT], tmp_path / "a.parquet") == 4
    rows = pyarrow.parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert rows == list(exporters.flat_rows([GROWING, SPLIT, FAULT]))
    with pytest.raises(ConfigError, match="token ids"):
        exporters.write_parquet([], tmp_path / "b.parquet")
