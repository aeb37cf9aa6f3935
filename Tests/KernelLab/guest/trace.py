# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a btsnoop trace: the commands to the controller, and the ATT PDUs on the air.

The lab's own reading of the specification, not the program's: HCI (Core 5.4, Vol 4, Part E), ATT (Vol 3, Part F).
"""

import struct
from dataclasses import dataclass, field

HEADER = struct.pack(">8sII", b"btsnoop\0", 1, 2001)  # 2001 is the Linux monitor's format
RECORD = struct.Struct(">IIIIq")  # the length of a packet twice, adapter and kind, drops, microseconds
COMMAND, EVENT, ACL_OUT, ACL_IN, NOTE, OPENED = 2, 3, 4, 5, 13, 14

SET_SCAN_PARAMETERS, SET_SCAN_ENABLE = 0x200B, 0x200C
SET_EXTENDED_SCAN_PARAMETERS, SET_EXTENDED_SCAN_ENABLE = 0x2041, 0x2042
DISCONNECT = 0x0406
RESET = 0x0C03
COMMANDS = {
    DISCONNECT: "Disconnect",
    RESET: "Reset",
    SET_SCAN_PARAMETERS: "LE Set Scan Parameters",
    SET_SCAN_ENABLE: "LE Set Scan Enable",
    0x200D: "LE Create Connection",
    0x200E: "LE Create Connection Cancel",
    0x2011: "LE Add Device To Accept List",
    0x2012: "LE Remove Device From Accept List",
    0x2016: "LE Read Remote Features",
    SET_EXTENDED_SCAN_PARAMETERS: "LE Set Extended Scan Parameters",
    SET_EXTENDED_SCAN_ENABLE: "LE Set Extended Scan Enable",
    0x2043: "LE Extended Create Connection",
}

ATT = {
    0x01: "Error Response",
    0x02: "Exchange MTU Request",
    0x03: "Exchange MTU Response",
    0x04: "Find Information Request",
    0x05: "Find Information Response",
    0x06: "Find By Type Value Request",
    0x07: "Find By Type Value Response",
    0x08: "Read By Type Request",
    0x09: "Read By Type Response",
    0x0A: "Read Request",
    0x0B: "Read Response",
    0x0C: "Read Blob Request",
    0x0D: "Read Blob Response",
    0x0E: "Read Multiple Request",
    0x0F: "Read Multiple Response",
    0x10: "Read By Group Type Request",
    0x11: "Read By Group Type Response",
    0x12: "Write Request",
    0x13: "Write Response",
    0x16: "Prepare Write Request",
    0x17: "Prepare Write Response",
    0x18: "Execute Write Request",
    0x19: "Execute Write Response",
    0x1B: "Handle Value Notification",
    0x1D: "Handle Value Indication",
    0x1E: "Handle Value Confirmation",
    0x20: "Read Multiple Variable Request",
    0x21: "Read Multiple Variable Response",
    0x23: "Multiple Handle Value Notification",
    0x52: "Write Command",
    0xD2: "Signed Write Command",
}
REQUESTS = {0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20}


@dataclass(frozen=True)
class Record:
    """One line of the monitor."""

    kind: int
    adapter: int
    data: bytes
    microseconds: int

    @property
    def seconds(self) -> float:
        return self.microseconds / 1e6

    def is_note(self, text: str) -> bool:
        return self.kind == NOTE and text.encode() in self.data


def records(data: bytes, first: bool) -> tuple[list[Record], int]:
    """The complete records at the start of `data`, and the number of their bytes."""
    used = 0
    if first:
        if len(data) < len(HEADER):
            return [], 0
        if data[: len(HEADER)] != HEADER:
            raise ValueError("not a trace of the Linux monitor")
        used = len(HEADER)
    found = []
    while used + RECORD.size <= len(data):
        _, length, flags, _, microseconds = RECORD.unpack_from(data, used)
        start, end = used + RECORD.size, used + RECORD.size + length
        if end > len(data):
            break
        found.append(Record(flags & 0xFFFF, flags >> 16, data[start:end], microseconds))
        used = end
    return found, used


def written(whole: list[Record]) -> bytes:
    """The records as a file."""
    parts = [HEADER]
    for record in whole:
        size = len(record.data)
        parts += [
            RECORD.pack(size, size, record.adapter << 16 | record.kind, 0, record.microseconds),
            record.data,
        ]
    return b"".join(parts)


@dataclass(frozen=True)
class Command:
    opcode: int
    parameters: bytes
    adapter: int

    def __str__(self) -> str:
        return f"{COMMANDS.get(self.opcode, f'command 0x{self.opcode:04X}')} {self.parameters.hex()}".rstrip()


@dataclass(frozen=True)
class PDU:
    """An ATT PDU; `sent` by this machine or received."""

    sent: bool
    data: bytes

    @property
    def opcode(self) -> int:
        return self.data[0]

    @property
    def name(self) -> str:
        return ATT.get(self.opcode, f"opcode 0x{self.opcode:02X}")

    @property
    def handle(self) -> int:
        """The attribute handle of a PDU that begins with one."""
        return int.from_bytes(self.data[1:3], "little")

    @property
    def value(self) -> bytes:
        return self.data[3:]

    def __str__(self) -> str:
        return f"{'>' if self.sent else '<'} {self.name} {self.data[1:].hex()}".rstrip()


@dataclass
class Trace:
    records: list[Record]
    commands: list[Command] = field(default_factory=list)
    pdus: list[PDU] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    scanning: bool | None = None
    links: dict[int, str] = field(default_factory=dict)
    connected: list[str] = field(default_factory=list)
    disconnected: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pending: dict[int, bytes] = {}
        self.fragments: dict[tuple[int, bool], bytearray] = {}
        reports = 0
        for record in self.records:
            self.moment = record.seconds - self.records[0].seconds
            match record.kind:
                case _ if record.kind == COMMAND:
                    self.take_command(record.data, record.adapter)
                case _ if record.kind == EVENT:
                    reports += self.take_event(record.data)
                case _ if record.kind in (ACL_OUT, ACL_IN):
                    self.take_acl(record.data, sent=record.kind == ACL_OUT)
        self.reports = reports

    def tell(self, line: str) -> None:
        """A line for the report of a failure: seconds since the start, and the event."""
        self.story.append(f"{self.moment:7.3f} {line}")

    # What cases ask

    @property
    def requests(self) -> list[PDU]:
        """The ATT requests this machine sent."""
        return [pdu for pdu in self.pdus if pdu.sent and pdu.opcode in REQUESTS]

    def sent(self, *names: str) -> list[PDU]:
        return [pdu for pdu in self.pdus if pdu.sent and pdu.name in names]

    def received(self, *names: str) -> list[PDU]:
        return [pdu for pdu in self.pdus if not pdu.sent and pdu.name in names]

    def opened_by(self, program: str) -> int:
        """How many HCI sockets a program has opened: each is a record with its name."""
        return sum(record.kind == OPENED and program.encode() in record.data for record in self.records)

    @property
    def scan_switches(self) -> list[bool]:
        """Each on and off of scanning, in order."""
        enables = (SET_SCAN_ENABLE, SET_EXTENDED_SCAN_ENABLE)
        return [command.parameters[0] != 0 for command in self.commands if command.opcode in enables]

    # Packets

    def take_command(self, data: bytes, adapter: int) -> None:
        opcode = int.from_bytes(data[:2], "little")
        command = Command(opcode, data[3:], adapter)
        self.commands.append(command)
        self.pending[opcode] = command.parameters
        if opcode in COMMANDS:
            self.tell(f"> {command}")

    def take_event(self, data: bytes) -> int:
        """Processes an event, and returns its number of advertising reports."""
        match data[0]:
            case 0x0E:  # Command Complete
                opcode, status = int.from_bytes(data[3:5], "little"), data[5] if len(data) > 5 else 0
                self.command_done(opcode, status)
            case 0x0F:  # Command Status
                opcode, status = int.from_bytes(data[4:6], "little"), data[2]
                if status:
                    self.command_done(opcode, status)
            case 0x05:  # Disconnection Complete
                handle = int.from_bytes(data[3:5], "little") & 0x0FFF
                self.disconnected.append(data[5])
                self.links.pop(handle, None)
                self.tell(f"< Disconnection Complete, handle {handle}, reason 0x{data[5]:02x}")
            case 0x3E if data[2] in (0x01, 0x0A, 0x29):  # LE (Enhanced) Connection Complete
                status, handle = data[3], int.from_bytes(data[4:6], "little")
                address = ":".join(f"{octet:02X}" for octet in reversed(data[8:14]))
                self.tell(f"< LE Connection Complete, status 0x{status:02x}, handle {handle}, {address}")
                if status == 0:
                    self.links[handle] = address
                    self.connected.append(address)
            case 0x3E if data[2] in (0x02, 0x0D):
                return data[3]
        return 0

    def command_done(self, opcode: int, status: int) -> None:
        parameters = self.pending.pop(opcode, b"")
        if status and opcode in COMMANDS:
            self.tell(f"< {COMMANDS[opcode]}: status 0x{status:02x}")
        elif opcode in (SET_SCAN_ENABLE, SET_EXTENDED_SCAN_ENABLE) and parameters:
            self.scanning = parameters[0] != 0
        elif opcode == RESET:
            self.scanning = False

    def take_acl(self, data: bytes, sent: bool) -> None:
        """Reassembles fragments, and keeps the PDUs of the ATT channel. Spec: Core 5.4, Vol 4, Part E, 5.4.2"""
        head, _ = struct.unpack_from("<HH", data)
        key = (head & 0x0FFF, sent)
        if head >> 12 & 0x3 == 1:
            if key not in self.fragments:
                return
            self.fragments[key] += data[4:]
        else:
            self.fragments[key] = bytearray(data[4:])
        frame = self.fragments[key]
        if len(frame) < 4:
            return
        length, channel = struct.unpack_from("<HH", frame)
        if len(frame) >= 4 + length:
            del self.fragments[key]
            if channel == 0x0004 and length:
                pdu = PDU(sent, bytes(frame[4 : 4 + length]))
                self.pdus.append(pdu)
                self.tell(str(pdu))
