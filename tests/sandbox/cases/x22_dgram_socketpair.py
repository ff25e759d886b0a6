# name: x22_dgram_socketpair
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: a datagram socket pair sends to other addresses; stream pairs connect elsewhere
import socket
def solve(n):
    for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
        try: a, b = socket.socketpair(socket.AF_UNIX, kind)
        except OSError: continue
        for f in (lambda: a.sendto(b'hello', '\0canary45671'), lambda: a.connect('\0canary45671'), lambda: a.sendmsg([b'x'], [], 0, '\0canary45671'), lambda: a.bind('\0mine')):
            try: f()
            except OSError: pass
    return 0
