# name: x41_sleep
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: timeout
# max-wall: 8
# why: sleeps for ever without using the processor
import time
def solve(n): time.sleep(10**6)
