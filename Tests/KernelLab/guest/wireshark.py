# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures as Wireshark reads them, and the program's reading held to that, packet by packet."""

import functools
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from .checks import Failure
from .trace import ATT, REQUESTS

# Wireshark starts for many seconds on a machine that is busy.
PATIENCE = 200

# The severity of Wireshark's errors, among which is every malformed packet.
ERROR = 0x800000

# The only device of the lab whose advertisement comes in fragments. Wireshark dissects each fragment by itself, and
# finds the structure that was cut malformed.
FRAGMENTED = "00:aa:01:00:00:b0"
EXTENDED_REPORTS = 0x0D

# The records of the Linux monitor that are packets, and whether the host has sent them.
MONITORED = {2: True, 3: False, 4: True, 5: False, 6: True, 7: False, 16: True, 17: False, 18: True, 19: False}
CONTROL = (16, 17)
EVERY_ADAPTER = 0xFFFF

DISCONNECTION, RESET = 0x05, 0x0C03
CONNECTION_COMPLETE = (0x01, 0x0A, 0x29)
ROLES = ("central", "peripheral")
CONTINUATION = 1
# LE Encrypt, LE Rand, LE Enable Encryption, LE Long Term Key Request Reply, LE Add Device To Resolving List, Link Key
# Request Reply, PIN Code Request Reply, User Passkey Request Reply, and the commands with out-of-band data.
COMMANDS_WITH_KEYS = {0x2017, 0x2018, 0x2019, 0x201A, 0x2027, 0x040B, 0x040D, 0x042E, 0x0430, 0x0445, 0x0C57, 0x0C7D}
# Return Link Keys, Link Key Notification, User Passkey Notification, and LE Generate DHKey Complete.
EVENTS_WITH_KEYS = {(0x15, None), (0x18, None), (0x3B, None), (0x3E, 0x09)}
MINIMUM_MTU = 23
L2CAP_HEADER = 4
FIRST_DYNAMIC_CHANNEL = 0x40
ERROR_RESPONSE, MTU_RESPONSE, READ_BY_TYPE_RESPONSE, READ_RESPONSE = 0x01, 0x03, 0x09, 0x0B
INDICATION, CONFIRMATION = 0x1D, 0x1E
# The PDUs with several handles.
LISTS = {READ_BY_TYPE_RESPONSE, 0x0E, 0x20, 0x23}
# Where the value of a PDU begins that may have all of one. Spec: Core 5.4, Vol 3, Part F, 3.4
VALUES = {READ_RESPONSE: 1, 0x12: 3, 0x1B: 3, INDICATION: 3, 0x52: 3}

# Spec: Core 5.4, Vol 3, Part H, 3.3
SMP = {
    0x01: "Pairing Request",
    0x02: "Pairing Response",
    0x03: "Pairing Confirm",
    0x04: "Pairing Random",
    0x05: "Pairing Failed",
    0x06: "Encryption Information",
    0x07: "Central Identification",
    0x08: "Identity Information",
    0x09: "Identity Address Information",
    0x0A: "Signing Information",
    0x0B: "Security Request",
    0x0C: "Pairing Public Key",
    0x0D: "Pairing DHKey Check",
    0x0E: "Pairing Keypress Notification",
}


def _merged(pairs: list[tuple]) -> dict[str, list]:
    """An object of Wireshark, in which a key may be there several times, with lists."""
    merged: dict[str, list] = {}
    for key, value in pairs:
        merged.setdefault(key, []).extend(value if isinstance(value, list) else [value])
    return merged


