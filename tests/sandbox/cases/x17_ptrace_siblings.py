# name: x17_ptrace_siblings
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: ptrace, process_vm_readv, kcmp and pidfd_getfd on every process id it can guess
import ctypes, os
def solve(n):
    l = ctypes.CDLL(None)
    for pid in [1, 2, 3, 4, 5, os.getppid(), os.getpid() + 1, os.getpid() - 1]:
        if pid in (0, os.getpid()): continue
        for r in (l.ptrace(16, pid, None, None), l.ptrace(0x4206, pid, None, None), l.syscall(312, os.getpid(), pid, 0, 0, 0)):
            if r >= 0 : os._exit(7)
        fd = l.syscall(434, pid, 0)
        if fd >= 0: os._exit(7)
    return 0
