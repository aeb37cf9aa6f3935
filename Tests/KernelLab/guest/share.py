# SPDX-License-Identifier: GPL-2.0-or-later
"""The division of the cases between machines that run at the same time.

The cases of a world are cut into parts. Each machine takes the parts that no other has taken. One begins with the first
world and the other with the last, so that few worlds are created twice.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from .catalogue import Case

# The cases of a part. Few enough that both machines end at about the same time.
PART = 8


@dataclass(frozen=True)
class Share:
    """A machine's share of the cases. Without a folder, it takes all of them."""

    folder: Path | None = None
    is_from_the_end: bool = False

    def in_order(self, items) -> list:
        return list(reversed(list(items))) if self.is_from_the_end else list(items)

    def parts(self, world: str, cases: list[Case]) -> Iterator[list[Case]]:
        """Takes and yields parts of a world's cases until none is left."""
        parts = [cases[start : start + PART] for start in range(0, len(cases), PART)]
        for number, part in self.in_order(enumerate(parts)):
            if self.take(f"{world}-{number}"):
                yield part

    def take(self, name: str) -> bool:
        """Takes a part, unless another machine has it. Creating a folder is atomic on the host as well, which opening a
        new file through the machine's file system is not."""
        if self.folder is None:
            return True
        try:
            (self.folder / name).mkdir()
        except FileExistsError:
            return False
        return True
