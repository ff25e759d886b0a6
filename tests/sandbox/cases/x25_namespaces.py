# name: x25_namespaces
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: enters, makes and mounts namespaces; chroots; changes host name and root
import ctypes, os
def solve(n):
    l = ctypes.CDLL(None); done = 0
    for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x4000000, 0x8000000, 0x2000000): done += l.unshare(flag) == 0
    done += l.mount(b'none', b'/', b'tmpfs', 0, None) == 0
    done += l.mount(b'/', b'/', None, 4096, None) == 0
    done += l.umount2(b'/', 2) == 0
    done += l.sethostname(b'x', 1) == 0
    done += l.chroot(b'/') == 0
    done += l.syscall(155, b'/', b'/') == 0
    done += l.syscall(428, 0, b'/', 0) >= 0
    done += l.syscall(442, 0, b'/', 0, None, 0) == 0
    if done: os._exit(7)
    return 0
