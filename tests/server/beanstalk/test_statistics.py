from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World

#: beanstalkd 1.13's, in its order.
SERVER = [
    "current-jobs-urgent",
    "current-jobs-ready",
    "current-jobs-reserved",
    "current-jobs-delayed",
    "current-jobs-buried",
    "cmd-put",
    "cmd-peek",
    "cmd-peek-ready",
    "cmd-peek-delayed",
    "cmd-peek-buried",
    "cmd-reserve",
    "cmd-reserve-with-timeout",
    "cmd-delete",
    "cmd-release",
    "cmd-use",
    "cmd-watch",
    "cmd-ignore",
    "cmd-bury",
    "cmd-kick",
    "cmd-touch",
    "cmd-stats",
    "cmd-stats-job",
    "cmd-stats-tube",
    "cmd-list-tubes",
    "cmd-list-tube-used",
    "cmd-list-tubes-watched",
    "cmd-pause-tube",
    "job-timeouts",
    "total-jobs",
    "max-job-size",
    "current-tubes",
    "current-connections",
    "current-producers",
    "current-workers",
    "current-waiting",
    "total-connections",
    "pid",
    "version",
    "rusage-utime",
    "rusage-stime",
    "uptime",
    "binlog-oldest-index",
    "binlog-current-index",
    "binlog-records-migrated",
    "binlog-records-written",
    "binlog-max-size",
    "draining",
    "id",
    "hostname",
    "os",
    "platform",
]


def test_the_servers_keys_are_beanstalkds(client: Client) -> None:
    assert list(client.stats("stats")) == SERVER


def test_the_server_tells_what_there_is(world: World, client: Client, other: Client) -> None:
    client.put(pri=1023)
    client.put(pri=1024)
    client.put(delay=5)
    client.reserve()
    other.say("watch a", "ignore default", "reserve")
    world.advance(3)
    told = client.stats("stats")
    wanted = {
        "current-jobs-urgent": "0",
        "current-jobs-ready": "1",
        "current-jobs-reserved": "1",
        "current-jobs-delayed": "1",
        "cmd-put": "3",
        "cmd-reserve-with-timeout": "1",
        "total-jobs": "3",
        "max-job-size": "65535",
        "current-tubes": "2",
        "current-connections": "2",
        "current-producers": "1",
        "current-workers": "2",
        "current-waiting": "1",
        "total-connections": "2",
        "uptime": "3",
        "draining": "false",
    }
    assert {name: told[name] for name in wanted} == wanted


def test_a_tube_tells_what_is_in_it(world: World, client: Client, other: Client) -> None:
    other.say("reserve")
    client.put()
    client.put(pri=5)
    client.say("pause-tube default 9")
    world.advance(2)
    client.say("delete 2")
    assert client.stats("stats-tube default") == {
        "name": "default",
        "current-jobs-urgent": "0",
        "current-jobs-ready": "0",
        "current-jobs-reserved": "1",
        "current-jobs-delayed": "0",
        "current-jobs-buried": "0",
        "total-jobs": "2",
        "current-using": "2",
        "current-watching": "2",
        "current-waiting": "0",
        "cmd-delete": "1",
        "cmd-pause-tube": "1",
        "pause": "9",
        "pause-time-left": "7",
    }


def test_a_job_tells_its_story(world: World, client: Client) -> None:
    client.put(pri=5, delay=2, ttr=9)
    assert client.stats("stats-job 1")["time-left"] == "2"
    world.advance(2)
    client.reserve()
    client.say("release 1 6 3")
    assert client.stats("stats-job 1")["delay"] == "3"
    client.say("kick 1")
    client.reserve()
    client.say("bury 1 7", "kick-job 1")
    client.reserve()
    world.advance(10)
    client.reserve()
    world.advance(4)
    assert client.stats("stats-job 1") == {
        "id": "1",
        "tube": "default",
        "state": "reserved",
        "pri": "7",
        "age": "16",
        "delay": "3",
        "ttr": "9",
        "time-left": "5",
        "file": "0",
        "reserves": "4",
        "timeouts": "1",
        "releases": "1",
        "buries": "1",
        "kicks": "2",
    }
    assert client.stats("stats")["job-timeouts"] == "1"
