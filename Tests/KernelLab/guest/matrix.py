# SPDX-License-Identifier: GPL-2.0-or-later
"""The points that each peer is tested for."""

import importlib

from . import cannot


def table() -> str:
    """For each peer and link, the tested points, and the points that the peer cannot do, with the reason."""
    parts = []
    for area, peers in (("their_clients", "CLIENTS"), ("their_servers", "SERVERS")):
        module = importlib.import_module(f"cases.{area}")
        columns = [(peer, link) for peer in getattr(module, peers) for link in peer.links]
        reasons: list[str] = []
        lines = [area.replace("_", " ")]
        for number, (peer, link) in enumerate(columns, 1):
            lines.append(f"  {number}  {peer.name} {module.WAYS[link]}")
        lines.append("  " + " " * 32 + "".join(f"{number:^5}" for number in range(1, len(columns) + 1)))
        for point in module.CHECKLIST:
            marks = ""
            for peer, _ in columns:
                reason = peer.lacks.get(point)
                if reason and (sentence := f"{peer.name}: {reason}") not in reasons:
                    reasons.append(sentence)
                marks += f"({letter(reasons.index(f'{peer.name}: {reason}'))})".center(5) if reason else f"{'x':^5}"
            lines.append(f"  {point:32}{marks}")
        lines += [f"  ({letter(index)}) {sentence}" for index, sentence in enumerate(reasons)]
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, cannot.table()])


def letter(index: int) -> str:
    return chr(ord("a") + index)
