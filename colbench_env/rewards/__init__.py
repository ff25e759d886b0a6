"""Rewards: from a `Submission` to a `Score`."""

from colbench_env.rewards.unit_tests import UnitTests, unit_tests

__all__ = ["UnitTests", "unit_tests"]
