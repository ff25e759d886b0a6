"""Word lists of the ranking: words that carry nothing, words that mean the same, and cues."""

from __future__ import annotations

_STOP = """
a an and the this that these those it its is are was were be been being am do does did done
doing have has had having can could would should shall will may might must i you your yours me
my mine we us our they them their he she his her or if then than so too very just also
of to in on at by for from with about into over as up out off per each every any some such same
what which who whom whose when where why how there here s t d m ll re ve don doesn didn won isn
aren wasn hasn couldn wouldn shouldn not no yes never only both either still already yet even
please want wants wanted need needs like know knows tell let think sure okay ok really actually
maybe perhaps assume suppose wonder wondering guess mean means meant say says said ask call
help question questions function functions python code write writing program implement
e g eg ie etc user users given give gives get gets got make makes made use used using uses take
takes taken go goes come comes put set see look looks happen happens happened
return returned returns returning result results output outputs expect expected
between something someone anything become becomes matter matters two three four five six seven
eight nine ten well ever usually normally rather instead mind exists mention mentioned apply plain
specific specifically particular case cases handle handled handling consider considered regard
regarded treat treated involve involved decide decides decided determine determined prefer
right correct okay thing things way ways kind input inputs provide provided contain contains
clarify confirm understand example examples instance should be able possible
"""
STOP_WORDS = frozenset(_STOP.split())
_GENERIC = "return returns returned returning result results output outputs"
GENERIC = frozenset(_GENERIC.split())
"""Stop words that count in a question without any other word."""

SYNONYMS = (
    "empty blank missing none nothing null absent",
    "limit threshold cutoff boundary bound border cap",
    "above greater over higher exceed exceeds exceeded large larger big bigger more",
    "below less under lower fewer smaller",
    "round rounded rounding decimals",
    "order sort sorted ordering ordered ranked rank arrange ranking",
    "tie ties tied draw equal",
    "error exception raise invalid",
    "unknown unrecognised unrecognized invalid",
    "percent percentage percentages",
    "rate factor weight weights multiplier coefficient weighting",
    "capital capitals uppercase lowercase capitalised letters",
    "message text string wording sentence label",
    "list array sequence lists",
    "dictionary dict mapping object",
    "tuple pair triple",
    "price cost fee charge costs prices",
    "separator delimiter comma joined join separated",
    "duplicate duplicates repeated unique distinct",
    "minimum min least lowest smallest fewest",
    "maximum max most highest largest greatest",
    "category categories group class level",
    "average mean avg",
    "total sum overall combined",
    "number num count amount quantity many",
    "zero 0",
    "one 1 single",
    "two 2 both half",
    "boolean true false bool",
    "times multiply multiplied product",
    "divided divide ratio quotient per",
    "minus subtract difference deduct",
    "plus add added adding addition",
    "first start beginning",
    "last end final",
    "word words",
    "blank blanks space spaces whitespace",
    "strip stripped trim trimmed without removed remove",
    "leading trailing ends",
    "item items element elements entry entries member members",
    "temperature point degrees",
    "discount reduction off",
    "reach reached meet met least",
    "year years age old older younger",
    "inch inches in",
    "cm centimetre centimetres centimeter centimeters",
    "kg kilogram kilograms",
    "km kilometre kilometres kilometer kilometers",
)
"""Groups of words that stand for each other, at a lower weight."""

