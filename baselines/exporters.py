"""Episodes for other codebases: rows in the formats of TRL, verl and SkyRL, and Parquet files.

All rows are made from the token ids that were sampled; nothing is re-tokenised. Each takes one row
of tokens (`batch.rows_from_turns`): the whole episode where its prompts grow by prefix, else one
turn. The first prompt is the prompt; all after it is the response, masked where others speak.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from colbench_env.baselines.batch import Row, rows_from_turns
from colbench_env.errors import ConfigError, MissingDependencyError
from colbench_env.records import Episode


def _parts(row: Row) -> tuple[int, Sequence[int], Sequence[int]]:
    """Return the prompt's length, the response's ids and their mask."""
    start = row.action_mask.index(True)
    return start, row.input_ids[start:], [int(m) for m in row.action_mask[start:]]


def _scored(episodes: Iterable[Episode]) -> Iterator[tuple[Episode, Row, float]]:
    """Yield each row with its episode and score; faults are left out."""
    for episode in episodes:
        if episode.score is not None:
            for row in rows_from_turns(episode.turns):
                yield episode, row, episode.score.value


def trl_rows(episodes: Iterable[Episode]) -> Iterator[dict[str, Any]]:
    """Yield what TRL's `rollout_func` returns, one row at a time.

    Returns:
        `prompt_ids`, `completion_ids`, `logprobs`, `env_mask` (1: the model's token) and `reward`.
    """
    for _, row, score in _scored(episodes):
        start, response, mask = _parts(row)
        yield {
            "prompt_ids": list(row.input_ids[:start]),
            "completion_ids": list(response),
            "logprobs": list(row.logprobs[start:]),
            "env_mask": mask,
            "reward": score,
        }


def verl_rows(episodes: Iterable[Episode]) -> Iterator[dict[str, Any]]:
    """Yield the fields of verl's `AgentLoopOutput`.

    Returns:
        `prompt_ids`, `response_ids`, `response_mask`, `response_logprobs`, `reward_score`,
        `num_turns` and `extra_fields`.
    """
    for episode, row, score in _scored(episodes):
        start, response, mask = _parts(row)
        yield {
            "prompt_ids": list(row.input_ids[:start]),
            "response_ids": list(response),
            "response_mask": mask,
            "response_logprobs": list(row.logprobs[start:]),
            "reward_score": score,
            "num_turns": len(episode.turns),
            "extra_fields": {"task_id": episode.task_id, "seed": episode.seed},
        }


def skyrl_batch(episodes: Iterable[Episode]) -> dict[str, list[Any]]:
    """Return SkyRL's `GeneratorOutput`: columns with one entry a row.

    Returns:
        `prompt_token_ids`, `response_ids`, `loss_masks`, `rollout_logprobs`, `stop_reasons`, and
        `rewards` for each token: the turn's reward stands at the turn's last token.
    """
    columns: dict[str, list[Any]] = {
        name: []
        for name in (
            "prompt_token_ids",
            "response_ids",
            "loss_masks",
            "rollout_logprobs",
            "stop_reasons",
            "rewards",
        )
    }
    for episode, row, _ in _scored(episodes):
        start, response, mask = _parts(row)
        rewards = [0.0] * len(row)
        for turn in {t for t in row.turn_ids if t >= 0}:
            end = max(i for i, t in enumerate(row.turn_ids) if t == turn)
            rewards[end] = episode.turns[turn].reward
        columns["prompt_token_ids"].append(list(row.input_ids[:start]))
        columns["response_ids"].append(list(response))
        columns["loss_masks"].append(mask)
        columns["rollout_logprobs"].append(list(row.logprobs[start:]))
        columns["stop_reasons"].append("stop")
        columns["rewards"].append(rewards[start:])
    return columns


def flat_rows(episodes: Iterable[Episode]) -> Iterator[dict[str, Any]]:
    """Yield one row of plain columns for each row of tokens, for tables and Parquet.

    Returns:
        Ids, seed and labels of the episode; its dialogue as JSON; token ids, behaviour
        log-probabilities, the agent mask and turn ids of each token; turn rewards; score and leak.
    """
    for episode in episodes:
        for row in rows_from_turns(episode.turns):
            yield {
                "env_id": episode.env_id,
                "task_id": episode.task_id,
                "seed": episode.seed,
                "index": episode.extra.get("index", -1),
                "labels": json.dumps(dict(episode.labels)),
                "messages": json.dumps([m.to_dict() for m in episode.messages]),
                "input_ids": list(row.input_ids),
                "logprobs": list(row.logprobs),
                "action_mask": list(row.action_mask),
                "turn_ids": list(row.turn_ids),
                "turn_rewards": [t.reward for t in episode.turns],
                "score": None if episode.score is None else episode.score.value,
                "leak": float(episode.extra.get("leak", {}).get("share", 0.0)),
                "fault": episode.fault,
            }


def write_parquet(episodes: Iterable[Episode], path: str | Path) -> int:
    """Write `flat_rows` to a Parquet file; returns the number of rows.

    Raises:
        MissingDependencyError: pyarrow is not installed.
        ConfigError: No episode holds token ids.
    """
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingDependencyError("Parquet needs pyarrow: pip install pyarrow") from error
    rows = list(flat_rows(episodes))
    if not rows:
        raise ConfigError("no episode holds token ids: play them with a policy that has tokens")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(rows), path)
    return len(rows)


FORMATS: Mapping[str, Any] = {"trl": trl_rows, "verl": verl_rows, "skyrl": skyrl_batch}


def write_rows(episodes: Iterable[Episode], path: str | Path, form: str) -> None:
    """Write episodes in another codebase's format, as JSON lines (SkyRL: one JSON object).

    Raises:
        ConfigError: No format is called so.
    """
    if form not in FORMATS:
        raise ConfigError(f"no format is called {form!r}; choose from {', '.join(FORMATS)}")
    made = FORMATS[form](episodes)
    lines = [made] if isinstance(made, dict) else made
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Path(path).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
