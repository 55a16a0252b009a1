"""How long things may be, and what a tube may be called (beanstalk protocol: preface, use)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["JOB_MAX", "LARGEST_32", "LARGEST_64", "LINE_MAX", "NAME_MAX", "is_tube_name"]

#: Bytes of a command line, its end included.
LINE_MAX: Final = 224
#: Bytes of a tube's name.
NAME_MAX: Final = 200
#: Bytes of a job, unless the server is told otherwise.
JOB_MAX: Final = 2**16 - 1

LARGEST_32: Final = 2**32 - 1
LARGEST_64: Final = 2**64 - 1

_NAME: Final = re.compile(rf"[A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{{0,{NAME_MAX - 1}}}")


def is_tube_name(name: str) -> bool:
    """Whether a tube may be called so."""
    return _NAME.fullmatch(name) is not None