@dataclass
class Frame:
    """A packet as Wireshark sees it."""

    layers: dict[str, list]

    def texts(self, name: str, ending: str = "") -> list[str]:
        """A field by its name in Wireshark's filters, as often as the packet has it."""
        layer = name.split(".")[0]
        key = f"{layer}_{name.replace('.', '_')}{ending}"
        return [
            value for each in self.layers.get(layer, []) if each for value in each.get(key, []) if value is not None
        ]

    def numbers(self, name: str) -> list[int]:
        return [int(text, 0) for text in self.texts(name)]

    def first(self, name: str) -> int | None:
        return next(iter(self.numbers(name)), None)

    def octets(self, layer: str) -> str | None:
        """All of a protocol in hex digits, put together from the fragments of a frame."""
        return next(iter(self.layers.get(f"{layer}_raw", [])), None)

    @functools.cached_property
    def number(self) -> int:
        return self.numbers("frame.number")[0]

    @functools.cached_property
    def nanoseconds(self) -> int:
        """The time since 1970."""
        seconds, fraction = self.texts("frame.time_epoch")[0].split(".")
        return int(seconds) * 10**9 + int(fraction)

    @functools.cached_property
    def protocols(self) -> list[str]:
        return self.texts("frame.protocols")[0].split(":")

    @functools.cached_property
    def kind(self) -> str:
        """What the program calls it."""
        if "hci_mon" in self.protocols[:2] and self.protocols[2:] == []:
            return "mgmt" if self.first("hci_mon.opcode") in CONTROL else "note"
        for protocol, kind in (("btatt", "att"), ("btsmp", "smp"), ("btl2cap", "l2cap"), ("bthci_acl", "acl")):
            if protocol in self.protocols:
                return kind
        for protocol, kind in (("bthci_cmd", "hci"), ("bthci_evt", "hci"), ("bthci_sco", "sco"), ("bthci_iso", "iso")):
            if protocol in self.protocols:
                return kind
        return "note"

    @functools.cached_property
    def is_sent(self) -> bool | None:
        """Whether the host has sent it; `None` of what is no packet."""
        if (record := self.first("hci_mon.opcode")) is not None:
            return MONITORED.get(record)
        side = self.first("frame.p2p_dir")
        if side is None:
            side = self.first("hci_h4.direction")
        return None if side is None else side == 0

    @functools.cached_property
    def adapter(self) -> str:
        """`hci1`; empty where the capture does not tell."""
        if (index := self.first("hci_mon.adapter_id")) is not None:
            return "" if index == EVERY_ADAPTER else f"hci{index}"
        return next(iter(self.texts("frame.interface_name")), "")

    @functools.cached_property
    def connection(self) -> int | None:
        if self.subevent in CONNECTION_COMPLETE and self.first("bthci_evt.status"):
            return None  # a link that was not made has no handle
        for name in ("bthci_acl.chandle", "bthci_evt.connection_handle", "bthci_cmd.connection_handle"):
            if (handle := self.first(name)) is not None:
                return handle & 0x0FFF
        return None

    @property
    def subevent(self) -> int | None:
        return self.first("bthci_evt.le_meta_subevent")

    @functools.cached_property
    def opcode(self) -> int | None:
        """That of an ATT PDU."""
        return self.first("btatt.opcode")

    @functools.cached_property
    def error(self) -> tuple[int, int, int]:
        """The request, the handle and the code of an Error Response."""
        names = ("btatt.req_opcode_in_error", "btatt.handle", "btatt.error_code")
        request, handle, code = (self.first(name) for name in names)
        return request, handle, code

    @functools.cached_property
    def handles(self) -> list[int]:
        """The attribute handles in an ATT PDU. Wireshark adds those of its request, which have no octets."""
        name = "btatt.attribute_data" if self.opcode == READ_BY_TYPE_RESPONSE else "btatt.handle"
        found = [int.from_bytes(bytes.fromhex(text)[:2], "little") for text in self.texts(name, "_raw")]
        return found if self.opcode in LISTS else found[:1]  # a value may look like a handle, too

    @functools.cached_property
    def is_continuation(self) -> bool:
        """Whether it is a later fragment of a frame."""
        return self.first("bthci_acl.pb_flag") == CONTINUATION

    def _inside(self, key: str) -> list:
        """The values of a key at any depth, because Wireshark's remarks are inside of what they are about."""

        def search(value):
            if isinstance(value, dict):
                for name, inner in value.items():
                    yield from inner if name == key else search(inner)
            elif isinstance(value, list):
                for each in value:
                    yield from search(each)

        return list(search(self.layers))

    @functools.cached_property
    def is_malformed(self) -> bool:
        # Wireshark looks for a UUID in every include declaration. That of a service with a UUID of 128 bits has none.
        is_long_include = self.numbers("btatt.length") == [6] and 0x2802 in self.numbers("btatt.uuid16")
        is_fragment = self.subevent == EXTENDED_REPORTS and self.texts("bthci_evt.bd_addr") == [FRAGMENTED]
        severities = [int(text, 0) for text in self._inside("_ws_expert__ws_expert_severity")]
        has_error = bool(self._inside("_ws_malformed")) or max(severities, default=0) >= ERROR
        return has_error and not is_long_include and not is_fragment

    def __str__(self) -> str:
        return f"{self.number} {':'.join(self.protocols)} {self.octets('frame')}"


