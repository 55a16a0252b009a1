"""What the management API answers with, as types, for the OpenAPI document: RabbitMQ's forms, and our fields.

Nothing is required of a row, since whoever asks may want some of its columns only (`?columns=`).
"""

from __future__ import annotations

from typing import Generic, TypedDict, TypeVar

__all__ = ["Page"]

T = TypeVar("T")


class Page(TypedDict, Generic[T]):
    """A page of a list, for whoever asks with `?page=`."""

    items: list[T]
    total_count: int
    filtered_count: int
    item_count: int
    page: int
    page_size: int
    page_count: int
