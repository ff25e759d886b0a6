# name: x33_hard_exit_on_import
# class: malformed
# entry: solve
# expect-score: 0.0
# expect-verdict: boot_error|crash
# max-wall: 8
# why: ends the process while being imported
import os
os._exit(0)
def solve(n): return 0
