from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadSetting
from penstock.server.certificates import maybe_name
from penstock.server.tls import load_certificate, server_context
from penstock.settings import Settings
from tests.server.certified import Authority

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def broker(authority: Authority) -> tuple[Path, Path]:
    return authority.issue("broker")


def settings(broker: tuple[Path, Path], authority: Authority | None = None, **more: str) -> Settings:
    given = {"amqps_certificate": broker[0], "amqps_key": broker[1]} | more
    return Settings(amqps_client_ca=authority.file if authority else None, **given)  # type: ignore[arg-type]


def shaken(server: ssl.SSLContext, client: ssl.SSLContext) -> ssl.SSLObject:
    """The server's side after a handshake in memory."""
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    here = server.wrap_bio(inward, outward, server_side=True)
    there = client.wrap_bio(outward, inward, server_hostname="localhost")
    for side in (there, here, there, here):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    here.do_handshake()
    return here


def client(authority: Authority, certificate: tuple[Path, Path] | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=authority.file)
    if certificate:
        context.load_cert_chain(*certificate)
    return context


def test_a_client_that_knows_the_authority_gets_modern_tls(
    authority: Authority, broker: tuple[Path, Path]
) -> None:
    session = shaken(server_context(settings(broker)), client(authority))
    assert session.version() == "TLSv1.3"
    assert not session.getpeercert()


def test_tls_1_1_is_not_spoken(broker: tuple[Path, Path]) -> None:
    assert server_context(settings(broker)).minimum_version == ssl.TLSVersion.TLSv1_2


def test_key_and_certificate_may_be_in_one_file(authority: Authority, broker: tuple[Path, Path]) -> None:
    broker[0].write_bytes(broker[0].read_bytes() + broker[1].read_bytes())
    shaken(server_context(Settings(amqps_certificate=broker[0])), client(authority))


@pytest.mark.parametrize("certificate", ["optional", "required"])
def test_a_client_certificate_is_checked_and_names_somebody(
    authority: Authority, broker: tuple[Path, Path], certificate: str
) -> None:
    context = server_context(settings(broker, authority, amqps_client_certificate=certificate))
    session = shaken(context, client(authority, authority.issue("ada")))
    assert maybe_name(session.getpeercert() or {}, "distinguished_name") == "CN=ada,O=Penstock"


def test_a_client_certificate_can_be_required(authority: Authority, broker: tuple[Path, Path]) -> None:
    optional = server_context(settings(broker, authority))
    assert not shaken(optional, client(authority)).getpeercert()
    required = server_context(settings(broker, authority, amqps_client_certificate="required"))
    with pytest.raises(ssl.SSLError, match="PEER_DID_NOT_RETURN_A_CERTIFICATE"):
        shaken(required, client(authority))


def test_a_client_certificate_of_a_stranger_is_refused(
    authority: Authority, broker: tuple[Path, Path], tmp_path: Path
) -> None:
    stranger = Authority(tmp_path, "stranger").issue("ada")
    with pytest.raises(ssl.SSLError, match="CERTIFICATE_VERIFY_FAILED"):
        shaken(server_context(settings(broker, authority)), client(authority, stranger))


def test_an_encrypted_key_needs_its_password(authority: Authority) -> None:
    encrypted = authority.issue("broker", password="s3cret")  # noqa: S106
    shaken(server_context(settings(encrypted, amqps_key_password="s3cret")), client(authority))  # noqa: S106
    for wrong in ("none", "wrong"):
        with pytest.raises(
            BadSetting, match=r"^amqps_key_password: it does not open the encrypted key in "
        ) as caught:
            server_context(settings(encrypted, amqps_key_password=wrong))
        assert caught.value.setting == "amqps_key_password"


def test_a_renewed_certificate_is_taken_without_a_new_listener(
    authority: Authority, broker: tuple[Path, Path], tmp_path: Path
) -> None:
    context = server_context(settings(broker))
    renewer = Authority(tmp_path, "renewer")
    renewer.issue("broker")
    load_certificate(context, settings(broker))
    shaken(context, client(renewer))


def test_a_key_of_another_certificate_is_found_out(authority: Authority, broker: tuple[Path, Path]) -> None:
    other = authority.issue("other")
    with pytest.raises(
        BadSetting, match=r"other\.key is not the key of the certificate in .*broker\.pem"
    ) as caught:
        server_context(settings((broker[0], other[1])))
    assert caught.value.setting == "amqps_key"


@pytest.mark.parametrize(
    ("setting", "content", "complaint"),
    [
        ("amqps_certificate", None, "amqps_certificate: cannot read .*: No such file"),
        ("amqps_key", None, "amqps_key: cannot read .*: No such file"),
        ("amqps_client_ca", None, "amqps_client_ca: cannot read .*: No such file"),
        ("amqps_certificate", b"hello", "amqps_certificate: .* has no certificate in PEM"),
        ("amqps_key", b"hello", "amqps_key: .* has no private key in PEM"),
        ("amqps_client_ca", b"hello", "amqps_client_ca: .* has no certificate in PEM"),
        (
            "amqps_certificate",
            b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            r"amqps_certificate: .* cannot be used \(",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_setting(
    broker: tuple[Path, Path], tmp_path: Path, setting: str, content: bytes | None, complaint: str
) -> None:
    file = tmp_path / "bad.pem"
    if content is not None:
        file.write_bytes(content)
    given = {"amqps_certificate": broker[0], "amqps_key": broker[1], setting: file}
    with pytest.raises(BadSetting, match=complaint) as caught:
        server_context(Settings(**given))  # type: ignore[arg-type]
    assert caught.value.setting == setting


def test_without_a_certificate_there_is_no_tls() -> None:
    with pytest.raises(BadSetting, match="TLS needs amqps_certificate"):
        server_context(Settings())
