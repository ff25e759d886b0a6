"""A person without a model: knows a list of facts, finds the one that a question is about.

Every reply is a pure function of the task, the dialogue and the seed, of at most two sentences and
400 characters. What was told before is read off the dialogue itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from colbench_env.errors import Fault
from colbench_env.humans import remarks
from colbench_env.humans.facts import HUMAN, Knowledge, knowledge, own_replies, reference_of
from colbench_env.humans.leak import allowed, check_guard, guarded, measure
from colbench_env.humans.personas import Persona, chance, forgotten, get_persona, hint, slip
from colbench_env.humans.questions import Question
from colbench_env.humans.questions import question as read_question
from colbench_env.records import Dialogue, Fact, Message, Reply

MAX_CHARACTERS, MAX_SENTENCES = 400, 2
MIN_EVIDENCE, MAX_FOREIGN = 0.5, 3.0
"""The person knows an answer if enough of the question's words belong to a fact, and not too many
belong to nothing they know: `foreign <= MAX_FOREIGN * evidence` (see `ranking.Match`)."""
_NEARLY = 0.85
"""A fact whose score is this share of the best is told instead of it if that one was told before,
or gives too much away."""

_Candidate = tuple[str, tuple[str, ...]]


class ScriptedHuman:
    """Answers from a list of facts, without a model.

    Args:
        persona: A persona or its name (`personas.PERSONAS`).
        guard: What to do about a reply that leaks the reference (`leak.GUARDS`). Whatever it is,
            the person declines before the episode's leak reaches a bound (`leak.allowed`).

    Raises:
        ConfigError: Persona or guard is unknown.
    """

    version = "1"

    def __init__(self, *, persona: str | Persona = "plain", guard: str = "measure") -> None:
        self.persona = get_persona(persona)
        self.guard = check_guard(guard)
        named = self.persona.name
        self.name = "scripted" if named == "plain" else f"scripted:{named}"

    def reply(self, dialogues: Sequence[Dialogue]) -> list[Reply | Fault]:
        """Answer the last message of each dialogue.

        Raises:
            TaskError: A task holds no reference for the person.
        """
        return [self._answer(dialogue) for dialogue in dialogues]

    def _answer(self, dialogue: Dialogue) -> Reply:
        known = knowledge(dialogue.task)
        before = own_replies(dialogue)
        correction = self._correction(known, before, dialogue.seed)
        at_once = 1 if correction else self.persona.facts_at_once
        for text, facts in self._candidates(known, dialogue, before, at_once):
            if correction:
                text, facts = _joined(correction, (text, facts))
            text, leak = guarded(known.reference, before, text, self.guard)
            if allowed(leak):
                return Reply(text, facts, leak)
        return Reply(remarks.ENOUGH, (), measure(known.reference, [*before, remarks.ENOUGH]))

    def _candidates(
        self, known: Knowledge, dialogue: Dialogue, before: Sequence[str], at_once: int
    ) -> Iterator[_Candidate]:
        """Yield replies from the most to the least wanted; the first that leaks nothing is said."""
        message = dialogue.messages[-1].text if dialogue.messages else ""
        persona, turn = self.persona, len(before)
        talk = remarks.read(message)
        if talk.wants_code:
            yield remarks.NO_CODE, ()
            return
        if talk.small:
            yield remarks.WELCOME, ()
            return
        puzzled = not persona.knows_jargon and remarks.PLAIN_WORDS not in before[-1:]
        if puzzled and remarks.JARGON.search(message):
            yield remarks.PLAIN_WORDS, ()
            return
        told = known.told(before)
        parts = [_best(known, part, told, talk) for part in talk.questions]
        found = [near[0] for near in parts if near]
        if found and told and not talk.more:
            earlier = _told_when_asked_before(known, dialogue.messages)
            if earlier and not set(found) & set(earlier):
                found = earlier
        found = list(dict.fromkeys(found))
        if found:
            says = [self._say(known.facts[i], told.get(i, 0), dialogue, before) for i in found]
            if len(says) > 1 and at_once > 1:
                yield _joined(says[0][0], says[1][0])
            for wordings in says:
                yield from wordings
            for i in (i for near in parts for i in near[1:]):
                yield from self._say(known.facts[i], 0, dialogue, before)
        elif talk.vague:
            if not persona.answers_vague:
                yield remarks.BE_PRECISE, ()
            elif persona.patience is not None and turn >= persona.patience:
                yield remarks.NO_TIME, ()
            for i, fact_ in enumerate(known.facts):
                if i not in told:
                    yield from self._say(fact_, 0, dialogue, before)
            yield remarks.NOTHING_LEFT, ()
        else:
            count = sum(text in remarks.DONT_KNOW for text in before)
            yield remarks.DONT_KNOW[count % len(remarks.DONT_KNOW)], ()

    def _say(
        self, fact: Fact, times: int, dialogue: Dialogue, before: Sequence[str]
    ) -> list[_Candidate]:
        """Return ways to tell a fact, in other words each time; or what the persona does instead.

        Args:
            fact: The fact.
            times: How often it was told before.
            dialogue: The dialogue, for its seed.
            before: What the person has said.
        """
        persona, seed = self.persona, dialogue.seed
        if not times:
            for odds, instead in ((persona.hints_first, hint), (persona.forgets, forgotten)):
                if odds and chance(seed, "withhold", fact.id) < odds:
                    text = instead(fact)
                    if not any(text in reply for reply in before):
                        return [(text, ())]
            wrong = self._wrong(fact, seed)
            if wrong and not any(wrong in reply for reply in before):
                right = f"{remarks.SORRY} {fact.text}"
                if allowed(measure(reference_of(dialogue.task), [*before, wrong, right])):
                    return [(wrong, ())]
        wordings = [fact.text, *fact.also]
        first = times % len(wordings)
        texts = wordings[first:] + wordings[:first]
        if times and len(wordings) == 1:
            texts = [f"As I said: {fact.text}"]
        if persona.chats:
            remark = remarks.CHAT[len(before) % len(remarks.CHAT)]
            chatty = [f"{remark} {text}" for text in texts]
            texts = [c if _fits(c) else text for c, text in zip(chatty, texts, strict=True)]
        return [(text[:MAX_CHARACTERS], (fact.id,)) for text in texts]

    def _wrong(self, fact: Fact, seed: int) -> str:
        """Return the wrong version of a fact that this person tells first, or ""."""
        if not self.persona.slips or chance(seed, "slip", fact.id) >= self.persona.slips:
            return ""
        wrong = slip(fact.text)
        return wrong if wrong != fact.text else ""

    def _correction(self, known: Knowledge, before: Sequence[str], seed: int) -> _Candidate | None:
        """Return what puts right the wrong version told in the last reply, if there was one."""
        if not self.persona.slips or not before:
            return None
        for fact in known.facts:
            wrong = self._wrong(fact, seed)
            if wrong and wrong in before[-1]:
                return f"{remarks.SORRY} {fact.text}", (fact.id,)
        return None


def _best(known: Knowledge, part: str, told: Mapping[int, int], talk: remarks.Talk) -> list[int]:
    """Return the indices of the facts that a question is about, best first; the rest are near.

    A vague question is about a fact only if a word of it is, not for a cue such as "else"; and who
    asks for more is not told the same again.
    """
    asked = read_question(part)
    matches = known.ranking.matches(asked)
    if not matches or matches[0].evidence < (1.0 if talk.vague else MIN_EVIDENCE):
        return [] if talk.vague else _main_fact(known, asked, told)
    best = matches[0]
    if known.ranking.lacks_aspect(asked) or best.foreign > MAX_FOREIGN * best.evidence:
        return []
    fresh = [match for match in matches if match.document not in told]
    if best.document in told and talk.more:
        return [match.document for match in fresh if match.evidence >= 1.0]
    near = [match.document for match in fresh if match.score >= _NEARLY * best.score]
    return near or [best.document]


def _main_fact(known: Knowledge, asked: Question, told: Mapping[int, int]) -> list[int]:
    """Return the first fact not told yet if a question holds only words of the brief."""
    ranking = known.ranking
    if asked.personal or not (asked.words or asked.cues) or ranking.lacks_aspect(asked):
        return []
    if not all(ranking.is_background(word) for word in asked.words):
        return []
    return [i for i in range(len(known.facts)) if i not in told][:1]


def _told_when_asked_before(known: Knowledge, messages: Sequence[Message]) -> list[int]:
    """Return the facts that answered the last message when it was asked before, if it was."""
    asked = read_question(messages[-1].text)
    for message, answer in pairwise(messages[:-1]):
        if answer.agent != HUMAN or answer.text.startswith(remarks.SORRY):
            continue
        if message.agent != HUMAN and read_question(message.text) == asked:
            return list(known.told([answer.text]))
    return []


def _joined(first: _Candidate, second: _Candidate) -> _Candidate:
    """Return two replies as one; the first alone if both together are too long or the same."""
    text, facts = f"{first[0]} {second[0]}", (*first[1], *second[1])
    same = bool(facts) and first[1] == second[1]
    return first if same or not _fits(text) else (text, facts)


def _fits(text: str) -> bool:
    return len(text) <= MAX_CHARACTERS and remarks.sentences(text) <= MAX_SENTENCES
