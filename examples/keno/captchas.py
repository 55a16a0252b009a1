"""Captchas: the jobs of bg_captcha, and what the lobby does with them.

They are prepared before anybody asks: whenever one is used, a job is put to prepare the next. The answer
stays in the database. One browser sees each, and has one try.
"""

from __future__ import annotations

import hmac
from random import SystemRandom
from secrets import choice, token_urlsafe
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from sqlalchemy import delete, func, insert, select, update

from examples.keno.captcha_image import ALPHABET, LENGTH, draw_captcha
from examples.keno.game import routed
from examples.keno.messages import Nothing
from examples.keno.tables import captchas
from penstock.errors import RequestRefused
from penstock.workers import Job  # noqa: TC001  a route reads the annotation of its handler

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from examples.keno.game import Game
    from penstock.workers import Routes

__all__ = ["GENERATE", "QUEUE", "Captchas", "Prepared", "answer_captcha", "hand_out", "image_of"]

QUEUE: Final = "bg_captcha"
GENERATE: Final = "/captcha/generate"
#: As many as are ever ready: a job more prepares none.
MOST_READY: Final = 20
#: Seconds that a person has to answer; then it goes.
LASTS: Final = 600.0

_c: Final = captchas.c


class Prepared(Struct, frozen=True):
    """What came of a job: how many are ready. Nobody is told an answer."""

    ready: int


class Captchas:
    """Does the jobs of bg_captcha."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def routes(self) -> Routes:
        """Who does what."""
        return routed(QUEUE, {GENERATE: self.generate})

    def generate(self, job: Job[Nothing]) -> Prepared:
        """Prepare a captcha, and throw away those that nobody can answer any more."""
        answer = "".join(choice(ALPHABET) for _ in range(LENGTH))
        image = draw_captcha(answer, SystemRandom())
        now = self._game.clock.now()
        with self._game.begin() as connection:
            connection.execute(delete(captchas).where(_c.handed_at < now - LASTS))
            ready = _ready(connection)
            if ready < MOST_READY:
                row = {"id": token_urlsafe(16), "image": image, "answer": answer, "made_at": now}
                connection.execute(insert(captchas).values(row))
                ready += 1
        return Prepared(ready)


def _ready(connection: Connection) -> int:
    count = select(func.count()).select_from(captchas).where(_c.handed_at.is_(None))
    return int(connection.scalar(count) or 0)


def hand_out(game: Game) -> str | None:
    """A captcha that nobody has seen; None if none is ready. The next is prepared meanwhile."""
    oldest = select(_c.id).where(_c.handed_at.is_(None)).order_by(_c.made_at).limit(1)
    with game.begin() as connection:
        found: str | None = connection.scalar(oldest.with_for_update(skip_locked=True))
        if found is not None:
            handed = update(captchas).where(_c.id == found)
            connection.execute(handed.values(handed_at=game.clock.now()))
            game.put(connection, QUEUE, GENERATE, Nothing())
    return found


def image_of(game: Game, captcha_id: str) -> bytes | None:
    """The picture of a captcha that was handed out; None if there is none."""
    handed = select(_c.image).where(_c.id == captcha_id, _c.handed_at.is_not(None))
    with game.read() as connection:
        found = connection.scalar(handed)
    return None if found is None else bytes(found)


def answer_captcha(game: Game, captcha_id: str, answer: str) -> None:
    """Take somebody's answer to a captcha.

    Raises:
        RequestRefused: it is wrong, or the captcha is not to be answered (any more).
    """
    now = game.clock.now()
    open_one = update(captchas).where(_c.id == captcha_id, _c.handed_at > now - LASTS, _c.tried_at.is_(None))
    with game.begin() as connection:
        # Wrong or right: that was the try.
        right = connection.execute(open_one.values(tried_at=now).returning(_c.answer)).scalar()
    given = answer.strip().lower().encode()
    if right is None or not hmac.compare_digest(right.encode(), given):
        raise RequestRefused("that is not what the picture says: here is another", status=403)
