"""One learner on Gymnasium: ask three questions, hand in a guess, see the score.

Run it: python examples/gymnasium_loop.py
"""

import gymnasium as gym

import colbench_env  # registers the environments

QUESTIONS = ("Is there a limit?", "What should happen with empty input?", "How is it rounded?")


def main() -> None:
    env = gym.make("ColBench/Backend-v0", tasks="procedural")
    observation, info = env.reset(seed=0)
    print("person:   ", observation)
    for question in QUESTIONS:
        observation, reward, terminated, truncated, info = env.step(question)
        print("assistant:", question)
        print("person:   ", observation)
    guess = "I WANT TO ANSWER:\n```python\ndef guess(x):\n    return x\n```"
    observation, reward, terminated, truncated, info = env.step(guess)
    print("reward", reward, info["score"].components)
    assert terminated
    assert not truncated
    assert colbench_env.__version__


if __name__ == "__main__":
    main()
