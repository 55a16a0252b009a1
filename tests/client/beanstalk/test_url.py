from __future__ import annotations

from urllib.parse import unquote

import pytest

from penstock.client.beanstalk.url import BeanstalkUrl
from penstock.errors import BadUrl

#: As it is, and as a URL has it.
SECRET = unquote("a%20b%25")


@pytest.mark.parametrize(
    ("text", "expected", "shown"),
    [
        ("beanstalk://", BeanstalkUrl(), "beanstalk://localhost:11300"),
        ("beanstalk://h:5", BeanstalkUrl(host="h", port=5), "beanstalk://h:5"),
        ("beanstalks://h/", BeanstalkUrl(host="h", port=11301, is_tls=True), "beanstalks://h:11301"),
        ("beanstalk://[::1]:7", BeanstalkUrl(host="::1", port=7), "beanstalk://[::1]:7"),
        (
            "beanstalk://a%40b:a%20b%25@h",
            BeanstalkUrl(host="h", user="a@b", password=SECRET),
            "beanstalk://a%40b@h:11300",
        ),
        (
            "beanstalks://h?cacertfile=a&certfile=c&keyfile=k&verify=verify_none&server_name_indication=n",
            BeanstalkUrl(
                host="h",
                port=11301,
                is_tls=True,
                ca_file="a",
                certificate="c",
                key="k",
                verify="verify_none",
                server_name="n",
            ),
            "beanstalks://h:11301",
        ),
    ],
)
def test_a_url_says_where_and_who(text: str, expected: BeanstalkUrl, shown: str) -> None:
    assert BeanstalkUrl.parse(text) == expected
    assert str(expected) == shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("amqp://h", "begins with beanstalk:// or beanstalks://, not amqp"),
        ("h:11300", "not h"),
        ("beanstalk://u:sesame@h:port", "cannot be read: check its port"),
        ("beanstalk://u:sesame@h/vhost", "no path, since there are no virtual hosts: beanstalk://h/vhost"),
        ("beanstalk://u:sesame@h#x", "no path"),
        ("beanstalks://u:sesame@h?heartbeat=5", "no parameter heartbeat, only cacertfile"),
        ("beanstalks://u:sesame@h?verify=no", "verify is one of verify_peer, verify_none, not 'no'"),
    ],
)
def test_what_is_none_is_told_without_its_password(text: str, told: str) -> None:
    with pytest.raises(BadUrl, match=told) as caught:
        BeanstalkUrl.parse(text)
    assert "sesame" not in str(caught.value)


def test_who_comes_is_said_as_in_a_url() -> None:
    assert BeanstalkUrl(user="me", password=SECRET).login == b"auth me a%20b%25\r\n"
    assert BeanstalkUrl().login == b""
    assert "b%" not in repr(BeanstalkUrl(user="me", password=SECRET))
