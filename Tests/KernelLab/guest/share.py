# SPDX-License-Identifier: GPL-2.0-or-later
"""The division of the cases between machines that run at the same time, and between the processes for those that need none.

The cases of a world are cut into parts. Each machine takes the parts that no other has taken. The first one begins with the
first world, the second one with the last, and further ones between them, so that few worlds are created twice.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from .catalogue import Case

# The cases of a part. Few enough that all machines end at about the same time.
PART = 8


@dataclass(frozen=True)
class Share:
    """A machine's share of the cases. Without a folder, it takes all of them."""

    folder: Path | None = None
    number: int = 0
    machines: int = 1

    def in_order(self, items) -> list:
        """The items in the order in which this machine takes them."""
        items = list(items)
        if self.number == 1:
            return items[::-1]
        start = len(items) * max(0, self.number - 1) // max(1, self.machines - 1)
        return items[start:] + items[:start]

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
