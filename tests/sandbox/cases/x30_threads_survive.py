# name: x30_threads_survive
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|timeout|exception
# max-wall: 8
# why: leaves threads computing, and a non-daemon thread, when it returns
import threading
def burn():
    while True: pass
def solve(n):
    for d in (True, False):
        try: threading.Thread(target=burn, daemon=d).start()
        except RuntimeError: pass
    return 0
