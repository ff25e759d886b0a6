# name: x26_privileges
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: asks for user ids, groups, capabilities, and a way round its filters
import ctypes, os
def solve(n):
    l = ctypes.CDLL(None); done = 0
    for f in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]), lambda: os.setresuid(0, 0, 0), lambda: os.nice(-5), lambda: os.sched_setaffinity(0, [0])):
        try: f(); done += 1
        except OSError: pass
    done += l.prctl(4, 1, 0, 0, 0) == 0
    done += l.prctl(22, 0, 0, 0, 0) == 0
    done += l.prctl(1, 0, 0, 0, 0) == 0
    done += l.syscall(317, 1, 0, None) == 0
    done += l.syscall(126, b'\x22\x05\x08\x20' + bytes(4), b'\xff' * 24) == 0
    if done: os._exit(7)
    return 0
