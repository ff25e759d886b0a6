# name: x40_compile_bomb
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: exception|crash|boot_error|timeout
# max-wall: 8
# why: source that explodes in the compiler
x = eval('(' * 90 + '1' + ')' * 90)
s = '-' * 200000 + '1'
def solve(n): return eval(s)
