from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.parameter_sources import load_parameters
from penstock.errors import BadSetting, SettingsError, UnknownSetting

if TYPE_CHECKING:
    from pathlib import Path


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "domain.toml"
    file.write_text('op-queue-pool = 2\nbatch-writer-timeout = 2000\nmax_clock_skew = "10s"\n')
    environ = {"BATCH_WRITER_TIMEOUT": "3000", "MAX_CLOCK_SKEW": "20s", "PATH": "/bin"}
    flags = {"max-clock-skew": "30s", "op_queue_max_reposts": None}
    found = load_parameters(flags=flags, environ=environ, config=file)
    assert (found.op_queue_pool, found.batch_writer_timeout, found.max_clock_skew) == (2, 3000, 30)
    assert found.op_queue_max_reposts == 20


@pytest.mark.parametrize(
    ("environ", "name", "value"),
    [
        ({"MQ_PUBLISHER_POOL": "7"}, "mq_publisher_channel_pool_size", 7),
        ({"MQ_OPQUEUE_POOL": "7"}, "op_queue_pool", 7),
        ({"MQ_MAX_CONNECTION_CHANNELS": "7"}, "mq_max_connection_subscriptions", 7),
        ({"UNPUBLISHED_OPERATION_STORE_ENABLED": "true"}, "enable_unpublished_operation_store", True),
        ({"OP_QUEUE_POOL": "8", "MQ_OPQUEUE_POOL": "7"}, "op_queue_pool", 8),
    ],
)
def test_a_parameter_is_known_by_orbs_other_names(environ: dict[str, str], name: str, value: object) -> None:
    assert getattr(load_parameters(environ=environ), name) == value


def test_flags_are_taken_as_they_are_typed() -> None:
    found = load_parameters(flags={"--op-queue-task-expiration": "1m30s", "mq-opqueue-pool": 3})
    assert (found.op_queue_task_expiration, found.op_queue_pool) == (90, 3)


def test_a_wrong_value_is_told_with_the_place_where_it_was_set(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"^op_queue_pool \(OP_QUEUE_POOL\): 'many' is not a whole number"):
        load_parameters(environ={"OP_QUEUE_POOL": "many"})
    with pytest.raises(BadSetting, match=r"^op_queue_pool \(the command line\)"):
        load_parameters(flags={"op-queue-pool": "many"})
    file = tmp_path / "domain.toml"
    file.write_text("op-queue-pool = 'many'")
    with pytest.raises(BadSetting, match=r"^op_queue_pool \(.*domain.toml\)"):
        load_parameters(config=file)


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownSetting, match=r"no parameter op-queue-pol .*: did you mean op-queue-pool\?"):
        load_parameters(flags={"op-queue-pol": 1})
    with pytest.raises(UnknownSetting, match=r"no parameter xyzzy \(the command line\)$"):
        load_parameters(flags={"xyzzy": 1})


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot read the parameters in .*: No such file"):
        load_parameters(config=tmp_path / "nowhere.toml")
    (tmp_path / "bad.toml").write_text("= 7")
    with pytest.raises(SettingsError, match="is not TOML"):
        load_parameters(config=tmp_path / "bad.toml")
