# name: x13_leak_by_message
# class: secret
# entry: solve
# expect-score: 0.0
# expect-verdict: exception
# max-wall: 8
# why: puts an argument into an exception's class name, hoping to read it in the verdict
def solve(n): raise type('ARGUMENT_%r' % (n,), (Exception,), {})('ARGUMENT_%r' % (n,))
