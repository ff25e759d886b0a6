# name: l06_decimal_sqlite
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: Decimal, Fraction and an in-memory data base
# tests: [((0,), [(2, "y"), (1, "x")]), ((1,), __import__("decimal").Decimal("0.3")), ((2,), 0.5), ((3,), 1.5), ((4,), 2)]
import sqlite3
from decimal import Decimal, getcontext
from fractions import Fraction
def f(k):
    c = sqlite3.connect(":memory:"); c.execute("create table t(a, b)"); c.executemany("insert into t values (?, ?)", [(1, "x"), (2, "y")]); c.commit()
    return [c.execute("select a, b from t order by a desc").fetchall(), Decimal("0.1") + Decimal("0.2"), Fraction(1, 3) + Fraction(1, 6), Decimal("1.50"), Fraction(4, 2)][k]
