from __future__ import annotations

import asyncio
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from sqlalchemy import func, select

from examples.keno.captcha_image import ALPHABET, LENGTH, draw_captcha
from examples.keno.captchas import LASTS, MOST_READY, answer_captcha, hand_out, image_of
from examples.keno.tables import captchas
from penstock.errors import RequestRefused
from tests.examples.keno.stage import on_stage

if TYPE_CHECKING:
    from pathlib import Path

    from tests.examples.keno.stage import Stage

QUEUE = "bg_captcha"


def answer_of(stage: Stage, captcha_id: str) -> str:
    with stage.game.read() as connection:
        found = select(captchas.c.answer).where(captchas.c.id == captcha_id)
        return str(connection.execute(found).scalar_one())


def count(stage: Stage) -> int:
    with stage.game.read() as connection:
        return int(connection.execute(select(func.count()).select_from(captchas)).scalar_one())


def test_the_picture_is_a_png_with_ink_all_over_and_each_is_another() -> None:
    pictures = [draw_captcha("acd34", Random(seed)) for seed in (1, 1, 2)]
    assert pictures[0] == pictures[1] != pictures[2]
    with Image.open(BytesIO(pictures[0])) as image:
        assert (image.format, image.size) == ("PNG", (240, 80))
        grey = image.convert("L")
    # Every letter has left ink in its part of the picture.
    parts = [grey.crop((part * 48, 0, part * 48 + 48, 80)) for part in range(LENGTH)]
    assert all(sum(part.histogram()[:128]) > 100 for part in parts)


def test_a_captcha_is_prepared_by_a_job_and_the_next_when_it_is_used(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            assert await stage.write(hand_out) is None
            told = await stage.jobs.call(QUEUE, "/captcha/generate")
            assert told == {"ready": 1}
            first = await stage.write(hand_out)
            assert first is not None
            image, answer = image_of(stage.game, first), answer_of(stage, first)
            assert image is not None
            assert image.startswith(b"\x89PNG")
            assert len(answer) == LENGTH
            assert set(answer) <= set(ALPHABET)
            await stage.advance(2)
            second = await stage.write(hand_out)
            assert second not in {None, first}

    asyncio.run(story())


def test_a_captcha_is_good_for_one_try_within_its_time(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            handed = []
            for _ in range(3):
                await stage.jobs.call(QUEUE, "/captcha/generate")
                handed.append(await stage.write(hand_out))
            right, wrong, late = [each or "" for each in handed]
            await stage.write(answer_captcha, right, f" {answer_of(stage, right).upper()} ")
            with pytest.raises(RequestRefused, match="not what the picture says"):
                await stage.write(answer_captcha, right, answer_of(stage, right))
            for guess in ("nobody knows", answer_of(stage, wrong)):
                with pytest.raises(RequestRefused) as refused:
                    await stage.write(answer_captcha, wrong, guess)
                assert refused.value.status == 403
            answer = answer_of(stage, late)
            await stage.controlled.advance(LASTS + 1, step=60)
            with pytest.raises(RequestRefused):
                await stage.write(answer_captcha, late, answer)

    asyncio.run(story())


def test_one_that_nobody_has_got_cannot_be_seen_or_answered(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            await stage.jobs.call(QUEUE, "/captcha/generate")
            with stage.game.read() as connection:
                captcha_id, answer = connection.execute(select(captchas.c.id, captchas.c.answer)).one()
            assert image_of(stage.game, captcha_id) is None
            with pytest.raises(RequestRefused):
                await stage.write(answer_captcha, captcha_id, answer)

    asyncio.run(story())


def test_no_more_are_prepared_than_anybody_needs_and_old_ones_go(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            for _ in range(MOST_READY + 3):
                await stage.jobs.put(QUEUE, "/captcha/generate")
            await stage.controlled.settled()
            assert count(stage) == MOST_READY
            await stage.write(hand_out)
            await stage.controlled.advance(LASTS + 60, step=60)
            await stage.jobs.call(QUEUE, "/captcha/generate")
            assert count(stage) == MOST_READY

    asyncio.run(story())
