"""Word lists of the ranking: words that carry nothing, and words that mean the same."""

from __future__ import annotations

_STOP = """
a an and the this that these those it its is are was were be been being am do does did done
doing have has had having can could would should shall will may might must i you your yours me
my mine we us our they them their he she his her or if then else than so too very just also
of to in on at by for from with about into over as up out off
what which who whom whose when where why how there here any some such same other another
please want need like know tell let think sure okay ok really actually maybe perhaps
help question questions function functions python code write writing program
e g eg ie etc not no yes ll re ve s t d m don doesn didn won isn aren
user users given give get gets got make makes use used using take takes
"""
STOP_WORDS = frozenset(_STOP.split())

SYNONYMS = (
    "empty blank missing none nothing null absent",
    "limit threshold cutoff boundary cut-off bound border",
    "inclusive exclusive strictly exactly equal exact strict",
    "more above greater over higher exceed exceeds larger bigger",
    "less below under lower fewer smaller",
    "round rounded rounding decimal decimals precision digits places",
    "order sort sorted ordering ordered ranked rank arrange",
    "tie ties tied draw equal",
    "error exception raise invalid fail failure wrong handle illegal",
    "default fallback missing absent unknown",
    "unit units measured scale",
    "percent percentage percentages",
    "formula calculate calculated calculation compute computed computation work equation",
    "result output return returned returns outcome",
    "format shape structure type form",
    "rate factor weight weights multiplier coefficient weighting",
    "case capital capitals uppercase lowercase sensitive upper letters",
    "message text string wording sentence label",
    "list array sequence",
    "dictionary dict mapping object table",
    "price cost fee charge",
    "separator delimiter comma joined join separated",
    "duplicate duplicates repeated unique distinct",
    "minimum min least lowest smallest",
    "maximum max most highest largest",
    "category categories group class level",
    "criteria conditions condition rule rules requirement requirements",
    "average mean",
    "total sum overall",
    "zero 0",
    "found match exist exists",
)

KIND_TOPICS = {
    "case": "case condition criteria rule decide determine category scenario when if happen",
    "otherwise": "otherwise else other remaining neither none default fallback not match unknown",
    "formula": "formula calculate compute work equation exactly combine derive",
    "accumulate": "add count sum total accumulate increase calculate",
    "lookup": "value values table mapping list specific predefined what which assign data",
    "members": "list values allowed valid which specific predefined options accepted names",
    "empty": "empty missing none blank zero nothing edge no handle input",
    "error": "error exception raise invalid fail handle wrong bad edge",
    "limit": "limit threshold cutoff boundary exactly equal inclusive exclusive strictly range",
    "constant": "value number rate factor constant base default weight amount",
    "rounding": "round rounded decimal decimals precision digits places integer whole exact",
    "order": "order sort sorted ordering ascending descending rank first tie",
    "default": "default missing absent not found unknown fallback present",
    "letters": "case sensitive insensitive uppercase lowercase capital letters",
    "separator": "separator delimiter comma join format split space between",
    "returns": "return output result format shape structure type dictionary list form keys",
    "shape": "return output result format type structure form data",
    "text": "text message wording string exactly format output say sentence",
    "filter": "filter include exclude count only skip ignore which keep criteria select",
    "units": "unit units measured percent percentage decimal fraction hours minutes scale convert",
    "position": "position index first last slice range start end",
    "duplicates": "duplicate duplicates repeated unique distinct twice",
}
"""Words that a question about a kind of fact is likely to use."""
