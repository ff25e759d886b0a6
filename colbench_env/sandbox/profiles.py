"""Import profiles: which modules untrusted code finds, and how it finds them.

`"default"` may read the standard library (and nothing else) from disk, with the common modules
loaded beforehand. `"closed"` opens no file at all: it has the modules loaded beforehand and no
others. Code that names numpy or Beautiful Soup is given a zygote that has them loaded, when they
are installed, under either profile.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_COMMON = """
    bisect collections copy ctypes dataclasses datetime decimal enum fractions functools hashlib
    heapq itertools json math operator random re statistics string typing _strptime
    zlib _bz2 _lzma _sqlite3 _uuid _elementtree pyexpat
"""
_MORE = """
    abc argparse array ast asyncio atexit base64 binascii builtins bz2 calendar cmath cmd code
    codecs collections.abc colorsys compileall concurrent.futures concurrent.futures.process
    concurrent.futures.thread configparser contextlib contextvars csv dbm difflib dis doctest
    email.message email.mime.text email.parser email.utils encodings.ascii encodings.cp1252
    encodings.hex_codec encodings.idna encodings.latin_1 encodings.punycode
    encodings.raw_unicode_escape encodings.rot_13 encodings.unicode_escape encodings.utf_16
    encodings.utf_16_be encodings.utf_16_le encodings.utf_32 encodings.utf_7 encodings.utf_8_sig
    errno faulthandler fcntl filecmp fileinput fnmatch gc getopt getpass gettext glob graphlib
    grp gzip hmac html html.entities html.parser http http.client http.cookies imaplib importlib
    importlib.metadata importlib.resources inspect io ipaddress keyword linecache locale logging
    logging.handlers lzma marshal mimetypes mmap multiprocessing multiprocessing.pool
    multiprocessing.shared_memory ntpath numbers opcode optparse os pathlib pickle pickletools
    pkgutil platform plistlib posixpath pprint profile pstats pwd py_compile pyclbr queue quopri
    reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal
    site smtplib socket socketserver sqlite3 stat stringprep struct subprocess symtable sys
    sysconfig tarfile tempfile textwrap threading time timeit token tokenize tomllib trace
    traceback tracemalloc tty types unicodedata unittest unittest.mock urllib.error urllib.parse
    urllib.request uuid warnings wave weakref wsgiref xml.dom.minidom xml.etree.ElementTree
    xml.sax zipapp zipfile zlib zoneinfo
"""
_SCIENTIFIC = "numpy numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random bs4"
_PACKAGES = ("numpy", "bs4", "soupsieve", "typing_extensions")
_NEEDS_PACKAGES = re.compile(r"\b(numpy|bs4)\b")
_ZONES = "/usr/share/zoneinfo"
_NOT_STANDARD = {"site-packages", "dist-packages", "test", "idlelib", "ensurepip", "__pycache__"}
NAMES = ("default", "closed")


@dataclass(frozen=True, slots=True)
class Profile:
    """What one kind of zygote is prepared with.

    Attributes:
        preload: Modules to import before the lock-down, those that exist.
        fallback: Further modules to import where the host cannot make files readable safely.
        readable: Files and directories that the code may read.
        search: Directories to import the preloaded packages from.
        files: Whether files may be opened at all.
    """

    preload: tuple[str, ...]
    fallback: tuple[str, ...]
    readable: tuple[str, ...]
    search: tuple[str, ...]
    files: bool


@cache
def profile(name: str, packages: bool) -> Profile:
    """Prepare a profile for this installation of Python.

    Args:
        name: One of `NAMES`.
        packages: With numpy and Beautiful Soup.
    """
    places = _package_places() if packages else {}
    more = tuple(_MORE.split())
    return Profile(
        preload=(
            *_COMMON.split(),
            *(more if name == "closed" else ()),
            *(_SCIENTIFIC.split() if packages else ()),
        ),
        fallback=more,
        readable=(*_standard_library(), *(p for found in places.values() for p in found), _ZONES),
        search=tuple(dict.fromkeys(str(Path(found[0]).parent) for found in places.values())),
        files=name == "default",
    )


def needs_packages(*sources: str) -> bool:
    """Whether any of these texts names a package that is loaded on demand."""
    return any(_NEEDS_PACKAGES.search(text) for text in sources)


def _standard_library() -> list[str]:
    """Every entry of the standard library, without the folders where others install things."""
    root = Path(sysconfig.get_path("stdlib"))
    return [str(entry) for entry in sorted(root.iterdir()) if entry.name not in _NOT_STANDARD]


def _package_places() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in _PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        place = Path(spec.origin)
        place = place.parent if place.name == "__init__.py" else place
        libraries = place.with_name(f"{name}.libs")
        found[name] = [str(place), *([str(libraries)] if os.path.isdir(libraries) else [])]
    return found