def frames(path: Path) -> list[Frame]:
    """The packets of a capture. One run tells everything, because Wireshark needs seconds to start."""
    line = ["tshark", "-r", str(path), "-T", "ek", "-x"]
    try:
        done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(line)} did not end within {PATIENCE:g} s") from None
    if done.returncode != 0:
        raise Failure(f"{' '.join(line)} failed:\n{done.stderr.decode(errors='replace')}")
    found = []
    for text in done.stdout.decode(errors="replace").split("\n"):
        if text.startswith('{"timestamp"'):
            found.append(Frame(json.loads(text, object_pairs_hook=_merged)["layers"][0]))
    return found


@dataclass
class Comparison:
    """What the program and Wireshark say of the same packets."""

    differences: list[str] = field(default_factory=list)
    """A line for each."""

    counts: Counter = field(default_factory=Counter)
    """How much was compared, and what was in it."""

    pairings: Counter = field(default_factory=Counter)
    """The answers by what Wireshark says of their requests. It mixes links, directions and former requests up."""

    roles: Counter = field(default_factory=Counter)
    """The links that begin, by the host's role."""

    links_at_once: int = 0
    """The most links that an adapter had at a time."""

    set_aside: Counter = field(default_factory=Counter)
    """The packets of which Wireshark does not know enough, by the reason."""

    @property
    def summary(self) -> str:
        """A line for the log of a case."""
        others = [f"{count} answers: {what}" for what, count in self.pairings.items()]
        return ", ".join([f"{self.counts['packets']} packets", *others])

    def __str__(self) -> str:
        lines = [f"{count:8} {what}" for what, count in self.counts.items()]
        lines += [f"{count:8} links as {role}" for role, count in self.roles.items()]
        lines += [f"{self.links_at_once:8} links at once"]
        lines += [f"{count:8} answers: {what}" for what, count in self.pairings.items()]
        lines += [f"{count:8} set aside: {reason}" for reason, count in self.set_aside.items()]
        return "\n".join(lines + self.differences + [f"{len(self.differences)} differences"])


