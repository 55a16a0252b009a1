from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from penstock.did.domain import WEB, WORKER, Domain
from penstock.errors import BadKey, ClientError
from tests.did.domain.helpers import places_in
from tests.did.domain.living import ask, embedded, living
from tests.did.operation_queue.helpers import run
from tests.did.web.helpers import asked
from tests.server.peer import until
from tests.sidetree.lives import Life, add_keys, public_key

if TYPE_CHECKING:
    from pathlib import Path

OPERATIONS = "/sidetree/v1/operations"


def test_an_operation_that_is_posted_waits_for_the_batch_writer(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker, living(tmp_path, broker) as domain:
            life = Life()
            status, created = await ask(domain, "POST", OPERATIONS, life.create())
            assert status == 200
            # The DID as it is before it is anchored says whom to ask about it.
            equivalents = json.loads(created)["didDocumentMetadata"]["equivalentId"]
            assert f"did:orb:https:{domain.places.host}:uAAA:{life.suffix}" in equivalents
            await until(lambda: len(domain.operation_queue) == 1)
            [waiting] = await domain.operation_queue.peek(10)
            assert waiting.operation.unique_suffix == life.suffix

    run(story())


def test_a_process_that_only_answers_takes_no_operations(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker, living(tmp_path, broker, roles=[WEB]) as domain:
            assert (await ask(domain, "POST", OPERATIONS, Life().create()))[0] == 200
            assert await broker.depth("orb.operation") == 1
            assert "stopped" in repr(domain.operation_queue)
            assert "stopped" in repr(domain.federation)
            assert (await ask(domain, "GET", "/healthcheck"))[0] == 200

    run(story())


def test_operations_count_early_if_the_parameters_say_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            embedded() as broker,
            living(tmp_path, broker, roles=[WEB], enable_unpublished_operation_store=True) as domain,
        ):
            life = Life()
            await ask(domain, "POST", OPERATIONS, life.create())
            status, _ = await ask(domain, "GET", f"/sidetree/v1/identifiers/did:orb:uAAA:{life.suffix}")
            assert status == 200
            assert (await ask(domain, "POST", OPERATIONS, life.update()))[0] == 200

    run(story())


def test_origins_that_are_not_allowed_are_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker:
            given = {"allowed_origins": "https://mine.example"}
            async with living(tmp_path, broker, roles=[WEB], **given) as domain:
                assert (await ask(domain, "POST", OPERATIONS, Life().create()))[0] == 400
                own = Life("own").create(origin="https://mine.example")
                assert (await ask(domain, "POST", OPERATIONS, own))[0] == 200

    run(story())


def test_patches_that_are_not_enabled_are_refused(tmp_path: Path) -> None:
    async def story() -> None:
        given = {"enabled_patches": "add-public-keys,add-services"}
        async with embedded() as broker, living(tmp_path, broker, roles=[WEB], **given) as domain:
            replacing = Life().create({"action": "replace", "document": {"publicKeys": [public_key()]}})
            status, why = await ask(domain, "POST", OPERATIONS, replacing)
            assert status == 400
            assert b"replace" in why
            assert (await ask(domain, "POST", OPERATIONS, Life().create(add_keys("key1"))))[0] == 200

    run(story())


def test_the_operator_sees_the_accept_lists_of_the_parameters(tmp_path: Path) -> None:
    async def story() -> None:
        given = {
            "operator_token": "s3cret",
            "follow_auth_policy": "accept-list",
            "follow_accept_list": "https://b.example",
        }
        async with embedded() as broker, living(tmp_path, broker, roles=[WEB], **given) as domain:
            headers = {"Authorization": "Bearer s3cret"}
            found = await asked(domain.site, "GET", "/services/orb/acceptlist", b"", headers)
            assert found.json == [{"type": "follow", "url": ["https://b.example/services/orb"]}]

    run(story())


def test_the_operator_changes_whose_dids_are_taken(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker:
            given = {"allowed_origins_cache_expiration": "0s", "operator_token": "s3cret"}
            async with living(tmp_path, broker, roles=[WEB], **given) as domain:
                assert (await ask(domain, "POST", OPERATIONS, Life().create()))[0] == 200
                change = b'{"add": ["https://mine.example"], "remove": ["*"]}'
                headers = {"Authorization": "Bearer s3cret"}
                found = await asked(domain.site, "POST", "/allowedorigins", change, headers)
                assert found.status == 200
                assert (await ask(domain, "POST", OPERATIONS, Life("bob").create()))[0] == 400
                own = Life("own").create(origin="https://mine.example")
                assert (await ask(domain, "POST", OPERATIONS, own))[0] == 200

    run(story())


def test_a_domain_without_a_role_opens_everything_and_runs_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker:
            async with Domain(places_in(tmp_path), broker=broker) as domain:
                assert repr(domain) == "<Domain http://127.0.0.1:8326, no role>"
                assert await domain.federation.follow("https://b.example/services/orb")
                # It waits for a process with handlers.
                assert await broker.depth("orb.activity.outbox") == 1
                assert await domain.resolver.state_of("nobody") is None
            assert broker.is_connected

    run(story())


def test_what_cannot_be_opened_leaves_nothing_open(tmp_path: Path) -> None:
    async def story() -> None:
        nobody = places_in(tmp_path, mq_connect_max_retries=0)
        with pytest.raises(ClientError):
            async with Domain(nobody, roles=[WEB, WORKER]):
                pass
        (tmp_path / "orb" / "key.pem").unlink()
        with pytest.raises(BadKey):
            async with Domain(nobody):
                pass

    run(story())
