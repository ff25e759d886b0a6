import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Dict, Text, Tuple, flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import (
    batch_differing_spaces,
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
)
from hypothesis import given
from hypothesis import strategies as st

from colbench_env.spaces import Utterance


def test_contains_is_type_length_and_utf8():
    space = Utterance(5)
    assert space.contains("")
    assert space.contains("a b\n☃")
    assert not space.contains("abcdef")
    assert not space.contains("a\ud800")
    assert not space.contains(b"a")
    assert not space.contains(np.str_("abcdef"))
    assert "abc" in space


@given(st.text(st.characters(exclude_categories=[]), max_size=40))
def test_fit_makes_a_member_of_any_string(text):
    space = Utterance(20)
    fitted, clipped = space.fit(text)
    assert space.contains(fitted)
    assert clipped == (len(text) > 20)
    if space.contains(text):
        assert fitted == text


def test_fit_replaces_lone_surrogates_only():
    assert Utterance(10).fit("a\ud800é?\udc00") == ("a\ufffdé?\ufffd", False)


@given(st.text(max_size=30))
def test_flatten_and_back(text):
    space = Utterance(30)
    flat = flatten(space, text)
    assert flat.shape == (30,)
    assert flat.dtype == np.int32
    assert flatten_space(space).contains(flat)
    assert unflatten(space, flat) == text
    assert flatdim(space) == 30


def test_sample_is_short_readable_and_the_spaces_own():
    one, two = Utterance(50, seed=3), Utterance(50, seed=3)
    samples = [one.sample() for _ in range(20)]
    assert samples == [two.sample() for _ in range(20)]
    assert len(set(samples)) > 1
    assert all(one.contains(s) for s in samples)
    assert all(Utterance(3, seed=i).sample() in Utterance(3) for i in range(5))
    with pytest.raises(ValueError, match="no character set"):
        one.sample(mask=(3, None))


def test_it_is_a_text_without_a_character_set():
    space = Utterance(1_000_000)
    assert isinstance(space, Text)
    assert len(pickle.dumps(space)) < 2_000
    assert repr(space) == "Utterance(1000000)"
    assert space == Utterance(1_000_000) != Utterance(3)
    assert space != Text(1_000_000)
    for twin in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        assert twin == space
        assert twin.contains("☃")


@pytest.mark.parametrize("wrong", [-1, 2.5, "7", True])
def test_wrong_length_is_refused(wrong):
    with pytest.raises((TypeError, ValueError), match="max_length"):
        Utterance(wrong)


def test_shared_memory_is_refused_and_the_fix_named():
    with pytest.raises(CustomSpaceError, match="shared_memory=False"):
        create_shared_memory(Utterance(5), n=2)


def test_vector_utilities():
    space = Utterance(5)
    batched = batch_space(space, 3)
    assert batched.contains(("a", "b", "c"))
    assert list(iterate(batched, ("ab", "cd", "ef"))) == ["ab", "cd", "ef"]
    out = create_empty_array(space, n=2)
    assert concatenate(space, ("a", "b"), out) == ("a", "b")
    differing = batch_differing_spaces([Utterance(2), Utterance(3)])
    assert isinstance(differing, Tuple)
    assert differing.contains(("ab", "abc"))
    assert flatten_space(Dict({"a": space, "b": space})).shape == (10,)


def test_gymnasium_vector_environments_pass_text_through():
    class Echo(gym.Env):
        observation_space, action_space = Utterance(20), Utterance(20)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            return "début ☃", {}

        def step(self, action):
            return action + "!", 0.0, False, False, {}

    for envs in (
        gym.vector.SyncVectorEnv([Echo, Echo]),
        gym.vector.AsyncVectorEnv([Echo, Echo], shared_memory=False),
    ):
        assert envs.reset()[0] == ("début ☃", "début ☃")
        assert envs.step(("a", "é"))[0] == ("a!", "é!")
        envs.close()
