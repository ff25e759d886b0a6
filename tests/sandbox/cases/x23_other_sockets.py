# name: x23_other_sockets
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: netlink, packet, vsock, bluetooth, alg and raw sockets
import socket, os
def solve(n):
    for family in range(0, 46):
        for kind in (1, 2, 3, 5):
            try: s = socket.socket(family, kind)
            except OSError: continue
            os._exit(7)
    return 0
