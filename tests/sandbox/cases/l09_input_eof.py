# name: l09_input_eof
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: input() answers end of file, which the code handles
# tests: [((3,), 3)]
def f(d):
    try: return input("? ")
    except EOFError: return d
