"""Options as Spark carries them."""

from __future__ import annotations

import pytest

from penstock.errors import BadSetting, SettingsError, UnknownSetting
from penstock.pipelines.tables.keys import Key
from penstock.pipelines.tables.location import Location
from penstock.pipelines.tables.options import DeltaOptions


def test_options_travel_and_come_back_the_same() -> None:
    options = DeltaOptions(
        location=Location("s3://b/t", {"aws_region": "eu"}),
        partition_by=("day", "type"),
        key=Key("id", "at"),
        file_size=5,
        query="q",
        batch=3,
        version=4,
    )
    assert DeltaOptions.read(options.written()) == options
    assert DeltaOptions.read({"path": "t"}) == DeltaOptions(location=Location.at("t"))
    assert DeltaOptions.read({"PATH": "t", "checkpointLocation": "c", "key": "id"}).key == Key("id")


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ({}, BadSetting, "where is the table"),
        ({"path": "t", "partitions": "day"}, UnknownSetting, "has no option partitions; there are path"),
        ({"path": "t", "keyTime": "at"}, BadSetting, "which key?"),
        ({"path": "t", "fileSize": "1 MB"}, BadSetting, "filesize is a whole number, not '1 MB'"),
        ({"path": "t", "storage.secret": "x"}, BadSetting, "is a secret"),
    ],
)
def test_what_cannot_be_is_one_sentence(given: dict[str, str], kind: type[SettingsError], told: str) -> None:
    with pytest.raises(kind, match=told):
        DeltaOptions.read(given)
