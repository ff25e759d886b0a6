import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colbench_env.records import Dialogue, Episode, Leak, Message, Reply, Score, Task, Turn

texts = st.text(max_size=10)
messages = st.builds(Message, texts, texts, texts, st.tuples(texts))
scores = st.builds(Score, st.floats(0, 1), st.dictionaries(texts, st.floats(0, 1)))
turns = st.builds(
    Turn,
    texts,
    st.integers(0, 9),
    texts,
    texts,
    st.floats(0, 1),
    st.none() | st.lists(st.integers(), max_size=3).map(tuple),
)
episodes = st.builds(
    Episode,
    texts,
    texts,
    st.integers(),
    st.lists(turns, max_size=3).map(tuple),
    st.lists(messages, max_size=3).map(tuple),
    st.none() | scores,
    st.dictionaries(texts, st.floats(0, 1)),
)


@given(episodes)
def test_episodes_survive_json(episode):
    assert Episode.from_dict(json.loads(json.dumps(episode.to_dict()))) == episode


def test_nested_records_come_back_as_records():
    dialogue = Dialogue(Task("a", "b", {"human_0": {"x": [1]}}), (Message("human_0", "hi"),), 3)
    back = Dialogue.from_dict(json.loads(json.dumps(dialogue.to_dict())))
    assert back == dialogue
    assert isinstance(back.messages[0], Message)
    reply = Reply("yes", ("a",), Leak(3, 0.5))
    assert Reply.from_dict(reply.to_dict()) == reply


def test_to_dict_shares_nothing():
    task = Task("a", "b", {"human_0": {"facts": [1]}})
    task.to_dict()["private"]["human_0"]["facts"].append(2)
    assert task.private["human_0"]["facts"] == [1]


def test_unknown_fields_are_named():
    with pytest.raises(TypeError, match="Task has no field 'colour'"):
        Task.from_dict({"id": "a", "brief": "b", "colour": "red"})
    with pytest.raises(TypeError, match="brief"):
        Task.from_dict({"id": "a"})
