"""Lives of DIDs to hold conversations about: drawn by chance, lived by somebody else's code, mixed up by us.

Keys that sign are on secp256k1, which all networks have. What is drawn is what every node of ION takes: the
tables of what they refuse stand with the conversations.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.sidetree import requests
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.base64url import decode, encode
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.did import long_form
from penstock.sidetree.multihash import hashed
from penstock.sidetree.signing import SigningKey
from tests.conversations.sidetree_reference import METHOD
from tests.sidetree.lives import add_services, key, public_key

if TYPE_CHECKING:
    from random import Random

    from tests.conversations.sidetree_reference import Reference

__all__ = ["anchored", "by_us", "document", "drawn_life", "lives_of", "mixed_up"]

CURVE = "secp256k1"
#: Of a delta's 1000 bytes, for what it lists; letters beyond ASCII have more than one.
ROOM = 780
PURPOSES = [
    "assertionMethod",
    "authentication",
    "capabilityDelegation",
    "capabilityInvocation",
    "keyAgreement",
]
KEY_TYPES = [
    "EcdsaSecp256k1VerificationKey2019",
    "Ed25519VerificationKey2018",
    "JsonWebKey2020",
    "Schlüssel🔑",
]
SERVICE_TYPES = ["DIDCommMessaging", "Dienst-für-🐟", "LinkedDomains", "x" * 30, ""]
ENDPOINTS: list[Any] = [
    "https://example.com/",
    "https://ü.example/ß?q=🙂#é",
    "did:example:1",
    "hub",
    "//host/a b",
    "mailto:a@b.example?to=c@d",
    "urn:a:b",
    "",
    {},
    {"origins": ["https://a.example"], "weight": 1.5, "ü": [True, {"🙂": "\u2028"}]},
]


def operation_key(life: str, kind: str, number: int) -> SigningKey:
    """The key that a holder promises under this number."""
    return key(f"{life} {kind} {number}", CURVE)


def a_key(random: Random) -> dict[str, Any]:
    curve = random.choice(["P-256", "secp256k1", "Ed25519"])
    made = public_key(
        random.choice(["a", "b", "c-1", "_"]),
        type=random.choice(KEY_TYPES),
        publicKeyJwk=key(f"document {random.randrange(9)}", curve).public,
        purposes=random.sample(PURPOSES, random.randrange(4)),
    )
    return made if made["purposes"] else {name: made[name] for name in made if name != "purposes"}


def a_service(random: Random) -> dict[str, Any]:
    return {
        "id": random.choice(["s", "t", "u-1", "_"]),
        "type": random.choice(SERVICE_TYPES),
        "serviceEndpoint": random.choice(ENDPOINTS),
    }


def several(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each id once, and no more than there is room for."""
    found = list({each["id"]: each for each in made}.values())
    while len(canonical(found)) > ROOM // 2:
        found.pop()
    return found


def keys(random: Random) -> list[dict[str, Any]]:
    return several([a_key(random) for _ in range(random.randrange(3))])


def services(random: Random) -> list[dict[str, Any]]:
    return several([a_service(random) for _ in range(random.randrange(3))])


def document(random: Random) -> dict[str, Any]:
    """A whole new one."""
    return {"publicKeys": keys(random), "services": services(random)}


def a_patch(random: Random) -> dict[str, Any]:
    action = random.choice(
        ["add-public-keys", "add-services", "remove-public-keys", "remove-services", "replace"]
    )
    match action:
        case "add-public-keys":
            return {"action": action, "publicKeys": keys(random)}
        case "add-services":
            return {"action": action, "services": services(random)}
        case "replace":
            made = document(random)
            return {
                "action": action,
                "document": {name: made[name] for name in made if random.random() < 0.7},
            }
        case _:
            return {"action": action, "ids": random.choices(["a", "b", "s", "t", "unknown"], k=2)}


def patches(random: Random) -> list[dict[str, Any]]:
    made = [a_patch(random) for _ in range(random.randrange(3))]
    return made if len(canonical(made)) <= ROOM else made[:1]


def near(random: Random, number: int, most: int) -> int:
    """This number, or now and then any other: a key of before, or one that nobody has promised."""
    return number if random.random() < 0.85 else random.randrange(most + 2)


