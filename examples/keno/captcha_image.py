"""The picture of a captcha: letters that lean and waver, with lines and dots across. Pure."""

from __future__ import annotations

from io import BytesIO
from math import sin, tau
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from random import Random

__all__ = ["ALPHABET", "LENGTH", "draw_captcha"]

#: Without those that people confuse.
ALPHABET: Final = "acdefhjkmnprtuvwxy34679"
LENGTH: Final = 5

WIDTH: Final = 240
HEIGHT: Final = 80
SIZE: Final = 48
PAPER: Final = (244, 241, 232)
INKS: Final = ((38, 70, 83), (120, 60, 40), (70, 40, 110))


def draw_captcha(answer: str, chance: Random) -> bytes:
    """A PNG that shows the answer; the same for the same chance."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    step = (WIDTH - SIZE) // len(answer)
    for number, letter in enumerate(answer):
        drawn = _letter(letter, chance)
        at = (SIZE // 4 + number * step + chance.randint(-4, 4), chance.randint(0, HEIGHT - drawn.height))
        image.paste(drawn, at, drawn)
    image = _wavering(image, chance)
    _scratch(image, chance)
    written = BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _letter(letter: str, chance: Random) -> Image.Image:
    font = ImageFont.load_default(size=chance.randint(SIZE - 8, SIZE))
    drawn = Image.new("RGBA", (SIZE, SIZE + 8), (*PAPER, 0))
    ink = chance.choice(INKS)
    ImageDraw.Draw(drawn).text((SIZE // 2, SIZE // 2), letter, fill=ink, font=font, anchor="mm")
    return drawn.rotate(chance.uniform(-28, 28), Image.Resampling.BICUBIC)


def _wavering(image: Image.Image, chance: Random) -> Image.Image:
    """Every column a little higher or lower than the one before."""
    height, length, start = chance.uniform(3, 6), chance.uniform(70, 120), chance.uniform(0, tau)
    moved = Image.new("RGB", image.size, PAPER)
    for x in range(image.width):
        column = image.crop((x, 0, x + 1, image.height))
        moved.paste(column, (x, round(height * sin(start + tau * x / length))))
    return moved


def _scratch(image: Image.Image, chance: Random) -> None:
    pen = ImageDraw.Draw(image)

    def anywhere() -> tuple[int, int]:
        return chance.randrange(image.width), chance.randrange(image.height)

    for _ in range(4):
        pen.line((anywhere(), anywhere()), fill=chance.choice(INKS), width=chance.randint(1, 2))
    for _ in range(300):
        pen.point(anywhere(), fill=chance.choice(INKS))