CUES = {
    "case": "when condition conditions criteria criterion rule rules classify classified status "
    "depend depends scenario apply applies category",
    "otherwise": "otherwise else other others neither none default fallback unknown unrecognised "
    "unrecognized remaining match fit fits success successful success baseline normally",
    "formula": "formula calculate calculated calculation compute computed computation equation "
    "combine combined work worked works derive define defined convert converted measure measured "
    "contribute weighted",
    "accumulate": "count counts counted add adds added sum total contribute increase increases "
    "raised points when",
    "lookup": "value values mapping table list weight weights predefined belong belongs linked "
    "many much which data",
    "members": "list belong belongs allowed valid known words required which predefined options",
    "empty": "empty without zero none nothing missing blank null",
    "error": "error exception raise raised invalid fail fails wrong bad negative exist exists "
    "unrecognised unrecognized recognised recognized unknown unsupported",
    "limit": "limit threshold thresholds cutoff cut boundary exactly equal equals inclusive "
    "exclusive strictly minimum maximum least above below enough range included until beyond",
    "constant": "constant weight weights value values rate factor base much many cost costs",
    "rounding": "round rounded rounding decimal decimals precision digits places integer whole",
    "order": "order sort sorted ordering ascending descending rank ranking tie ties equally first",
    "default": "default missing absent lacks fallback found",
    "letters": "sensitive insensitive uppercase lowercase capital capitals capitalised letters "
    "capitalized",
    "separator": "separator delimiter comma join joined split space newline together pieces",
    "returns": "order format shape structure keys key dictionary fields tuple counts both",
    "shape": "format type boolean structure float integer dictionary tuple",
    "text": "text message wording string sentence format look exact",
    "filter": "filter include included exclude excluded count counts skip ignore keep criteria "
    "select listed match matches recognise belong belongs condition",
    "units": "unit units percent percentage fraction ratio scale hours minutes",
    "duplicates": "duplicate duplicates repeated unique distinct twice",
}
"""Words in a question that tell which kind of fact it is about."""

_NARROW = "letters order separator rounding duplicates units shape empty limit default"
NARROW = frozenset(_NARROW.split())
"""Kinds of derived facts that answer hardly any question but for their kind."""

NEGATIONS = frozenset(
    (
        "not",
        "no",
        "never",
        "isn",
        "doesn",
        "don",
        "aren",
        "hasn",
        "won",
        "cannot",
        "fails",
        "without",
        "disabled",
        "neither",
        "nor",
    )
)
"""Words that make a question ask for the opposite."""

PHRASES = {
    "what if": "otherwise error empty default",
    "what happens": "otherwise error empty case limit",
    "how many": "constant lookup limit accumulate",
    "how much": "constant lookup accumulate",
    "how is": "formula accumulate",
    "how are": "formula accumulate",
    "how do": "formula case",
    "how does": "formula accumulate",
    "how should": "formula",
    "how would": "formula",
    "how exactly": "formula",
    "which value": "constant lookup",
    "up to": "limit",
    "at exactly": "limit",
    "upper case": "letters",
    "lower case": "letters",
    "case sensitive": "letters",
    "per cent": "units",
    "in what": "shape returns units",
    "in which": "shape returns units",
    "none of": "otherwise",
    "are no": "empty otherwise default",
    "is no": "empty otherwise default",
    "a list": "shape",
    "a string": "shape",
    "a text": "shape",
    "a number": "shape",
    "one number": "shape",
    "not in": "default otherwise error",
    "t in": "default otherwise error",
    "t known": "otherwise error",
    "not known": "otherwise error",
    "t match": "otherwise",
    "t recognised": "otherwise error",
    "t recognized": "otherwise error",
    "equally good": "order",
    "more than": "limit",
    "less than": "limit",
    "there is": "empty",
    "there are": "empty",
    "is there": "limit",
}
"""Pairs of words in a question that hint, more weakly, at kinds of facts."""

_NUMERIC = """
    rate rates weight weights much many threshold thresholds percentage value values cost costs
    price prices factor limit minimum maximum least constant discount points score level
"""
NUMERIC = frozenset(_NUMERIC.split())
"""Words of a question that wants a number."""

PERSONAL = (
    "are you",
    "have you",
    "you like",
    "you own",
    "you believe",
    "you live",
    "you play",
    "you enjoy",
    "you ever",
    "you vote",
    "your favourite",
    "your favorite",
)
"""Pairs of words that make a question one about the person, not about the task."""

TECHNICAL = """
type hint docstring comment test unittest pytest log logging logger database sql table chart plot
matplotlib graph pandas numpy api rest json csv xml file thread async parallel performance speed
complexity memory cache class object library module package version docker deploy server cli gui
website interface button email pdf excel git license
"""
"""What a person who is no programmer has no opinion on, unless a fact or the brief speaks of it."""
