import json

import pytest

from colbench_env.baselines.rollout import Plan, collect
from colbench_env.baselines.scripted import make_policy
from colbench_env.envs.backend import BackendEnv
from colbench_env.episodes import EpisodeWriter, read_episodes, read_header
from colbench_env.errors import EpisodeFileError

RUN = {"env": "ColBench/Backend-v0", "seed": 0}


@pytest.fixture
def episodes(tasks):
    plans = [Plan(i, i, tasks[i % 5].id) for i in range(7)]
    played = collect(lambda: BackendEnv(tasks=tasks), make_policy("oracle"), plans, num_envs=3)
    return sorted(played, key=lambda e: e.extra["index"])


def test_rollouts_play_every_plan_once(episodes):
    assert [e.extra["index"] for e in episodes] == list(range(7))
    assert [e.task_id for e in episodes] == [f"double/{i % 5}" for i in range(7)]
    assert all(e.score.value == 1.0 for e in episodes)
    assert all(e.return_ == {"assistant_0": 1.0} for e in episodes)
    assert episodes[0].labels == {"family": "scale"}
    assert episodes[0].turns[0].reward == 1.0
    assert episodes[0].turns[0].observation.startswith("Write a function")


def test_rollouts_do_not_depend_on_the_number_of_environments(tasks):
    plans = [Plan(i, i) for i in range(6)]

    def play(n):
        played = collect(lambda: BackendEnv(tasks=tasks), make_policy("random"), plans, num_envs=n)
        return sorted(played, key=lambda e: e.extra["index"])

    assert play(1) == play(4)


def test_write_and_read(tmp_path, episodes):
    path = tmp_path / "deep" / "file.jsonl"
    with EpisodeWriter(path, RUN) as writer:
        for episode in episodes:
            writer.append(episode)
    assert list(read_episodes(path)) == episodes
    assert read_header(path) == RUN


def test_a_torn_file_is_gone_on_with(tmp_path, episodes):
    path = tmp_path / "file.jsonl"
    with EpisodeWriter(path, RUN) as writer:
        for episode in episodes[:3]:
            writer.append(episode)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert list(read_episodes(path)) == episodes[:2]
    with EpisodeWriter(path, RUN) as writer:
        assert writer.done == {0, 1}
        writer.append(episodes[2])
    assert path.read_bytes() == whole


def test_another_runs_file_is_left_alone(tmp_path, episodes):
    path = tmp_path / "file.jsonl"
    with EpisodeWriter(path, RUN) as writer:
        writer.append(episodes[0])
    before = path.read_bytes()
    with pytest.raises(EpisodeFileError, match="seed was 0 and is now 1"):
        EpisodeWriter(path, {**RUN, "seed": 1})
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hello\n", "line 1: no valid JSON"),
        ('{"a": 1}\n', "no episode file"),
        ('{"kind": "colbench-episodes", "schema": 99, "run": {}}\n', "upgrade"),
        ('{"kind": "colbench-episodes", "schema": 1, "run": {}}\n{"a": 1}\n', "line 2: not an"),
    ],
)
def test_damaged_files_name_the_line(tmp_path, content, words):
    path = tmp_path / "file.jsonl"
    path.write_text(content)
    with pytest.raises(EpisodeFileError, match=words):
        list(read_episodes(path))
    with pytest.raises(EpisodeFileError):
        EpisodeWriter(path, {})


def test_lines_are_plain_json(tmp_path, episodes):
    path = tmp_path / "file.jsonl"
    with EpisodeWriter(path, RUN) as writer:
        writer.append(episodes[0])
    header, line = path.read_text().splitlines()
    assert json.loads(header)["schema"] == 1
    assert json.loads(line)["turns"][0]["agent"] == "assistant_0"
