# name: l10_logging_warnings
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: logging and warnings
# tests: [((1,), (1, True))]
import logging, warnings
log = logging.getLogger(__name__); logging.basicConfig(level=logging.DEBUG)
def f(x):
    log.warning("value %s", x); warnings.warn("careful", DeprecationWarning)
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always"); warnings.warn("seen")
    return len(w), log.name == __name__