def compare(packets: list[dict], seen: list[Frame]) -> Comparison:
    """Holds the records of `trace --json` to Wireshark's frames of the same capture."""
    result = Comparison()
    if not any(frame.kind == "note" for frame in seen):
        # The comment at the beginning of a file is no packet to Wireshark.
        packets = [packet for packet in packets if packet["kind"] != "note"]
    if len(packets) != len(seen):
        result.differences.append(f"{len(packets)} packets, but Wireshark has {len(seen)}")
    _count_links(result, seen)
    bearers = Bearers()
    fragments = Fragments()
    names: dict[tuple, str] = {}
    for packet, frame in zip(packets, seen):
        _count(result.counts, frame)
        expected = _expected(frame, seen[0])
        actual = _actual(packet, frame)
        request = bearers.take(frame)
        if frame.kind == "att":
            expected["answer to"] = request and request.number
            about = request.handles[:1] if request else []
            expected["handles"] = about + (frame.handles if frame.opcode in ABOUT else [])
            # Such a value may go on in Read Blob Responses.
            if frame.opcode == READ_RESPONSE and (not request or len(expected["value"]) // 2 >= bearers.mtu(frame) - 1):
                expected["value"] = None
            _pair(result, frame, request, seen, bearers)
        if actual["octets"] is None and _has_keys(frame):
            result.counts["packets with keys, whose octets are hidden"] += 1
            expected.pop("octets")
        fragments.take(frame)
        if reason := _reason_to_set_aside(packet, frame, fragments):
            result.set_aside[reason] += 1
            expected = {what: value for what, value in expected.items() if what in ALWAYS_KNOWN}
        for what, value in expected.items():
            result.counts["facts"] += 1
            if actual.get(what) != value:
                told = f"{frame}\n    {what}: blectl {actual.get(what)!r}, Wireshark {value!r}\n    {packet['text']}"
                result.differences.append(told)
        if (code := _code(frame)) and names.setdefault(code, packet["name"]) != packet["name"]:
            result.differences.append(f"{frame}\n    {packet['name']!r} was {names[code]!r} before")
    shared = [name for name, count in Counter(names.values()).items() if count > 1]
    result.differences += [f"{name!r} is the name of several codes" for name in shared]
    return result


ERROR_TEXT = re.compile(r"Error Response (.+?) 0x([0-9A-F]{4}) 0x([0-9A-F]{2}) ")
# The PDUs whose own handles are those of the attributes that they are about.
ABOUT = {0x01, 0x09, 0x0A, 0x0C, 0x0E, 0x12, 0x16, 0x1B, 0x1D, 0x20, 0x23, 0x52, 0xD2}


def _count(counts: Counter, frame: Frame) -> None:
    counts["packets"] += 1
    counts[f"of kind {frame.kind}"] += 1
    if frame.kind in ("att", "smp", "l2cap") and frame.is_continuation:
        counts["PDUs in several fragments"] += 1


def _count_links(result: Comparison, seen: list[Frame]) -> None:
    links = set()
    for frame in seen:
        if frame.subevent in CONNECTION_COMPLETE and frame.connection is not None:
            result.roles[ROLES[frame.first("bthci_evt.role")]] += 1
            links.add((frame.adapter, frame.connection))
            of_this = [link for link in links if link[0] == frame.adapter]
            result.links_at_once = max(result.links_at_once, len(of_this))
        elif frame.first("bthci_evt.code") == DISCONNECTION:
            links.discard((frame.adapter, frame.connection))
        elif frame.first("bthci_cmd.opcode") == RESET:
            links = {link for link in links if link[0] != frame.adapter}


# What Wireshark knows of every packet.
ALWAYS_KNOWN = {"number", "time", "time since the first", "adapter", "direction"}


def _reason_to_set_aside(packet: dict, frame: Frame, fragments: "Fragments") -> str | None:
    """Why Wireshark knows less of a packet than the program; `None` of nearly all packets."""
    channel = frame.first("btl2cap.cid")
    if packet["missing"] and frame.kind in ("acl", "l2cap", "att"):
        return "the capture has cut it"
    if packet["kind"] == "vendor" and "bthci_acl" in frame.protocols and not frame.numbers("bthci_acl.connect_in"):
        return "the log of a controller, in packets of a handle that no link has"
    if (packet["kind"], frame.kind) == ("att", "l2cap") and channel >= FIRST_DYNAMIC_CHANNEL:
        return "ATT on an enhanced bearer, which Wireshark does not follow"
    if (packet["kind"], frame.kind) == ("att", "l2cap") and frame.first("btl2cap.length") == 0:
        return "an empty PDU, which Wireshark gives to no protocol"
    was_cut = frame.is_continuation and fragments.beginning(frame) < L2CAP_HEADER
    if frame.kind == "acl" and was_cut and packet["kind"] in ("att", "smp", "l2cap"):
        return "a frame whose header is in several fragments, which Wireshark does not put together"
    whole = frame.octets("btl2cap") if frame.is_continuation else None
    if packet["kind"] == "acl" and whole and fragments.octets(frame) != len(whole) // 2:
        return "fragments of two frames, because some are missing, of which Wireshark makes one"
    return None


def _has_keys(frame: Frame) -> bool:
    """Whether an HCI packet may have keys, or numbers of which keys are made."""
    opcode = frame.first("bthci_cmd.opcode") or frame.first("bthci_evt.opcode")
    event = (frame.first("bthci_evt.code"), frame.subevent)
    return opcode in COMMANDS_WITH_KEYS or event in EVENTS_WITH_KEYS


def _code(frame: Frame) -> tuple | None:
    """What names a packet: the opcode of a command, the code of an event with its subevent, or that of a signal."""
    if "bthci_cmd" in frame.protocols:
        return "command", frame.first("bthci_cmd.opcode")
    if "bthci_evt" in frame.protocols:
        return "event", frame.first("bthci_evt.code"), frame.subevent
    if (signal := frame.first("btl2cap.cmd_code")) is not None:
        return "signal", signal
    return None


def _expected(frame: Frame, first: Frame) -> dict:
    """What Wireshark says, by the words of a report."""
    facts = {
        "number": frame.number,
        "time": frame.nanoseconds // 1000,
        "time since the first": frame.nanoseconds - first.nanoseconds,
        "kind": frame.kind,
        "adapter": frame.adapter,
    }
    if frame.is_sent is not None:
        facts["direction"] = "sent" if frame.is_sent else "received"
    if frame.connection is not None:
        facts["connection"] = frame.connection
    match frame.kind:
        case "hci" if "bthci_cmd" in frame.protocols:
            facts["octets"] = f"01{frame.octets('bthci_cmd')}"
        case "hci":
            facts["octets"] = f"04{frame.octets('bthci_evt')}"
        case "att":
            facts |= {"octets": frame.octets("btatt"), "channel": frame.first("btl2cap.cid")}
            facts["name"] = ATT.get(frame.opcode)
            if frame.opcode == ERROR_RESPONSE:
                facts["error"] = frame.error
            elif frame.opcode in VALUES:
                facts["value"] = facts["octets"][2 * VALUES[frame.opcode] :]
        case "smp":
            facts |= {"channel": frame.first("btl2cap.cid"), "name": SMP.get(frame.first("btsmp.opcode"))}
        case "l2cap":
            facts |= {"channel": frame.first("btl2cap.cid"), "octets": frame.octets("btl2cap")[8:]}
    return facts


def _actual(packet: dict, frame: Frame) -> dict:
    """What the program says, by the same words."""
    moment = datetime.fromisoformat(packet["time"])
    facts = {
        "number": packet["number"],
        "time": int(moment.timestamp()) * 10**6 + moment.microsecond,
        "time since the first": packet["monotonic_ns"],
        "kind": packet["kind"],
        "adapter": packet["adapter"] or "",
        "direction": packet["direction"],
        "connection": packet["connection"],
        "octets": packet["bytes"],
        "channel": packet["channel"],
        "name": packet["name"],
        "answer to": packet["answer_to"],
        "handles": packet["handles"],
        "value": packet["value"],
    }
    if packet["kind"] == "smp":  # its octets may be keys
        facts["name"] = next((name for name in SMP.values() if packet["text"].startswith(name)), packet["text"])
    if frame.opcode == ERROR_RESPONSE and (told := ERROR_TEXT.match(packet["text"])):
        request = next((code for code, name in ATT.items() if name == told[1]), None)
        facts["error"] = (request, int(told[2], 16), int(told[3], 16))
    return facts


class Fragments:
    """The lengths of the fragments that have come of the last frame, by link and direction."""

    def __init__(self):
        self.lengths: dict[tuple, list[int]] = {}

    def take(self, frame: Frame) -> None:
        if (length := frame.first("bthci_acl.length")) is None:
            return
        earlier = self.of(frame) if frame.is_continuation else []
        self.lengths[frame.adapter, frame.connection, frame.is_sent] = [*earlier, length]

    def of(self, frame: Frame) -> list[int]:
        return self.lengths.get((frame.adapter, frame.connection, frame.is_sent), [])

    def octets(self, frame: Frame) -> int:
        return sum(self.of(frame))

    def beginning(self, frame: Frame) -> int:
        """The octets of the first fragment."""
        return next(iter(self.of(frame)), 0)


class Bearers:
    """Follows the bearers of ATT by its rules, because Wireshark mixes them up: on each one, each side has one request
    under way.

    Spec: Core 5.4, Vol 3, Part F, 3.3.2 and 3.4.2"""

    def __init__(self):
        self.waiting: dict[tuple, Frame] = {}
        self.mtus: dict[tuple, int] = {}
        self.answered: set[int] = set()
        self.ends: list[tuple[str, int | None, int]] = []

    def has_ended(self, frame: Frame, since: Frame) -> bool:
        """Whether the link of a PDU has ended between two of its packets."""
        own = ((frame.adapter, frame.connection), (frame.adapter, None))
        return any(end[:2] in own and end[2] > since.number for end in self.ends)

    def mtu(self, frame: Frame) -> int:
        return self.mtus.get(self._bearer(frame), MINIMUM_MTU)

    def take(self, frame: Frame) -> Frame | None:
        """The request that an ATT PDU answers."""
        if frame.kind == "att":
            return self._take_pdu(frame)
        if frame.first("bthci_evt.code") == DISCONNECTION:
            self._forget(frame, lambda key: key[:2] == (frame.adapter, frame.connection))
        elif frame.first("bthci_cmd.opcode") == RESET:
            self._forget(frame, lambda key: key[0] == frame.adapter)
        return None

    def _bearer(self, frame: Frame) -> tuple:
        channel = frame.first("btl2cap.cid")
        # Each side has a number of its own for a channel that was opened.
        return frame.adapter, frame.connection, min(channel, FIRST_DYNAMIC_CHANNEL)

    def _forget(self, end: Frame, is_over) -> None:
        self.ends.append((end.adapter, end.connection, end.number))
        self.waiting = {key: frame for key, frame in self.waiting.items() if not is_over(key)}
        self.mtus = {key: mtu for key, mtu in self.mtus.items() if not is_over(key)}

    def _take_pdu(self, frame: Frame) -> Frame | None:
        bearer, opcode = self._bearer(frame), frame.opcode
        if opcode in REQUESTS or opcode == INDICATION:
            self.waiting[*bearer, frame.is_sent, opcode == INDICATION] = frame
            return None
        key = (*bearer, not frame.is_sent, opcode == CONFIRMATION)
        request = self.waiting.get(key)
        if request is None or request.opcode != (frame.error[0] if opcode == ERROR_RESPONSE else opcode - 1):
            return None
        if opcode == MTU_RESPONSE:
            theirs = (request.first("btatt.client_rx_mtu"), frame.first("btatt.server_rx_mtu"))
            self.mtus[bearer] = max(MINIMUM_MTU, min(theirs))
        self.answered.add(request.number)
        return self.waiting.pop(key)


def _pair(result: Comparison, frame: Frame, request: Frame | None, seen: list[Frame], bearers: Bearers) -> None:
    """Counts what Wireshark says of the request of an answer."""
    if request is not None:
        result.counts["answers"] += 1
    number = frame.first("btatt.request_in_frame")
    theirs = seen[number - 1] if number else None
    if request is None and theirs is None:
        return
    if theirs is request:
        result.pairings["as Wireshark has them"] += 1
    elif theirs is None:
        result.pairings["Wireshark has no request"] += 1
    elif (theirs.adapter, theirs.connection) != (frame.adapter, frame.connection):
        result.pairings["Wireshark's request is on another link"] += 1
    elif theirs.is_sent == frame.is_sent:
        result.pairings["Wireshark's request is of the same side"] += 1
    elif request is not None and theirs.opcode != request.opcode:
        result.pairings["Wireshark's request is of another kind"] += 1
    elif theirs.number in bearers.answered:
        result.pairings["Wireshark's request had its answer before"] += 1
    elif request is None and bearers.has_ended(frame, theirs):
        result.pairings["Wireshark's request is of an earlier link"] += 1
    else:
        told = f"{frame}\n    request: {request and request.number}, Wireshark {theirs.number}"
        result.differences.append(told)
