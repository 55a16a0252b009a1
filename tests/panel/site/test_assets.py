"""The pages' files: found, compressed, kept by browsers until they change; and what may not be in them."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

from penstock.panel.site.assets import ASK_ANEW, ASSETS, FOLDER, FOR_EVER, Assets

if TYPE_CHECKING:
    from pathlib import Path

#: Lines that a module may have.
LONGEST = 250
#: Ways to make markup or code of a text, which Trusted Types would refuse, too.
FORBIDDEN = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|setHTML|\bstyle:"
)


def test_a_file_is_sent_as_the_browser_takes_it() -> None:
    path = "core/dom.js"
    plain = ASSETS.maybe_find(path, accepts="br")
    packed = ASSETS.maybe_find(path, accepts="gzip, br")
    assert plain is not None
    assert packed is not None
    assert plain[1] == (FOLDER / path).read_bytes()
    assert "Content-Encoding" not in plain[2]
    assert gzip.decompress(packed[1]) == plain[1]
    assert packed[2]["Content-Encoding"] == "gzip"
    assert packed[0].kind == "text/javascript; charset=utf-8"


def test_there_is_nothing_else() -> None:
    for path in ("core/nothing.js", "../shell.py", "core", ""):
        assert ASSETS.maybe_find(path, accepts="") is None


def test_the_mark_changes_with_any_byte_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    (tmp_path / "notes.txt").write_text("not sent")
    first = Assets(tmp_path)
    assert list(first.files) == ["a.js"]
    assert Assets(tmp_path).mark == first.mark
    (tmp_path / "a.js").write_text("2")
    assert Assets(tmp_path).mark != first.mark


def test_only_what_carries_the_right_mark_is_kept_for_ever() -> None:
    assert ASSETS.caching(ASSETS.mark) == FOR_EVER
    assert ASSETS.caching("older") == ASK_ANEW


def test_modules_are_short_import_one_another_and_nothing_from_elsewhere() -> None:
    for file in FOLDER.rglob("*.js"):
        text = file.read_text()
        assert len(text.splitlines()) <= LONGEST, file
        for name in re.findall(r"""(?:from|import)\s+"([^"]+)";""", text):
            assert name.startswith("."), (file, name)
            assert (file.parent / name).resolve().is_file(), (file, name)


def test_no_module_makes_markup_of_a_text() -> None:
    offenders = [file.name for file in FOLDER.rglob("*.js") if re.search(FORBIDDEN, file.read_text())]
    assert offenders == []


def test_the_style_loads_nothing_from_elsewhere() -> None:
    for file in FOLDER.rglob("*.css"):
        assert not re.search(r"url\(|@import", file.read_text()), file
