from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from penstock.clock import SystemClock
from penstock.did.cas import ContentStorage, StoredContents
from penstock.did.operation_queue.tables import operations
from penstock.errors import StoreError
from penstock.pipelines.declared import Pipelines
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.status import read_status
from penstock.pipelines.declared.supervising import Supervisor
from penstock.pipelines.did.writing.batch_writer import writing
from penstock.sidetree.files import read_batch
from penstock.sidetree.files.anchor_string import AnchorString
from penstock.sidetree.protocol import ORB
from tests.did.anchored_dids import put_did_anchors
from tests.did.anchors.helpers import link
from tests.did.operation_queue.support import rows
from tests.pipelines.did.writing.domain import Domain, wait_for
from tests.pipelines.did.writing.operations import create, one

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.servers.running import Running


@contextmanager
def written(domain: Domain, spark: SparkSession) -> Iterator[None]:
    with writing(domain.places) as pipelines:
        data = domain.folder / "data"
        supervisor = Supervisor(Pipelines(pipelines), data, spark, clock=SystemClock())
        thread = threading.Thread(target=supervisor.run)
        thread.start()
        try:
            yield
        finally:
            supervisor.stop()
            thread.join()


def operations_in(domain: Domain) -> set[str]:
    """The DIDs in the files of the first cut that has some."""
    files = next(each.files for each in domain.cuts() if each.files and each.files["coreIndex"])
    cas = ContentStorage(StoredContents(domain.places.storage), links_at="https://orb.example/cas")
    [cut] = [each for each in domain.cuts() if each.files == files]
    anchor = str(AnchorString(len(cut.included), files["coreIndex"]))
    read = read_batch(anchor, lambda uri, most: cas.get(uri, limit=most), ORB)
    return {each.suffix for each in read}


def test_operations_become_an_anchored_batch_by_way_of_spark(
    spark: SparkSession, penstock_server: Running, name: str, tmp_path: Path
) -> None:
    domain = Domain(tmp_path, penstock_server.url, name)
    good = [create(f"life{number}") for number in range(5)]
    bad = create("bad", operation_request=b"no request")
    early = one("update", "early")
    domain.add([*good[:2], bad, early, *good[2:]])
    with written(domain, spark):
        # All that can be in a batch are in one, the bad one is refused and the early one waits.
        domain.wait_until_anchored([each.id for each in good])
        assert operations_in(domain) == {each.operation.unique_suffix for each in good}
        wait_for(
            lambda: bad.id not in rows(domain.database, "id", table=operations), "the end of the bad one"
        )
        assert len(domain.anchored()) == len(good)
        # When its DID is anchored it is the early one's turn.
        suffix = early.operation.unique_suffix
        domain.database.do(put_did_anchors, [suffix], anchor=link("an anchor"), issued_at=1.0)
        domain.wait_until_anchored([early.id])
        # And a storage that was away for a while has lost nothing.
        storage = tmp_path / "cas"
        storage.rename(tmp_path / "away")
        storage.write_text("no folder")
        later = create("later")
        domain.add([later])
        wait_for(lambda: domain.cuts()[-1].operations == (later.id,), "another cut")
        storage.unlink()
        (tmp_path / "away").rename(storage)
        domain.wait_until_anchored([later.id])
    status = read_status(Place(tmp_path / "data", f"{name}.batch-writer"))
    assert (status.state, status.error, status.metrics.lag) == ("stopped", None, 0)
    # The early one and perhaps the last were cut again.
    assert status.metrics.rows >= len(domain.added) + 1
    domain.database.close()


def test_a_domain_that_cannot_be_opened_has_no_batch_writer(tmp_path: Path, penstock_server: Running) -> None:
    domain = Domain(tmp_path, penstock_server.url, "orb")
    domain.database.close()
    (tmp_path / "domain.db").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError), writing(domain.places):
        pass
    assert not [each for each in threading.enumerate() if each.name.startswith("batch writer")]
