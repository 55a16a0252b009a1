from __future__ import annotations

import pytest

from penstock.server.certificates import distinguished_name, maybe_name

Subject = tuple[tuple[tuple[str, str], ...], ...]

CLIENT: Subject = ((("organizationName", "Penstock"),), (("commonName", "client-1"),))


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        (CLIENT, "CN=client-1,O=Penstock"),  # the last first
        (((("commonName", "a"), ("userId", "b")),), "CN=a+UID=b"),  # two attributes in one part
        (((("commonName", 'a,b+"c"\\<d>;'),),), r"CN=a\,b\+\"c\"\\\<d\>\;"),
        (((("commonName", " #a "),),), r"CN=\ #a\ "),
        (((("commonName", "#a#"),),), r"CN=\#a#"),
        (((("commonName", " "),),), r"CN=\ "),
        (((("commonName", "a\0b"),),), r"CN=a\00b"),
        (((("1.2.3.4", "x"),),), "1.2.3.4=x"),
        ((), ""),
    ],
)
def test_a_subject_is_written_as_rfc_4514_says(subject: Subject, name: str) -> None:
    assert distinguished_name(subject) == name


@pytest.mark.parametrize(
    ("subject", "login_from", "name"),
    [
        (CLIENT, "distinguished_name", "CN=client-1,O=Penstock"),
        (CLIENT, "common_name", "client-1"),
        (((("commonName", "a"),), (("commonName", "b"),)), "common_name", "a,b"),
        (((("organizationName", "Penstock"),),), "common_name", None),
        ((), "distinguished_name", None),
    ],
)
def test_the_setting_says_which_name_is_the_users(
    subject: Subject, login_from: str, name: str | None
) -> None:
    assert maybe_name({"subject": subject}, login_from) == name


@pytest.mark.parametrize("login_from", ["distinguished_name", "common_name"])
def test_no_certificate_names_nobody(login_from: str) -> None:
    assert maybe_name({}, login_from) is None
