# name: l17_own_signals
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: alarms, handlers and signals to itself
# tests: [((1,), 3)]
import os, signal
def f(x):
    got = []
    signal.signal(signal.SIGUSR1, lambda s, _: got.append(s)); os.kill(os.getpid(), signal.SIGUSR1); signal.raise_signal(signal.SIGUSR1)
    return len(got) + x
