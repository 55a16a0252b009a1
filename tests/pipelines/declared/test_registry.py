from __future__ import annotations

from types import ModuleType

import pytest

from penstock.errors import BadPipeline, UnknownPipeline
from penstock.pipelines.declared import Parquet, Pipeline, Pipelines, Rate


def named(name: str) -> Pipeline:
    return Pipeline(name=name, source=Rate(), sink=Parquet("there"), transform=lambda rows: rows)


def test_pipelines_are_found_in_a_module_in_the_order_they_stand_there() -> None:
    module = ModuleType("commons")
    vars(module).update(second=named("b"), first=named("a"), other=3)
    assert [each.name for each in Pipelines.of(module)] == ["b", "a"]


def test_two_of_one_name_would_share_a_checkpoint() -> None:
    with pytest.raises(BadPipeline, match="two pipelines are called threads"):
        Pipelines([named("threads"), named("threads")])


def test_one_under_two_names_of_a_module_is_one() -> None:
    one = named("threads")
    assert len(Pipelines([one, one])) == 1


def test_some_can_be_chosen_and_no_choice_is_all() -> None:
    pipelines = Pipelines([named("a"), named("b"), named("c")])
    assert [each.name for each in pipelines.chosen(["c", "a", "c"])] == ["c", "a"]
    assert pipelines.chosen([]) is pipelines


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    pipelines = Pipelines([named("threads"), named("votes")])
    with pytest.raises(UnknownPipeline, match=r"no pipeline is called 'thread': did you mean threads\?"):
        pipelines.chosen(["thread"])
    with pytest.raises(UnknownPipeline, match=r"no pipeline is called 'x': there is threads, votes"):
        pipelines["x"]
    assert repr(pipelines) == "<Pipelines threads, votes>"
