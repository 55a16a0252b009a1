"""A trie of word patterns: finds every pattern that asks for some words, in one walk.

The walk carries a set of states instead of tracking back, so its cost is at most the number of words
times the number of nodes they touch, also for `#.a.#.a.#…`. A node goes when nothing hangs on it.
What is kept under a pattern is opaque; nothing here knows registrations or how a text is split.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from penstock.wiring.wildcards import ANY_WORD, ANY_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Trie"]

T = TypeVar("T")


class Node(Generic[T]):
    """One word of the patterns that share the way to it."""

    __slots__ = ("any_word", "any_words", "kept", "words")

    def __init__(self) -> None:
        self.words: dict[str, Node[T]] = {}
        #: The next word is `*`.
        self.any_word: Node[T] | None = None
        #: The next word is `#`.
        self.any_words: Node[T] | None = None
        #: What is kept under the pattern that ends here.
        self.kept: T | None = None

    def is_bare(self) -> bool:
        """Whether nothing hangs on this node."""
        return self.kept is None and not self.words and self.any_word is None and self.any_words is None

    def maybe_next(self, word: str) -> Node[T] | None:
        """The node after this one, for one more word of a pattern."""
        if word == ANY_WORD:
            return self.any_word
        if word == ANY_WORDS:
            return self.any_words
        return self.words.get(word)

    def put_next(self, word: str, node: Node[T] | None) -> None:
        """Set the node after this one, or none."""
        if word == ANY_WORD:
            self.any_word = node
        elif word == ANY_WORDS:
            self.any_words = node
        elif node is None:
            del self.words[word]
        else:
            self.words[word] = node


class Trie(Generic[T]):
    """Patterns, each with one thing kept under it."""

    __slots__ = ("nodes", "root")

    def __init__(self) -> None:
        self.root: Node[T] = Node()
        #: How many nodes there are beside the root.
        self.nodes = 0

    def __repr__(self) -> str:
        return f"<Trie of {self.nodes} nodes>"

    def add(self, pattern: Sequence[str], kept: T) -> None:
        """Keep something under a pattern, in place of what was there."""
        node = self.root
        for word in pattern:
            following = node.maybe_next(word)
            if following is None:
                following = Node()
                node.put_next(word, following)
                self.nodes += 1
            node = following
        node.kept = kept

    def remove(self, pattern: Sequence[str]) -> None:
        """Forget a pattern that was added, with the nodes only it needed."""
        path = [self.root]
        for word in pattern:
            following = path[-1].maybe_next(word)
            if following is None:
                break
            path.append(following)
        if len(path) <= len(pattern) or path[-1].kept is None:
            raise KeyError(pattern)
        path[-1].kept = None
        for word in reversed(pattern):
            if not path.pop().is_bare():
                break
            path[-1].put_next(word, None)
            self.nodes -= 1

    def find(self, words: Sequence[str]) -> list[T]:
        """All that is kept under patterns that ask for these words, each once."""
        found: list[T] = []
        # Nodes of `#`, which takes every further word, so that once reached they stay.
        lasting: dict[Node[T], None] = {}
        here = [self.root]
        reach(self.root.any_words, lasting, found)
        for word in words:
            before = [*here, *lasting]
            if not before:
                break
            here = []
            # A node has one parent, which stands in `before` once: so the node is reached once. The two
            # ways are written out, and a call saved where no `#` follows: together a third of the cost
            # (bench/routing_dest_wild.py, cold).
            for node in before:
                following = node.words.get(word)
                if following is not None:
                    here.append(following)
                    if following.any_words is not None:
                        reach(following.any_words, lasting, found)
                following = node.any_word
                if following is not None:
                    here.append(following)
                    if following.any_words is not None:
                        reach(following.any_words, lasting, found)
        found += [node.kept for node in here if node.kept is not None]
        return found


def reach(node: Node[T] | None, lasting: dict[Node[T], None], found: list[T]) -> None:
    """Stand at a `#`, which may take nothing, and so at every one straight after it."""
    while node is not None and node not in lasting:
        lasting[node] = None
        if node.kept is not None:
            found.append(node.kept)
        node = node.any_words
