# name: l18_many_imports
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: modules that are not loaded beforehand
# tests: [((0,), [1]), ((1,), (0, 1, 1)), ((2,), 1.0), ((3,), "::1"), ((4,), ["a", "b c"]), ((5,), b"\x01\x00\x00\x00"), ((6,), {"a": 1}), ((7,), "b"), ((8,), 32)]
import ast, colorsys, configparser, difflib, fnmatch, graphlib, ipaddress, pprint, queue, sched, secrets, shlex, struct, tomllib, uuid, xml.etree.ElementTree as ET, zoneinfo
def f(k): return [ast.literal_eval("[1]"), colorsys.rgb_to_hsv(1, 0, 0), difflib.SequenceMatcher(None, "ab", "ab").ratio(), str(ipaddress.ip_address("::1")), shlex.split("a 'b c'"), struct.pack("<I", 1), tomllib.loads("a=1"), ET.fromstring("<a><b/></a>")[0].tag, len(uuid.uuid4().hex)][k]
