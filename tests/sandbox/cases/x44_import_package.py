# name: x44_import_package
# class: secret
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: imports this package, the tests and the runner to look for a reference
import sys
def solve(n):
    for m in ('colbench_env', 'colbench_env.sandbox', 'tests', 'tests.sandbox.grader', 'grader', 'pytest', 'sandbox_zygote.exchange', 'sandbox_zygote.compare', 'sandbox_zygote.submission'):
        try: mod = __import__(m, fromlist=['x'])
        except BaseException: continue
        for v in vars(mod).values():
            if isinstance(v, (list, tuple)) and len(v) == 10: return v[n]
    return 0
