"""`check_env`: the contract as a test that anyone can run on their own environment.

It runs Gymnasium's and PettingZoo's own checks as they are, and then everything they leave out:
whole episodes rather than one step, exact snapshots, hidden information, hostile text.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from pettingzoo.test.parallel_test import parallel_api_test
from pettingzoo.test.seed_test import parallel_seed_test

from colbench_env.core import CollabEnv
from colbench_env.errors import ContractError, ResetNeededError
from colbench_env.gym_env import GymEnv
from colbench_env.records import Task

HOSTILE = {
    "unicode": "naïve ☃ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u202e\u0301 été",
    "lone surrogate": "a\ud800b\udfffc",
    "empty": "",
    "huge": "x" * 1_000_000,
    "huge surrogates": "\udcff" * 1_000_000,
    "control characters": "".join(map(chr, range(32))) + "\x1b[2J\x7f\x9b",
    "braces": "{0} {task} %s %(a)s ${x} {{",
}
Make = Callable[[], CollabEnv]
Played = list[Any]  # what reset and each step returned


def check_env(env: CollabEnv, *, seed: int = 0) -> list[str]:
    """Check that an environment keeps the contract of this package.

    Args:
        env: Any `CollabEnv`; it is copied, never played.
        seed: Of the episodes that are played.

    Returns:
        The names of the checks that passed.

    Raises:
        ContractError: A check failed; the message says which and what to mend.
    """
    pristine = copy.deepcopy(env)

    def make() -> CollabEnv:
        return copy.deepcopy(pristine)

    passed = []
    for name, check in CHECKS.items():
        if name.startswith("gymnasium") and len(env.possible_agents) != 1:
            continue
        try:
            check(make, seed)
        except ContractError as error:
            raise ContractError(f"{env.env_id}: {name}: {error}") from error
        except Exception as error:
            raise ContractError(
                f"{env.env_id}: {name}: raised {type(error).__name__}: {error}"
            ) from error
        passed.append(name)
    return passed


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ContractError(message)


def _actions(env: CollabEnv, rng: np.random.Generator) -> dict[str, str]:
    """Random words for those who act, from a generator of the check's own."""
    words = ["what", "about", "an", "empty", "list", "rounding", "please", "limit", "order", "name"]
    return {
        agent: " ".join(rng.choice(words, size=6)) + "?"
        for agent, acts in env.ep.acts.items()
        if acts
    }


def _play(env: CollabEnv, seed: int, options: dict[str, Any] | None = None) -> Played:
    return [env.reset(seed=seed, options=options), *_finish(env, seed)]


def _finish(env: CollabEnv, seed: int) -> Iterator[Any]:
    """Step to the end; the actions depend on `seed` and the step alone."""
    while env.agents:
        yield env.step(_actions(env, np.random.default_rng([seed, env.ep.step])))


def _gymnasium(make: Make, seed: int) -> None:
    def view(render_mode: str | None = None, **_: Any) -> GymEnv:
        env = make()
        env.render_mode = render_mode
        return GymEnv(env)

    checked = view()
    checked.spec = EnvSpec("ContractCheck-v0", entry_point=view)
    with contextlib.redirect_stdout(io.StringIO()):
        gymnasium_check_env(checked)


def _pettingzoo(make: Make, seed: int) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        parallel_api_test(make(), num_cycles=50)
        parallel_seed_test(make, num_cycles=50)  # type: ignore[no-untyped-call]


def _seeded(make: Make, seed: int) -> None:
    _require(_play(make(), seed) == _play(make(), seed), "the same seed gave another episode")
    env = make()
    ids = {(env.reset(seed=s), env.task.id)[1] for s in range(seed, seed + 32)}
    _require(len(ids) > 1, "32 different seeds all picked the same task")


def _snapshots(make: Make, seed: int) -> None:
    env = make()
    env.reset(seed=seed)
    while env.agents:
        snapshot = json.loads(json.dumps(env.snapshot()))
        here, other = copy.deepcopy(env), make()
        rest = list(_finish(here, seed))
        restored = other.restore(snapshot)
        _require(
            restored == (env._observe_all(), env._infos()),
            f"restore at step {env.ep.step} shows other observations or infos",
        )
        _require(
            list(_finish(other, seed)) == rest,
            f"after restore at step {env.ep.step} the same actions gave another episode",
        )
        _require(here.state() == other.state(), "after restore the final states differ")
        _require(
            here.reset() == other.reset(),
            "after restore, the next episode without a seed is another one",
        )
        env.step(_actions(env, np.random.default_rng([seed, env.ep.step])))


def _spaces(make: Make, seed: int) -> None:
    for mode in ("delta", "transcript"):
        env = make()
        env.observation = mode
        for result in _play(env, seed):
            for agent, observation in result[0].items():
                _require(
                    env.observation_space(agent).contains(observation),
                    f"an observation of {agent} is not in its space",
                )


