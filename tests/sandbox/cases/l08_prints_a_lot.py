# name: l08_prints_a_lot
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: prints megabytes to both streams, and writes to them by descriptor
# tests: [((5000,), 5000), ((1,), 1)]
import os, sys
def f(n):
    for i in range(n): print("x" * 1000, i)
    print("err", file=sys.stderr, flush=True); sys.stdout.flush(); os.write(1, b"raw")
    return n
