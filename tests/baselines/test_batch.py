"""Rows and batches: ids are kept, prompts that grow join into one row."""

import pytest
import torch

from colbench_env.baselines.batch import Row, TokenBatch, rows_from_turns, turn_row
from colbench_env.errors import ConfigError
from colbench_env.records import Turn


def turn(step, prompt, completion, logprobs=None):
    if logprobs is None:
        logprobs = tuple(-float(i) for i in completion)
    return Turn("a_0", step, "", "", 0.0, tuple(prompt), tuple(completion), logprobs)


def test_prompts_that_grow_are_one_row():
    rows = rows_from_turns([turn(0, [1, 2], [3, 4]), turn(1, [1, 2, 3, 4, 5], [6])])
    assert rows == [
        Row((1, 2, 3, 4, 5, 6), (-1, -1, 0, 0, -1, 1), (0.0, 0.0, -3.0, -4.0, 0.0, -6.0))
    ]
    assert rows[0].action_mask == (False, False, True, True, False, True)


def test_a_prompt_that_drops_tokens_begins_a_row():
    rows = rows_from_turns([turn(0, [1, 2], [3, 4]), turn(1, [1, 2, 4, 5], [6])])
    assert [row.input_ids for row in rows] == [(1, 2, 3, 4), (1, 2, 4, 5, 6)]
    assert rows[1].turn_ids == (-1, -1, -1, -1, 1)


def test_turns_without_tokens_are_left_out_and_keep_their_number():
    silent = Turn("a_0", 0, "", "words")
    rows = rows_from_turns([silent, turn(1, [1], []), turn(2, [1], [2])])
    assert [row.turn_ids for row in rows] == [(-1, 2)]


def test_batch_pads_on_the_right():
    batch = TokenBatch.from_rows([turn_row([1], [2, 3]), turn_row([4], [5])], pad_id=9)
    assert batch.input_ids.tolist() == [[1, 2, 3], [4, 5, 9]]
    assert batch.attention_mask.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert batch.action_mask.tolist() == [[False, True, True], [False, True, False]]
    assert len(batch) == 2


def test_more_context_shifts_nothing_but_positions():
    row = turn_row([1], [2, 3], [-0.5, -0.25], turn=4).after([7, 8])
    assert row == Row((7, 8, 1, 2, 3), (-1, -1, -1, 4, 4), (0.0, 0.0, 0.0, -0.5, -0.25))
    assert row.clipped(3) == Row((1, 2, 3), (-1, 4, 4), (0.0, -0.5, -0.25))


def test_unequal_shapes_are_refused():
    ids = torch.zeros(1, 2, dtype=torch.int64)
    with pytest.raises(ConfigError, match=r"\[B, T\]"):
        TokenBatch(ids, ids, torch.zeros(1, 3, dtype=torch.bool))
    with pytest.raises(ConfigError, match="equally long"):
        Row((1, 2), (0,), (0.0,))
