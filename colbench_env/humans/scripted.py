"""A person without a model: knows a list of facts, finds the one that a question is about.

Every reply is a pure function of the task, the dialogue and the seed, of at most two sentences and
400 characters. What was told before is read off the dialogue itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from colbench_env.errors import Fault
from colbench_env.humans.facts import Knowledge, knowledge, own_replies
from colbench_env.humans.leak import allowed, check_guard, guarded, measure
from colbench_env.humans.ranking import question as question_of
from colbench_env.records import Dialogue, Fact, Message, Reply

MAX_CHARACTERS = 400
DONT_KNOW = (
    "I don't know, I have not thought about that.",
    "No idea, that does not matter to me.",
    "I can't say, do what seems right to you there.",
)
_NO_CODE = "I can't give you code, that is what I need you for; ask me how it should behave."
_ENOUGH = "I have told you as much as I can put into words, so please go ahead with that."
_NOTHING_LEFT = "That is all I can think of, please go ahead."
_WELCOME = "Thanks, just ask me whatever you need to know."
MIN_EVIDENCE, MAX_FOREIGN = 0.5, 2.0

_CODE_REQUEST = re.compile(
    r"\b(your|the|hidden|reference|source|actual|full|exact)\s+(\w+\s+)?(code|implementation|source)\b"
    r".*\b(print|show|give|send|paste|repeat|translate|spell|share|reveal|line|token)"
    r"|\b(print|show|give|send|paste|repeat|translate|spell|share|reveal|dump|output|recite|encode)"
    r"\b.*\b(your|hidden|reference|source|actual|full)\s+(\w+\s+)?(code|implementation|solution|source)\b"
    r"|line by line|token by token|letter by letter|one token|next token|verbatim|base64|rot13"
    r"|system (message|prompt)|^system:|<\|?system|ignore (all|your|previous|the)",
    re.I | re.S | re.M,
)
_SMALL_TALK = re.compile(
    r"^\W*((hi|hello|hey|thanks?|thank you|great|good|nice|cool|perfect|sure|ok(ay)?|welcome|"
    r"how are you|morning|evening|afternoon|there|so much|a lot|very much|for (the|your) \w+|"
    r"i see|understood|got it|sounds good|to meet you|no problem|you|today|doing|happy to help|"
    r"i('m| am) (happy|glad) to help|with (this|that|it)|you with (this|that))[\s,.!?]*)+$",
    re.I,
)
_VAGUE = re.compile(
    r"\b(tell me (everything|more|all)|everything|anything (else|more)|something else|"
    r"(more|further|other|additional|any|specific|special|extra) (details?|information|info|"
    r"requirements?|constraints?|specifics?|considerations?|context|rules?)|"
    r"(can|could) you (clarify|elaborate|explain|describe|be more specific)|"
    r"what (else|do you (want|need))|elaborate|clarify|edge cases?)\b",
    re.I,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n+")
_SECOND_QUESTION = re.compile(
    r",? and (?=(?:what|which|how|should|where|when|who|do|does|is|are|can|for|in what)\b)", re.I
)


def questions_in(text: str) -> list[str]:
    """Return the questions that a message asks; a message without a question mark is one."""
    asked = [s for s in _SENTENCE_END.split(text) if "?" in s] or [text]
    return [part for sentence in asked for part in _SECOND_QUESTION.split(sentence)]


class ScriptedHuman:
    """Answers from a list of facts, without a model.

    Args:
        persona: Name of a persona.
        guard: What to do about a reply that leaks the reference (`leak.GUARDS`). The person's own
            bound (`leak.allowed`) holds in any case.

    Raises:
        ConfigError: Persona or guard is unknown.
    """

    version = "1"

    def __init__(self, *, persona: str = "plain", guard: str = "measure") -> None:
        self.persona = persona
        self.guard = check_guard(guard)
        self.name = "scripted" if persona == "plain" else f"scripted:{persona}"

    def reply(self, dialogues: Sequence[Dialogue]) -> list[Reply | Fault]:
        """Answer the last message of each dialogue.

        Raises:
            TaskError: A task holds no reference for the person.
        """
        return [self._answer(dialogue) for dialogue in dialogues]

    def _answer(self, dialogue: Dialogue) -> Reply:
        known = knowledge(dialogue.task)
        before = own_replies(dialogue)
        question = dialogue.messages[-1].text if dialogue.messages else ""
        told = known.told(before)
        for text, facts in self._candidates(known, dialogue.messages, question, told):
            text, leak = guarded(known.reference, before, text, self.guard)
            if allowed(leak):
                return Reply(text, facts, leak)
        return Reply(_ENOUGH, (), measure(known.reference, [*before, _ENOUGH]))

    def _candidates(
        self,
        known: Knowledge,
        messages: Sequence[Message],
        question: str,
        told: dict[int, int],
    ) -> list[tuple[str, tuple[str, ...]]]:
        """Return replies from the most to the least wanted; the first that leaks nothing is said."""
        if _CODE_REQUEST.search(question):
            return [(_NO_CODE, ())]
        if _SMALL_TALK.match(question):
            return [(_WELCOME, ())]
        found: list[int] = []
        for part in questions_in(question):
            match = self._best(known, part)
            if match is not None and match not in found:
                found.append(match)
        if found:
            replies = []
            if len(found) > 1:
                pair = [self._say(known.facts[i], told.get(i, 0)) for i in found[:2]]
                if len(" ".join(pair)) <= MAX_CHARACTERS:
                    ids = tuple(known.facts[i].id for i in found[:2])
                    replies.append((" ".join(pair), ids))
            for i in found:
                fact = known.facts[i]
                replies.append((self._say(fact, told.get(i, 0)), (fact.id,)))
            return replies
        if _VAGUE.search(question):
            left = [f for i, f in enumerate(known.facts) if i not in told]
            return [*((self._say(f, 0), (f.id,)) for f in left), (_NOTHING_LEFT, ())]
        count = sum(1 for m in messages if m.text in DONT_KNOW)
        return [(DONT_KNOW[count % len(DONT_KNOW)], ())]

    def _best(self, known: Knowledge, part: str) -> int | None:
        matches = known.ranking.matches(question_of(part))
        if not matches:
            return None
        best = matches[0]
        if best.evidence < MIN_EVIDENCE or best.foreign > MAX_FOREIGN * best.evidence:
            return None
        return matches[0].document

    def _say(self, fact: Fact, times: int) -> str:
        """Return the fact in words that were not used the last time."""
        wordings = (fact.text, *fact.also)
        text = wordings[times % len(wordings)]
        if times and len(wordings) == 1:
            text = f"As I said: {text}"
        return text[:MAX_CHARACTERS]
