# name: l11_asyncio
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: an event loop, tasks, gather and a thread pool
# tests: [((3,), [1, 3, 5]), ((0,), [])]
import asyncio
from concurrent.futures import ThreadPoolExecutor
async def one(x):
    await asyncio.sleep(0); return x * 2
async def main(n): return await asyncio.gather(*(one(i) for i in range(n)))
def f(n):
    with ThreadPoolExecutor(2) as p: doubled = list(p.map(lambda v: v + 1, asyncio.run(main(n))))
    return doubled
