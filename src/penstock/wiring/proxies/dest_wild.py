"""DEST-WILD routes messages on their destination name, by wild card comparison.

A destination is words separated by dots. In a pattern `*` stands for exactly one word and `#` for zero
or more, as whole words only; the meaning is that of RabbitMQ's topic exchange. The index is a trie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wiring.proxy import Proxy
from penstock.wiring.trie import Trie
from penstock.wiring.wildcards import ANY_WORD, ANY_WORDS, settled, split_words, words_fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Registration

__all__ = ["DestWild"]

#: Words in a pattern. Each is a node of the trie, so there must be a bound; this one takes every
#: pattern that AMQP can carry: 255 octets (AMQP 0-9-1 §4.2.5.3, short strings) hold 255 dots.
MOST_WORDS: Final = 256


class DestWild(Proxy):
    """The building block of topics and subscriptions."""

    class_name = "DEST-WILD"
    by_destination = True

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.trie: Trie[Registration] = Trie()

    def normalise(self, pattern: Any) -> str:
        if not isinstance(pattern, str):
            raise self.refuse(pattern, "the pattern is a text of words separated by dots, * and # among them")
        words = split_words(pattern)
        if len(words) > MOST_WORDS:
            raise self.refuse(f"{pattern[:40]}…", f"it has {len(words)} words, {MOST_WORDS} are the most")
        return ".".join(settled(words, ANY_WORD, ANY_WORDS))

    def index(self, registration: Registration) -> None:
        self.trie.add(split_words(str(registration.pattern)), registration)

    def unindex(self, registration: Registration) -> None:
        self.trie.remove(split_words(str(registration.pattern)))

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        return self.trie.find(split_words(destination))

    def why_not(self, pattern: str, message: Message, destination: str) -> str | None:
        asked, words = split_words(pattern), split_words(destination)
        if words_fit(asked, words):
            return None
        return difference(asked, words, destination)


def difference(asked: list[str], words: list[str], destination: str) -> str:
    """What a person would point at, where words do not fit: the first word that cannot be right."""
    first = asked.index(ANY_WORDS) if ANY_WORDS in asked else len(asked)
    wrong = maybe_wrong_word(asked[:first], words, destination)
    if wrong:
        return wrong
    if first == len(asked):
        return f"{destination!r} has {count(words)}, not {len(asked)}"
    fewest = len(asked) - asked.count(ANY_WORDS)
    if len(words) < fewest:
        return f"{destination!r} has {count(words)}, not {fewest} or more"
    tail = asked[len(asked) - asked[::-1].index(ANY_WORDS) :]
    ending = len(words) - len(tail)
    wrong = maybe_wrong_word(tail, words[ending:], destination, ending)
    between = ".".join(asked[first : len(asked) - len(tail)])
    return wrong or f"nothing in {destination!r} from word {first + 1} on is like {between!r}"


def maybe_wrong_word(asked: list[str], words: list[str], destination: str, before: int = 0) -> str | None:
    """The first word that is not the one asked for in its place, if there is one."""
    for number, (ask, word) in enumerate(zip(asked, words, strict=False), before + 1):
        if ask not in {ANY_WORD, word}:
            return f"word {number} of {destination!r} is {word!r}, not {ask!r}"
    return None


def count(words: list[str]) -> str:
    return "1 word" if len(words) == 1 else f"{len(words)} words"
