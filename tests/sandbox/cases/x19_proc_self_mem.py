# name: x19_proc_self_mem
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: writes its own memory through /proc/self/mem, and opens other paths by descriptor
import os
def solve(n):
    got = 0
    for p in ('/proc/self/mem', '/proc/thread-self/mem', '/proc/1/mem', '/proc/self/root', '/proc/self/cwd', '/dev/mem', '/dev/kmsg', '/sys/kernel', '/proc/1/root/etc/passwd'):
        try: os.close(os.open(p, os.O_RDWR if p.endswith('mem') else os.O_RDONLY)); got += 1
        except OSError: pass
    for d in range(0, 8):
        try: os.close(os.open('etc/passwd', os.O_RDONLY, dir_fd=d)); got += 1
        except OSError: pass
    if got: os._exit(7)
    return 0
