"""`penstock users`: who may use a broker, Penstock or RabbitMQ, and for what."""

# Typer reads options from annotations: they are no strings here, as they are elsewhere.

import sys
from typing import Annotated, Any, Final

import typer

from penstock.cli.errors import explained
from penstock.cli.management import HERE, ManagementApi, asked
from penstock.cli.options import ApiOption, JsonOption, VhostOption, YesOption
from penstock.cli.printing import print_done, print_rows
from penstock.errors import BadSetting

__all__ = ["users"]

users = typer.Typer(
    name="users", help="Look at who may use a broker, and say who may do what.", no_args_is_help=True
)

#: What a user without a word about it is given: everything of that kind, or nothing.
ALL: Final = ".*"
NONE: Final = ""

NameArgument = Annotated[str, typer.Argument(metavar="USER", help="The name.", show_default=False)]
TagsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TAG",
        help="administrator, monitoring, policymaker, management; without any, all are taken away.",
    ),
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Such as monitoring; repeat it.")
]
StdinOption = Annotated[bool, typer.Option("--stdin", help="Read the password from standard input.")]
ConfigureOption = Annotated[
    str | None, typer.Option("--configure", metavar="REGEX", help="What they may make and delete.")
]
WriteOption = Annotated[
    str | None, typer.Option("--write", metavar="REGEX", help="What they may publish to.")
]
ReadOption = Annotated[str | None, typer.Option("--read", metavar="REGEX", help="What they may take from.")]
AllOption = Annotated[bool, typer.Option("--all", help="They may do everything there.")]
ClearOption = Annotated[bool, typer.Option("--clear", help="They may no longer come to that virtual host.")]


@users.command(name="list")
def list_(*, management: ApiOption = HERE, as_json: JsonOption = False) -> None:
    """List users, what they are, and where they may come to."""
    with explained(), asked(management) as api:
        granted: dict[str, list[str]] = {}
        for each in api.get("permissions"):
            granted.setdefault(each["user"], []).append(each["vhost"])
        # Hashes are nobody's business, and not a program's that asks for a list.
        rows = [
            {"name": each["name"], "tags": _tags(each), "vhosts": granted.get(each["name"], [])}
            for each in api.get("users")
        ]
        print_rows(rows, ("name", "tags", "vhosts"), as_json=as_json)


@users.command()
def add(
    user: NameArgument,
    *,
    tags: TagOption = None,
    stdin: StdinOption = False,
    vhost: VhostOption = "/",
    everything: AllOption = False,
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Let somebody in who was not known before; the password is asked for."""
    with explained(), asked(management) as api:
        if api.maybe("users", user) is not None:
            raise BadSetting(f"there is a user {user} already: see `penstock users password`", setting="user")
        api.put("users", user, body={"password": _password(stdin=stdin), "tags": _joined(tags)})
        if everything:
            api.put("permissions", vhost, user, body={"configure": ALL, "write": ALL, "read": ALL})
        where = f", who may do everything in {vhost}" if everything else "; `users permissions` says for what"
        print_done(f"user {user} is added{where}", {"name": user, "tags": tags or []}, as_json=as_json)


@users.command()
def password(
    user: NameArgument,
    *,
    stdin: StdinOption = False,
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Give somebody another password; it is asked for."""
    with explained(), asked(management) as api:
        known = api.get("users", user)
        api.put("users", user, body={"password": _password(stdin=stdin), "tags": _joined(_tags(known))})
        print_done(f"user {user} has another password", {"name": user}, as_json=as_json)


@users.command()
def tags(
    user: NameArgument,
    given: TagsArgument = None,
    *,
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Say what somebody is to the management API: these tags, and no others."""
    with explained(), asked(management) as api:
        known = api.get("users", user)
        # A user that is put without it would have no password any more.
        kept = {name: known[name] for name in ("password_hash", "hashing_algorithm") if name in known}
        api.put("users", user, body={**kept, "tags": _joined(given)})
        told = ", ".join(given or []) or "no tags"
        print_done(f"user {user} has {told}", {"name": user, "tags": given or []}, as_json=as_json)


@users.command()
def permissions(
    user: NameArgument,
    *,
    configure: ConfigureOption = None,
    write: WriteOption = None,
    read: ReadOption = None,
    everything: AllOption = False,
    clear: ClearOption = False,
    vhost: VhostOption = "/",
    management: ApiOption = HERE,
    as_json: JsonOption = False,
) -> None:
    """Show what somebody may do where; or say it, for one virtual host."""
    given = {"configure": configure, "write": write, "read": read}
    with explained(), asked(management) as api:
        api.get("users", user)
        if clear:
            api.delete("permissions", vhost, user)
        elif everything or any(each is not None for each in given.values()):
            api.put("permissions", vhost, user, body=_granted(api, vhost, user, given, everything=everything))
        found = api.get("users", user, "permissions")
        print_rows(found, ("vhost", "configure", "write", "read"), as_json=as_json)


@users.command()
def delete(
    user: NameArgument, *, management: ApiOption = HERE, yes: YesOption = False, as_json: JsonOption = False
) -> None:
    """Let somebody in no longer, after asking."""
    with explained(), asked(management) as api:
        api.get("users", user)
        if not yes:
            typer.confirm(f"Delete user {user}?", abort=True, err=True)
        api.delete("users", user)
        print_done(f"user {user} is deleted", {"deleted": user}, as_json=as_json)


def _granted(
    api: ManagementApi, vhost: str, user: str, given: dict[str, str | None], *, everything: bool
) -> dict[str, str]:
    """What they may from now on: what is not said stays as it was."""
    known = api.maybe("permissions", vhost, user) or {}
    usual = dict.fromkeys(given, ALL) if everything else {name: known.get(name, NONE) for name in given}
    return usual | {name: regex for name, regex in given.items() if regex is not None}


def _password(*, stdin: bool) -> str:
    """A command line is everybody's to read: it comes from the terminal, or from standard input."""
    if stdin:
        told = sys.stdin.readline().rstrip("\n")
    else:
        told = str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    if not told:
        raise BadSetting("a password has at least one character", setting="password")
    return told


def _tags(user: dict[str, Any]) -> list[str]:
    """As RabbitMQ told them until 3.8, by commas, and since, as a list."""
    told = user.get("tags") or []
    return [each for each in told.split(",") if each] if isinstance(told, str) else list(told)


def _joined(tags: list[str] | None) -> str:
    return ",".join(tags or [])
