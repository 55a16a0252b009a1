"""What a method is, and the table of all of them.

An annotation is a field on the wire, in its order; a ClassVar is a reserved one. The codec is compiled from
them (`fields.py`), so that nothing is encoded by hand. Knows no sequence, state or meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, dataclass_transform

from penstock.wire.amqp.constants import Role
from penstock.wire.amqp.fields import Codec

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BOTH", "CLIENT", "METHODS", "SERVER", "Method", "method"]


class Method:
    """What all methods have. A method is immutable, and equal to another of its class and values."""

    __slots__ = ()

    #: Class id in the upper, method id in the lower sixteen bits, as they lie on the wire.
    id: ClassVar[int]
    #: As the standard spells it: ``queue.declare-ok``.
    name: ClassVar[str]
    #: Who may receive it.
    to: ClassVar[Role]
    #: A content header, and perhaps bodies, follow.
    has_content: ClassVar[bool]
    codec: ClassVar[Codec[Any]]


T = TypeVar("T", bound=Method)

#: All methods by their id.
METHODS: Final[dict[int, type[Method]]] = {}

SERVER: Final = Role.SERVER
CLIENT: Final = Role.CLIENT
BOTH: Final = Role.BOTH


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def method(
    class_id: int, method_id: int, name: str, to: Role, *, has_content: bool = False
) -> Callable[[type[T]], type[T]]:
    """Makes a method of a class of annotations, and puts it into `METHODS`."""

    def declare(plain: type[T]) -> type[T]:
        cls = dataclass(frozen=True, slots=True)(plain)
        cls.id = class_id << 16 | method_id
        cls.name = name
        cls.to = to
        cls.has_content = has_content
        cls.codec = Codec(cls)
        METHODS[cls.id] = cls
        return cls

    return declare
