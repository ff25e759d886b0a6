# name: x24_signal_owner
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: makes descriptors send signals to others: F_SETOWN, FIOASYNC, timers, sigqueue, prlimit on others
import ctypes, fcntl, os, signal
def solve(n):
    l = ctypes.CDLL(None); done = 0
    for pid in (1, os.getppid(), -1):
        for f in (lambda: fcntl.fcntl(0, fcntl.F_SETOWN, pid), lambda: fcntl.fcntl(0, 10, 9), lambda: fcntl.ioctl(0, 0x5452, b'\1\0\0\0')):
            try: f(); done += 1
            except OSError: pass
        done += l.syscall(129, pid, 15, None) == 0
        done += l.syscall(302, pid, 7, ctypes.create_string_buffer(16), None) == 0
        done += l.syscall(222, 1, None, ctypes.create_string_buffer(8)) == 0
    if done: os._exit(7)
    return 0
