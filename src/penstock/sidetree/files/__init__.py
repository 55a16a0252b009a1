"""The five files of a batch, both ways.

    core index ─┬─ core proof                    recovers and deactivates: their signatures
                └─ provisional index ─┬─ provisional proof    updates: their signatures
                                      └─ chunk                the deltas of all but deactivates

Written, a file is canonical JSON, compressed, under the address of its compressed bytes. Read, it is
anybody's: each limit is kept while the bytes come in, and whatever is wrong is one BadBatchFile with the file
and the reason. Who has written it can do with less: `own`.
"""

from penstock.sidetree.files.anchor_string import AnchorString, read_anchor_string
from penstock.sidetree.files.building import BatchFile, BatchFiles, build
from penstock.sidetree.files.own import read_own_batch
from penstock.sidetree.files.parts import Part, part_of, part_of_request, request_of_part
from penstock.sidetree.files.reading import Fetch, Observed, read_batch

__all__ = [
    "AnchorString",
    "BatchFile",
    "BatchFiles",
    "Fetch",
    "Observed",
    "Part",
    "build",
    "part_of",
    "part_of_request",
    "read_anchor_string",
    "read_batch",
    "read_own_batch",
    "request_of_part",
]
