# SPDX-License-Identifier: GPL-2.0-or-later
"""The attributes of a server in one form, independent of the program that lists them."""

from dataclasses import dataclass, fields

from .checks import equal
from .schema import full_uuid

PROPERTIES = {
    "broadcast": 0x01,
    "read": 0x02,
    "write-without-response": 0x04,
    "write": 0x08,
    "notify": 0x10,
    "indicate": 0x20,
    "authenticated-signed-writes": 0x40,
    "extended-properties": 0x80,
}


@dataclass
class Tree:
    """Handles, complete UUIDs and properties; `None` for attributes that a program does not list."""

    primary: set[tuple] | None = None  # start, end, UUID
    secondary: set[tuple] | None = None
    includes: set[tuple] | None = None  # handle, start, end
    characteristics: set[tuple] | None = None  # value handle, properties, UUID
    descriptors: set[tuple] | None = None  # handle, UUID

    @classmethod
    def of_json(cls, parts: dict[str, list]) -> "Tree":
        return cls(**{name: {tuple(entry) for entry in entries} for name, entries in parts.items()})

    def is_listed_by(self, other: "Tree", who: str) -> None:
        """Expects that `other` contains the same of everything that it lists."""
        for field in fields(self):
            listed = getattr(other, field.name)
            if listed is not None:
                equal(sorted(listed), sorted(getattr(self, field.name)), f"{field.name} as {who} lists them")

    def without(self, starts: set[int]) -> "Tree":
        """The tree without the services that start there, without their content, and without services that include
        them."""
        ranges = [(start, end) for start, end, _ in self.primary | self.secondary if start in starts]

        def outside(entries: set[tuple]) -> set[tuple]:
            return {entry for entry in entries if not any(start <= entry[0] <= end for start, end in ranges)}

        rest = Tree(**{field.name: outside(getattr(self, field.name)) for field in fields(self)})
        rest.includes = {entry for entry in rest.includes if entry[1] not in starts}
        return rest

    def of_primary_services(self) -> "Tree":
        """The part that clients see which discover primary services only."""
        ranges = [(start, end) for start, end, _ in self.primary]

        def inside(entries: set[tuple]) -> set[tuple]:
            return {entry for entry in entries if any(start <= entry[0] <= end for start, end in ranges)}

        return Tree(
            primary=self.primary,
            includes=inside(self.includes),
            characteristics=inside(self.characteristics),
            descriptors=inside(self.descriptors),
        )

    @classmethod
    def inspected(cls, records: list[dict]) -> "Tree":
        """The tree that `blectl inspect --json` prints."""
        tree = cls(set(), set(), set(), set(), set())
        for record in records:
            match record["type"]:
                case "service":
                    kind = tree.primary if record["primary"] else tree.secondary
                    kind.add((record["handle"], record["end_handle"], full_uuid(record["uuid"])))
                case "include":
                    tree.includes.add((record["handle"], record["included_handle"], record["included_end_handle"]))
                case "characteristic":
                    bits = sum(PROPERTIES[name] for name in record["properties"])
                    tree.characteristics.add((record["value_handle"], bits, full_uuid(record["uuid"])))
                case "descriptor":
                    tree.descriptors.add((record["handle"], full_uuid(record["uuid"])))
        return tree