def _plain(make: Make, seed: int) -> None:
    env = make()
    played = _play(env, seed)
    for result in played[1:]:
        _, rewards, terminated, truncated, infos = result
        for values, kind in ((rewards, float), (terminated, bool), (truncated, bool)):
            _require(
                all(type(v) is kind for v in values.values()),
                f"rewards must be float and flags bool, got {values}",
            )
            _require(set(values) == set(env.possible_agents), f"an agent is missing in {values}")
        _require(len(set(terminated.values())) == 1, "agents end at different steps")
        _require(len(set(truncated.values())) == 1, "agents end at different steps")
        _require(all(type(i["acts"]) is bool for i in infos.values()), "info['acts'] is no bool")
    last = played[-1]
    for agent in env.possible_agents:
        _require("score" in last[-1][agent], "the last step's info holds no score")
        _require(0.0 <= last[-1][agent]["score"].value <= 1.0, "a score lies outside [0, 1]")
    kept = copy.deepcopy(played)
    objects = [d for result in played for d in result] + [
        info for result in played for info in result[-1].values()
    ]
    _require(len({id(d) for d in objects}) == len(objects), "dicts are reused between calls")
    env.reset(seed=seed + 1)
    _require(played == kept, "what was returned earlier changed later")
    list(_finish(env, seed))
    with contextlib.suppress(ResetNeededError):
        env.step({})
        raise ContractError("step() after the last step must raise ResetNeededError")


def _hidden(make: Make, seed: int) -> None:
    env = make()
    env.reset(seed=seed)
    places = ["hidden", *env.task.private]
    tokens = {place: f"canary_{i}_{seed}_zqx" for i, place in enumerate(places)}
    planted = env._plant(env.task, tokens)
    for mode in ("delta", "transcript"):
        env.observation = mode
        for result in _play(env, seed, {"task": planted}):
            said = " ".join(m.text for m in env.ep.log if m.agent.startswith("human_"))
            for agent in env.possible_agents:
                shown = json.dumps(
                    [
                        result[0][agent],
                        repr(result[-1][agent]),
                        env.system_prompt(agent),
                        env.messages(agent),
                    ]
                )
                for place, token in tokens.items():
                    if place != agent and token not in said:
                        _require(token not in shown, f"{agent} was shown what is {place}'s")
    state = env.state()
    for place, token in tokens.items():
        _require(token in state, f"state() does not hold what is {place}'s")
    information = env.training_information()
    _require(tokens["hidden"] not in information, "training_information() holds the tests")
    _require(env.training_information() == information, "training_information() changes")
    if "human_0" in planted.private:
        _require(Task.from_dict(planted.to_dict()) == planted, "the task does not survive JSON")


def _hostile(make: Make, seed: int) -> None:
    for name, text in HOSTILE.items():
        env = make()
        env.reset(seed=seed)
        while env.agents:
            observations = env.step({agent: text for agent, acts in env.ep.acts.items() if acts})[0]
            for agent, observation in observations.items():
                _require(
                    env.observation_space(agent).contains(observation),
                    f"after the {name} action an observation of {agent} is not in its space",
                )
        json.dumps(env.snapshot(), ensure_ascii=False).encode()
    for wrong in (None, 3, b"x", ["x"]):
        env = make()
        env.reset(seed=seed)
        before = env.snapshot()
        try:
            env.step(dict.fromkeys(env.agents, wrong))  # type: ignore[arg-type]
        except TypeError:
            _require(env.snapshot() == before, "a refused action changed the episode")
        else:
            raise ContractError(f"the action {wrong!r} must raise TypeError")


def _copies(make: Make, seed: int) -> None:
    env = make()
    env.reset(seed=seed)
    env.step(_actions(env, np.random.default_rng(seed)))
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    rest = list(_finish(env, seed))
    for twin in twins:
        _require(list(_finish(twin, seed)) == rest, "a copied or pickled episode goes on otherwise")


def _alone(make: Make, seed: int) -> None:
    alone = _play(make(), seed)
    one, two = make(), make()
    random_state, numpy_state = random.getstate(), np.random.get_state()
    try:
        random.seed(1)
        np.random.seed(1)
        poisoned = random.getstate(), repr(np.random.get_state())
        mixed: Played = [one.reset(seed=seed)]
        two.reset(seed=seed + 1)
        while one.agents:
            mixed.append(one.step(_actions(one, np.random.default_rng([seed, one.ep.step]))))
            if two.agents:
                two.step(_actions(two, np.random.default_rng([7, two.ep.step])))
        _require(
            poisoned == (random.getstate(), repr(np.random.get_state())),
            "the global generators of random or numpy.random were used",
        )
    finally:
        random.setstate(random_state)
        np.random.set_state(numpy_state)
    _require(mixed == alone, "another environment in the process changes the episode")


CHECKS: dict[str, Callable[[Make, int], None]] = {
    "gymnasium's check_env": _gymnasium,
    "pettingzoo's parallel_api_test and parallel_seed_test": _pettingzoo,
    "same seed, same episode; other seeds, other tasks": _seeded,
    "snapshot and restore at every step": _snapshots,
    "observations lie in their spaces": _spaces,
    "fresh dicts, plain flags, one ending": _plain,
    "hidden information stays hidden": _hidden,
    "hostile and wrong actions": _hostile,
    "copies and pickles": _copies,
    "environments share no randomness": _alone,
}
