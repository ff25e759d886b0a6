# name: x29_multiprocessing
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: processes by every road of the standard library
def solve(n):
    import multiprocessing, subprocess, os, concurrent.futures, pty, asyncio
    for f in (lambda: multiprocessing.Process(target=print).start(), lambda: concurrent.futures.ProcessPoolExecutor(1).submit(print).result(1), lambda: pty.fork(), lambda: os.forkpty(),
              lambda: asyncio.run(asyncio.create_subprocess_exec('true')), lambda: subprocess.check_output('id'), lambda: multiprocessing.Manager()):
        try: f()
        except BaseException: continue
    return 0