def drawn_life(random: Random, name: str) -> list[dict[str, Any]]:
    """What a holder does, one to ten steps; now and then with a key that was not promised, or was before."""
    first = {
        "update": operation_key(name, "update", 0).public,
        "recovery": operation_key(name, "recovery", 0).public,
    }
    steps: list[dict[str, Any]] = [{"type": "create", "document": document(random), **first}]
    at = {"update": 0, "recovery": 0}
    for _ in range(random.randrange(10)):
        (type_,) = random.choices(["update", "recover", "deactivate"], [14, 6, 1])
        kind = "update" if type_ == "update" else "recovery"
        signer = near(random, at[kind], at[kind])
        step: dict[str, Any] = {"type": type_, "key": operation_key(name, kind, signer).jwk()}
        if type_ != "deactivate":
            at[kind] = near(random, signer + 1, at[kind])
            step[kind] = operation_key(name, kind, at[kind]).public
        if type_ == "recover":
            at["update"] = near(random, at["update"] + 1, at["update"])
            step["update"] = operation_key(name, "update", at["update"]).public
            step["document"] = document(random)
        elif type_ == "update":
            step["patches"] = patches(random)
        steps.append(step)
    return steps


def spoilt(random: Random, request: str) -> str:
    """The same with another signature, or with a delta that its author did not mean."""
    value = json.loads(request)
    if value["type"] != "create" and random.random() < 0.5:
        signed, _, signature = value["signedData"].rpartition(".")
        data = bytearray(decode(signature))
        data[random.randrange(len(data))] ^= 1
        value["signedData"] = f"{signed}.{encode(bytes(data))}"
    elif value["type"] != "deactivate":
        value["delta"]["patches"] = [add_services("other")]
    return json.dumps(value, ensure_ascii=False)


def mixed_up(random: Random, suffix: str, posted: list[str]) -> list[dict[str, Any]]:
    """The requests as they are anchored: with spoilt copies, replayed, and out of order."""
    history = list(posted)
    for request in posted:
        if random.random() < 0.2:
            history.insert(random.randrange(len(history) + 1), spoilt(random, request))
        if random.random() < 0.1:
            history.append(request)
    for _ in range(random.choice([0, 0, 1, 3])):
        one, other = random.randrange(len(history)), random.randrange(len(history))
        history[one], history[other] = history[other], history[one]
    return [
        {"type": parse(request.encode())["type"], "suffix": suffix, "request": request, "number": number}
        for number, request in enumerate(history, 1)
    ]


def anchored(operations: list[dict[str, Any]]) -> list[Anchored]:
    """The same history as ours have it."""
    return [
        Anchored(
            type=each["type"],
            suffix=each["suffix"],
            request=each["request"].encode(),
            time=each["number"],
            reference=f"anchor {each['number']}",
        )
        for each in operations
    ]


def by_us(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """The life as our code lives it: what their `life` gives."""
    made: list[Any] = []
    suffix = ""
    for step in steps:
        signer = SigningKey.of(step["key"]) if "key" in step else None
        replaced = [{"action": "replace", "document": step.get("document")}]
        if signer is None:
            made.append(requests.create(replaced, recovery_key=step["recovery"], update_key=step["update"]))
            suffix = hashed(made[0]["suffixData"])
        elif step["type"] == "update":
            made.append(requests.update(suffix, step["patches"], key=signer, next_update_key=step["update"]))
        elif step["type"] == "recover":
            following = {"next_recovery_key": step["recovery"], "next_update_key": step["update"]}
            made.append(requests.recover(suffix, replaced, key=signer, **following))
        else:
            made.append(requests.deactivate(suffix, key=signer))
    return {
        "suffix": suffix,
        "requests": [canonical(request).decode() for request in made],
        "longForm": long_form(f"{METHOD.namespace}:{suffix}", made[0]),
    }


def lives_of(
    random: Random, reference: Reference, count: int
) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    """Plans, and what was made of them: by their code and by ours in turn."""
    plans = [drawn_life(random, f"{random.random()}") for _ in range(count)]
    theirs = iter(reference.ask("life", plans[::2]))
    return [(plan, by_us(plan) if place % 2 else next(theirs)) for place, plan in enumerate(plans)]
