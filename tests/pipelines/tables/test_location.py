"""Places: folders, URLs, and what is not said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from penstock.errors import BadSetting, TableError, UnknownTable
from penstock.pipelines.tables.location import Location, _Remote

if TYPE_CHECKING:
    from pathlib import Path


def test_a_place_must_be_said() -> None:
    with pytest.raises(BadSetting, match="where is the table"):
        Location("")


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "azure_storage_account_key", "TOKEN", "azure_sas"])
def test_a_secret_is_refused(name: str) -> None:
    with pytest.raises(BadSetting, match="put it into the environment"):
        Location("s3://bucket/x", {name: "x"})


def test_what_is_no_secret_is_not() -> None:
    assert Location("s3://bucket/x", {"AWS_ACCESS_KEY_ID": "a", "AWS_REGION": "eu"}).folder is None


def test_a_folder_can_be_written_as_a_url(tmp_path: Path) -> None:
    assert Location(str(tmp_path)).folder == Location(tmp_path.as_uri()).folder == tmp_path


def test_a_place_is_the_same_wherever_one_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Location.at("t") == Location(str(tmp_path / "t"))
    assert Location.at("s3://b/t") == Location("s3://b/t")


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    place = Location(str(tmp_path / "none"))
    assert place.maybe_table() is None
    with pytest.raises(UnknownTable, match="there is no Delta table at"):
        place.table()
    (tmp_path / "none" / "_delta_log").mkdir(parents=True)
    assert place.maybe_table() is None


def test_a_table_that_cannot_be_read(tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "t"), pa.table({"n": [1]}))
    (tmp_path / "t" / "_delta_log" / "00000000000000000000.json").write_text("{")
    with pytest.raises(TableError, match="cannot be read"):
        Location(str(tmp_path / "t")).maybe_table()


def test_a_file_is_written_read_and_forgotten(tmp_path: Path) -> None:
    place = Location(str(tmp_path))
    with place.writing("day=1/x") as file:
        file.write(b"abc")
    with place.reading("day=1/x") as file:
        assert file.read() == b"abc"
    place.forget(["day=1/x", "never there"])
    assert not (tmp_path / "day=1" / "x").exists()


def test_a_store_that_is_no_disk_is_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The store of a URL, here a disk's, without the shortcut for folders.
    place = Location(tmp_path.as_uri())
    monkeypatch.setattr(Location, "folder", None)
    with place.writing("day=1/x") as file:
        file.write(pa.py_buffer(b"abc"))
        file.flush()
    with place.reading("day=1/x") as file:
        assert file.read() == b"abc"
    place.forget(["day=1/x"])
    assert (tmp_path / "day=1" / "x").exists(), "left to tidying"
    file = _Remote(None)
    file.closed = True
    file.close()


def test_a_name_that_no_disk_has_is_told_and_an_object_store_has_it(tmp_path: Path) -> None:
    name = f"kind={'x' * 251}/file"
    with pytest.raises(TableError, match="no folder can be named after column kind where it has 256 bytes"):
        Location(str(tmp_path)).check_name(name)
    Location(str(tmp_path)).check_name(name.replace("xx", "x", 1))
    Location("s3://bucket/t").check_name(name)
