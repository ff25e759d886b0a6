# name: l07_dates
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: datetime, timedelta, calendar and time zones from a fixed offset
# tests: [((0,), __import__("datetime").datetime(2024, 2, 29, 10, 30, tzinfo=__import__("datetime").timezone.utc)), ((1,), __import__("datetime").date(2024, 2, 29)), ((2,), __import__("datetime").timedelta(1, 3)), ((3,), (2, 28)), ((4,), __import__("datetime").datetime(2024, 2, 29, 10, 30, tzinfo=__import__("datetime").timezone.utc)), ((5,), __import__("datetime").time(1, 2)), ((6,), __import__("datetime").datetime(9999, 12, 31, tzinfo=__import__("datetime").timezone(__import__("datetime").timedelta(hours=-12))))]
import calendar, datetime as dt
def f(k):
    d = dt.datetime(2024, 2, 29, 12, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    return [d, d.date(), dt.timedelta(days=1, seconds=3), calendar.monthrange(2023, 2), d.astimezone(dt.timezone.utc), dt.time(1, 2), dt.datetime(9999, 12, 31, tzinfo=dt.timezone(dt.timedelta(hours=-12)))][k]
