"""The trainers: they learn, they repeat, and an interrupted run ends like an unbroken one."""

import dataclasses
import json

import pytest
import torch

from colbench_env.baselines import multiturn_dpo, optimise, rft, sweet_rl
from colbench_env.baselines.logger import AlarmError
from colbench_env.baselines.pretrained import load_policy
from colbench_env.baselines.trainers import TRAINERS, train
from colbench_env.errors import ConfigError

COMMON = {
    "env": "Test/Echo-v0",
    "tasks": "",
    "human": "",
    "device": "cpu",
    "num_tasks": 32,
    "group_size": 8,
    "num_envs": 64,
    "max_new_tokens": 1,
    "batch_size": 16,
    "micro_batch": 16,
    "eval_tasks": 64,
    "alarms": "",
}
TRAINED = {
    "rft": rft.Args(**COMMON, rounds=4, lr=1e-2, epochs=2, keep=8),
    "multiturn_dpo": multiturn_dpo.Args(**COMMON, rounds=5, lr=3e-3, epochs=2),
    "sweet_rl": sweet_rl.Args(
        **COMMON,
        rounds=3,
        critic_lr=3e-3,
        critic_epochs=8,
        actor_lr=3e-3,
        actor_epochs=2,
        actor_share=0.25,
    ),
}
# Of SWEET-RL's pairs here only some hold the right word: its critic ranks the 12 wrong ones too.
LEARNT = {"rft": 0.9, "multiturn_dpo": 0.9, "sweet_rl": 0.4}
MAINS = {"rft": rft.main, "multiturn_dpo": multiturn_dpo.main, "sweet_rl": sweet_rl.main}


def arguments(name, model, out, **changes):
    return dataclasses.replace(TRAINED[name], model=str(model), out=out, **changes)


def short(name, model, out, **changes):
    few = {"rounds": 1, "num_tasks": 4, "eval_tasks": 0, "batch_size": 4, "group_size": 16}
    return arguments(name, model, out, **{**few, **changes})


def weights(folder):
    return load_policy(folder / "policy", device="cpu").state_dict()


def assert_equal(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert torch.equal(a[name], b[name]), name


def reports(folder, stage):
    rows = map(json.loads, (folder / "metrics.jsonl").read_text().splitlines())
    return [row for row in rows if row["stage"] == stage]


@pytest.mark.parametrize("name", TRAINED)
def test_learns_to_echo(name, echo, tmp_path):
    success = MAINS[name](arguments(name, echo, tmp_path / "run"))
    before = reports(tmp_path / "run", "evaluate")[0]["success"]
    assert before < 0.3
    assert success > LEARNT[name]


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("lora_rank", [0, 4])
def test_same_seed_same_weights(name, lora_rank, echo, tmp_path):
    for folder in ("a", "b"):
        MAINS[name](short(name, echo, tmp_path / folder, lora_rank=lora_rank))
    assert_equal(weights(tmp_path / "a"), weights(tmp_path / "b"))
    initial = load_policy(echo, device="cpu", lora_rank=lora_rank).state_dict()
    assert any(not torch.equal(v, initial[k]) for k, v in weights(tmp_path / "a").items())


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("after", [1, 3])
def test_resume_ends_like_an_unbroken_run(name, after, echo, tmp_path, monkeypatch):
    changes = {"rounds": 2, "batch_size": 8}
    MAINS[name](short(name, echo, tmp_path / "whole", **changes))
    update, made = optimise._update, []

    def break_down(*args):
        if len(made) == after:
            raise Interrupted
        made.append(1)
        return update(*args)

    monkeypatch.setattr(optimise, "_update", break_down)
    monkeypatch.setattr(optimise, "SAVE_EVERY", 2)
    with pytest.raises(Interrupted):
        MAINS[name](short(name, echo, tmp_path / "broken", **changes))
    monkeypatch.setattr(optimise, "_update", update)
    MAINS[name](short(name, echo, tmp_path / "broken", **changes))
    assert_equal(weights(tmp_path / "whole"), weights(tmp_path / "broken"))
    for file in ("metrics.csv", "metrics.jsonl", "episodes-1.jsonl"):
        assert (tmp_path / "whole" / file).read_text() == (tmp_path / "broken" / file).read_text()


def test_a_run_with_other_arguments_is_not_continued(echo, tmp_path):
    rft.main(short("rft", echo, tmp_path / "a"))
    with pytest.raises(ConfigError, match=r"lr=.*choose another --out"):
        rft.main(short("rft", echo, tmp_path / "a", lr=1.0))


def test_an_alarm_stops_the_run(echo, tmp_path):
    with pytest.raises(AlarmError, match="entropy is"):
        rft.main(short("rft", echo, tmp_path / "a", eval_tasks=8, alarms="entropy<100"))
    assert reports(tmp_path / "a", "evaluate")


@pytest.mark.parametrize(
    "changes",
    [
        {"fidelity": "code"},
        {"training_information": False},
        {"length_normalised": False},
        {"head": "regression"},
        {"critic": "mc"},
        {"pairs": "margin", "lora_rank": 8},
    ],
    ids=str,
)
def test_variants_of_sweet_rl_learn(changes, echo, tmp_path):
    out = tmp_path / "run"
    sweet_rl.main(arguments("sweet_rl", echo, out, **{"rounds": 2, **changes}))
    before, *_, after = reports(out, "evaluate")
    assert after["success"] > before["success"] + 0.05


@pytest.mark.parametrize("name", TRAINERS)
def test_presets_and_size_of_the_arguments(name):
    import importlib

    module = importlib.import_module(TRAINERS[name])
    assert set(module.PRESETS) == {"tiny", "smol", "paper"}
    fields = dataclasses.fields(module.Args)
    assert len(fields) <= 30
    for field in fields:
        assert f"        {field.name}: " in module.Args.__doc__


def test_command_line_picks_preset_and_overrides(monkeypatch):
    seen = []
    monkeypatch.setattr(rft, "main", seen.append)
    train("rft", ["--preset", "smol", "--lr", "0.5"])
    train("rft", ["--seed", "3"])
    assert seen == [
        dataclasses.replace(rft.PRESETS["smol"], lr=0.5),
        dataclasses.replace(rft.PRESETS["tiny"], seed=3),
    ]
    with pytest.raises(ConfigError, match="no preset"):
        train("rft", ["--preset", "huge"])
    with pytest.raises(ConfigError, match="no trainer"):
        train("ppo")
