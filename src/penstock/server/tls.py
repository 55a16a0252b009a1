"""TLS for listeners: an `ssl.SSLContext` from the settings, or an error that names the setting to mend.

The protocol versions and ciphers are those of Python's own default context; TLS 1.2 is the oldest.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from penstock.errors import BadSetting

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.settings import Settings

__all__ = ["load_certificate", "server_context"]


def server_context(settings: Settings) -> ssl.SSLContext:
    """What the TLS listeners use.

    Raises:
        BadSetting: a file is missing or of the wrong kind, or key and certificate do not belong together.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # A client that asks again and again for new keys costs only us.
    context.options |= ssl.OP_NO_RENEGOTIATION
    load_certificate(context, settings)
    if settings.amqps_client_ca:
        _load_authorities(context, settings.amqps_client_ca)
        required = settings.amqps_client_certificate == "required"
        context.verify_mode = ssl.CERT_REQUIRED if required else ssl.CERT_OPTIONAL
    return context


def load_certificate(context: ssl.SSLContext, settings: Settings) -> None:
    """Take certificate and key from their files, also anew: connections made afterwards use them.

    Raises:
        BadSetting: as above; what the context had before stays.
    """
    certificate, key = settings.amqps_certificate, settings.amqps_key
    if certificate is None:
        raise BadSetting("TLS needs amqps_certificate", setting="amqps_certificate")
    _must_be_readable(certificate, "amqps_certificate")
    if key is not None:
        _must_be_readable(key, "amqps_key")
    # Without a password function OpenSSL would ask at the terminal, and the broker would hang.
    password = settings.amqps_key_password or ""
    try:
        context.load_cert_chain(certificate, key, password=lambda: password)
    except (ssl.SSLError, ValueError) as exc:
        raise _explained(exc, certificate, key) from exc


def _load_authorities(context: ssl.SSLContext, file: Path) -> None:
    _must_be_readable(file, "amqps_client_ca")
    try:
        context.load_verify_locations(file)
    except ssl.SSLError as exc:
        raise BadSetting(
            f"amqps_client_ca: {file} has no certificate in PEM", setting="amqps_client_ca"
        ) from exc


def _must_be_readable(file: Path, setting: str) -> None:
    try:
        with file.open("rb"):
            pass
    except OSError as exc:
        raise BadSetting(f"{setting}: cannot read {file}: {exc.strerror}", setting=setting) from exc


def _explained(exc: Exception, certificate: Path, key: Path | None) -> BadSetting:
    """What OpenSSL means."""
    reason = getattr(exc, "reason", None) or str(exc)
    if reason == "KEY_VALUES_MISMATCH":
        return BadSetting(
            f"amqps_key: {key or certificate} is not the key of the certificate in {certificate}",
            setting="amqps_key",
        )
    if not _has(certificate, b"CERTIFICATE-----"):
        return BadSetting(
            f"amqps_certificate: {certificate} has no certificate in PEM", setting="amqps_certificate"
        )
    if not _has(key or certificate, b"PRIVATE KEY-----"):
        return BadSetting(f"amqps_key: {key or certificate} has no private key in PEM", setting="amqps_key")
    if _has(key or certificate, b"ENCRYPTED"):
        return BadSetting(
            f"amqps_key_password: it does not open the encrypted key in {key or certificate}",
            setting="amqps_key_password",
        )
    return BadSetting(
        f"amqps_certificate: {certificate} cannot be used ({reason})", setting="amqps_certificate"
    )


def _has(file: Path, mark: bytes) -> bool:
    return mark in file.read_bytes()
