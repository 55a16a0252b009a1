"""Frames taken apart: property lists and bodies of many contents at a time, without a look at each.

A content is a header frame and body frames (wire/amqp/content.py). Where all headers are of one size and each
body is one frame, which is nearly always, both columns are slices. Measured with bodies of 1 KB: 0.2 µs a
row, and 1.3 µs one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wire.amqp.content import bodies_of, body_size_of, properties_of
from penstock.wire.arrow.columns import arrow_type
from penstock.wire.arrow.encoding import binary_array
from penstock.wire.arrow.library import arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bodies_in", "property_lists_in"]

#: Where a header frame says how long it is and how large the body; where its property list begins.
_HEADER_SIZE: Final = (3, 7)
_BODY_SIZE: Final = (11, 19)
_PROPERTIES_AT: Final = 19
#: From the size of the header to where its property list ends, and to where the body of one frame begins.
_TO_END, _TO_BODY = 7, 15


def property_lists_in(frames: Any) -> Any:
    """The property list of each content."""
    header = _one_header_size(frames)
    if header is None:
        return binary_array([properties_of(content).raw for content in frames.to_pylist()])
    return arrow().compute.binary_slice(frames, _PROPERTIES_AT, header + _TO_END)


def bodies_in(frames: Any) -> Any:
    """The body of each content; null is one that is lost."""
    header = _one_header_size(frames)
    if header is None or not _are_whole(frames, header):
        return binary_array(_one_by_one(frames.to_pylist()))
    return arrow().compute.binary_slice(frames, header + _TO_BODY, -1)


def _one_header_size(frames: Any) -> int | None:
    sizes = arrow().compute.binary_slice(frames, *_HEADER_SIZE).unique()
    return int.from_bytes(sizes[0].as_py(), "big") if len(sizes) == 1 else None


def _are_whole(frames: Any, header: int) -> bool:
    """Whether each body is one frame: then the content is as long as header and body say."""
    pa = arrow()
    pc = pa.compute
    said = pc.binary_reverse(pc.binary_slice(frames, *_BODY_SIZE))
    sizes = pa.Array.from_buffers(arrow_type("position"), len(said), [None, said.buffers()[2]])
    same: bool = pc.all(pc.equal(pc.add(sizes, header + _TO_BODY + 1), pc.binary_length(frames))).as_py()
    return same


def _one_by_one(contents: Sequence[bytes]) -> list[bytes | None]:
    return [
        body if len(body) == body_size_of(content) else None
        for content, body in zip(contents, bodies_of(contents), strict=True)
    ]
