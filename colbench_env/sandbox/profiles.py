"""Import profiles: which modules untrusted code finds, and how it finds them.

`"default"` may read the standard library (and nothing else) from disk. `"closed"` opens no file at
all: it has the modules loaded beforehand and no others. What is loaded beforehand follows from the
code's import statements: a few common modules, or much of the standard library, or numpy and
Beautiful Soup (when installed) as well.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_COMMON = """
    bisect collections copy ctypes functools heapq itertools json math operator random re socket
    string typing zlib
"""
_LIBRARY = """
    abc argparse array ast asyncio atexit base64 binascii builtins _bz2 bz2 calendar cmath cmd
    code codecs collections.abc colorsys compileall concurrent.futures
    concurrent.futures.process concurrent.futures.thread configparser contextlib contextvars csv
    dataclasses datetime dbm decimal difflib dis doctest _elementtree email.message
    email.mime.text email.parser email.utils encodings.ascii encodings.cp1252
    encodings.hex_codec encodings.idna encodings.latin_1 encodings.punycode
    encodings.raw_unicode_escape encodings.rot_13 encodings.unicode_escape encodings.utf_16
    encodings.utf_16_be encodings.utf_16_le encodings.utf_32 encodings.utf_7 encodings.utf_8_sig
    enum errno faulthandler fcntl filecmp fileinput fnmatch fractions gc getopt getpass gettext
    glob graphlib grp gzip hashlib hmac html html.entities html.parser http http.client
    http.cookies imaplib importlib importlib.metadata importlib.resources inspect io ipaddress
    keyword linecache locale logging logging.handlers _lzma lzma marshal mimetypes mmap
    multiprocessing multiprocessing.pool multiprocessing.shared_memory ntpath numbers opcode
    optparse os pathlib pickle pickletools pkgutil platform plistlib posixpath pprint profile
    pstats pwd py_compile pyclbr pyexpat queue quopri reprlib resource rlcompleter runpy sched
    secrets select selectors shelve shlex shutil signal site smtplib socket socketserver
    _sqlite3 sqlite3 stat statistics stringprep _strptime struct subprocess symtable sys
    sysconfig tarfile tempfile textwrap threading time timeit token tokenize tomllib trace
    traceback tracemalloc tty types unicodedata unittest unittest.mock urllib.error urllib.parse
    urllib.request _uuid uuid warnings wave weakref wsgiref xml.dom.minidom
    xml.etree.ElementTree xml.sax zipapp zipfile zlib zoneinfo
"""
_SCIENTIFIC = "numpy numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random bs4"
_PACKAGES = ("numpy", "bs4", "soupsieve", "typing_extensions")
_NEEDS_PACKAGES = re.compile(r"\b(numpy|bs4)\b")
_IMPORTS = re.compile(r"\b(?:import|from)\s+([^\n;]+)|(__import__|import_module)")
_CHEAP = {
    *_COMMON.split(),
    *sys.builtin_module_names,
    *["abc", "codecs", "enum", "io", "os", "stat", "types", "warnings"],
}
_ON_DEMAND = {name.partition(".")[0] for name in _LIBRARY.split()} - _CHEAP
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
def profile(name: str, kind: str) -> Profile:
    """Prepare a profile for this installation of Python.

    Args:
        name: One of `NAMES`.
        kind: What `kind_of` said.
    """
    places = _package_places() if kind == "packages" else {}
    library = tuple(_LIBRARY.split())
    preload = _COMMON.split()
    if name == "closed" or kind != "common":
        preload += library
    if kind == "packages":
        preload += _SCIENTIFIC.split()
    return Profile(
        preload=tuple(preload),
        fallback=library,
        readable=(*_standard_library(), *(p for found in places.values() for p in found), _ZONES),
        search=tuple(dict.fromkeys(str(Path(found[0]).parent) for found in places.values())),
        files=name == "default",
    )


def kind_of(*sources: str) -> str:
    """How much to load for code: the fewer modules, the faster the fork.

    A guess from the import statements. Where it is wrong, modules are read from disk on import.

    Returns:
        "common", "library" (much of the standard library) or "packages" (numpy, Beautiful Soup).
    """
    if any(_NEEDS_PACKAGES.search(text) for text in sources):
        return "packages"
    for text in sources:
        for names, dynamic in _IMPORTS.findall(text):
            if dynamic or not _ON_DEMAND.isdisjoint(re.findall(r"\w+", names)):
                return "library"
    return "common"


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
