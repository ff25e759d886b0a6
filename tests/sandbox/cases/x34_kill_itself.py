# name: x34_kill_itself
# class: malformed
# entry: solve
# expect-score: 0.0
# expect-verdict: crash|timeout|exception
# max-wall: 8
# why: kills and stops itself
import os, signal
def solve(n):
    os.kill(os.getpid(), [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGABRT, signal.SIGSEGV][n % 5])
    return 0
