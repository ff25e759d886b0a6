# name: x37_deep_recursion
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: exception|crash|timeout
# max-wall: 10
# why: unbounded recursion with the limit raised
import sys
sys.setrecursionlimit(2**31 - 1)
def solve(n): return solve(n) + 1
