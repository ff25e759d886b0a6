# name: l19_arguments_fresh
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: arguments are fresh for every call, whatever the last one did to them
# tests: [(([1, 2],), 3), (([1, 2],), 3)]
def f(xs, seen=None):
    xs.append(len(xs)); xs[0] = "changed"
    return len(xs)
