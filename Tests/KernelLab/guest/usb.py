# SPDX-License-Identifier: GPL-2.0-or-later
"""A controller on USB: the one at a line, behind endpoints that the kernel's USB/IP host controller carries to this process."""

import os
import socket
import struct
import threading
from collections import deque
from pathlib import Path

from .checks import within
from .peers import Air
from .stack import Adapter

HOST = Path("/sys/devices/platform/vhci_hcd.0")
PORT = 0
PLACE = "1-1"
DEVICE = Path("/sys/bus/usb/devices") / PLACE
DRIVER = Path("/sys/bus/usb/drivers/btusb")
FULL_SPEED = 2
# Spec: Linux, Documentation/usb/usbip_protocol.rst
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
HEADER = struct.Struct(">IIIII28s")
BROKEN_PIPE, CONNECTION_RESET = -32, -104
EVENTS, DATA = 1, 2
PIECE = {EVENTS: 16, DATA: 64}
# LE Connection Complete, and LE Enhanced Connection Complete, versions 1 and 2
LINK_EVENTS = (0x01, 0x0A, 0x29)
RESET = b"\x01\x03\x0c\x00"


class Stick:
    """A stick that can be plugged in and pulled out. Its controller is at the line `target`.

    `hangs` makes it like copies of the CSR8510: from the second command to reset it since it was plugged in, or was reset by
    USB, it answers nothing. With `for_good` a reset by USB does not help."""

    def __init__(self, target: str, vendor: int = 0x2FE3, product: int = 0x000B, revision: int = 0x0100, hangs: bool = False):
        self.identity = (vendor, product, revision)
        self.hangs, self.for_good = hangs, False
        self.lock = threading.RLock()
        self.resets = 0
        self.usb_resets = 0
        self.stalls = {EVENTS: 0, DATA: 0}
        self.halts_cleared = 0
        self.lateness = 0.0  # the seconds by which the events that announce links come late
        self.late: threading.Timer | None = None
        self.overtakings = 0  # how many data have come before such an event
        self.pieces: dict[int, deque[bytes]] = {EVENTS: deque(), DATA: deque()}
        self.waiting: dict[int, deque[tuple[int, int]]] = {EVENTS: deque(), DATA: deque()}
        self.line = socket.socket(socket.AF_UNIX)
        self.line.connect(target)
        self.plug, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        threading.Thread(target=self.serve, daemon=True).start()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        (HOST / "attach").write_text(f"{PORT} {far.fileno()} 1 {FULL_SPEED}")
        far.close()
        within(5, "the stick is plugged in", lambda: (DEVICE / f"{PLACE}:1.0").exists())

    # What a case does with it

    def stall(self, endpoint: int, count: int = 1) -> None:
        """The next transfers from that endpoint stall."""
        with self.lock:
            self.stalls[endpoint] = count
            self.deliver(endpoint)

    def pull_out(self) -> None:
        (HOST / "detach").write_text(str(PORT))
        within(5, "the stick is pulled out", lambda: not DEVICE.exists())
        self.plug.close()
        # Until the controller has noticed it, and takes another host.
        self.line.shutdown(socket.SHUT_WR)
        self.listener.join(5)
        self.line.close()

    @property
    def is_there(self) -> bool:
        return self.line.fileno() >= 0

    @property
    def driver(self) -> str | None:
        link = DEVICE / f"{PLACE}:1.0" / "driver"
        return os.path.basename(os.readlink(link)) if link.exists() else None

    # The controller

    def listen(self) -> None:
        """Cuts what the controller sends into pieces."""
        try:
            stream = self.line.makefile("rb")
            while indicator := stream.read(1):
                header = stream.read(2 if indicator == b"\x04" else 4)
                length = header[1] if indicator == b"\x04" else int.from_bytes(header[2:4], "little")
                packet = header + stream.read(length)
                endpoint = EVENTS if indicator == b"\x04" else DATA
                if self.lateness and indicator == b"\x04" and packet[0] == 0x3E and packet[2] in LINK_EVENTS:
                    self.late = threading.Timer(self.lateness, self.pass_on, (endpoint, packet))
                    self.late.start()
                else:
                    self.pass_on(endpoint, packet)
        except (OSError, ValueError):
            pass

    def pass_on(self, endpoint: int, packet: bytes) -> None:
        size = PIECE[endpoint]
        with self.lock:
            if self.is_hanging:
                return
            self.overtakings += endpoint == DATA and self.late is not None and self.late.is_alive()
            self.pieces[endpoint] += [packet[at : at + size] for at in range(0, len(packet), size)]
            if endpoint == DATA and len(packet) % size == 0:
                self.pieces[endpoint].append(b"")
            self.deliver(endpoint)

    @property
    def is_hanging(self) -> bool:
        return self.hangs and self.resets > 1

    # The host

    def serve(self) -> None:
        """Does what the kernel asks for, until it lets go of the stick."""
        try:
            stream = self.plug.makefile("rb")
            while len(head := stream.read(HEADER.size)) == HEADER.size:
                command, number, _, is_in, endpoint, rest = HEADER.unpack(head)
                if command == UNLINK:
                    self.unlink(number, int.from_bytes(rest[:4], "big"))
                    continue
                length, setup = int.from_bytes(rest[4:8], "big"), rest[20:28]
                octets = b"" if is_in else stream.read(length)
                with self.lock:
                    if endpoint == 0:
                        self.control(number, setup, octets)
                    elif is_in:
                        self.waiting[endpoint].append((number, length))
                        self.deliver(endpoint)
                    else:
                        self.line.sendall(b"\x02" + octets)
                        self.answer(number, 0, len(octets))
        except (OSError, ValueError):
            pass

    def unlink(self, number: int, wanted: int) -> None:
        with self.lock:
            for waiting in self.waiting.values():
                for entry in waiting:
                    if entry[0] == wanted:
                        waiting.remove(entry)
                        return self.send(UNLINKED, number, struct.pack(">i", CONNECTION_RESET))
            self.send(UNLINKED, number, struct.pack(">i", 0))

    def deliver(self, endpoint: int) -> None:
        """Answers transfers that wait for what there is."""
        pieces, waiting = self.pieces[endpoint], self.waiting[endpoint]
        while waiting and (pieces or self.stalls[endpoint]):
            number, room = waiting.popleft()
            if self.stalls[endpoint]:
                self.stalls[endpoint] -= 1
                self.answer(number, BROKEN_PIPE, 0)
                continue
            octets = piece = pieces.popleft()
            # A transfer ends with a piece that is not full.
            while len(piece) == PIECE[endpoint] and len(octets) + PIECE[endpoint] <= room and pieces:
                piece = pieces.popleft()
                octets += piece
            self.answer(number, 0, len(octets), octets)

    def answer(self, number: int, status: int, count: int, octets: bytes = b"") -> None:
        self.send(SUBMITTED, number, struct.pack(">iiiii", status, count, 0, 0, 0), octets)

    def send(self, command: int, number: int, fields: bytes, octets: bytes = b"") -> None:
        self.plug.sendall(HEADER.pack(command, number, 0, 0, 0, fields) + octets)

    def control(self, number: int, setup: bytes, octets: bytes) -> None:
        kind, request, value, _, length = struct.unpack("<BBHHH", setup)
        if kind == 0x20:  # a command
            if octets == RESET[1:]:
                self.resets += 1
            if not self.is_hanging:
                self.line.sendall(b"\x01" + octets)
            return self.answer(number, 0, len(octets))
        match kind, request:
            case 0x80, 6:
                descriptor = self.descriptor(value >> 8, value & 0xFF)
                if descriptor is None:
                    return self.answer(number, BROKEN_PIPE, 0)
                if value >> 8 == 1:  # after each reset by USB the kernel reads this one
                    self.usb_resets += 1
                    self.resets = self.resets if self.for_good else 0
                return self.answer(number, 0, len(descriptor[:length]), descriptor[:length])
            case 0x80 | 0x82, 0:
                return self.answer(number, 0, 2, bytes(2))
            case 0x02, 1:
                self.halts_cleared += 1
        self.answer(number, 0, 0)

    def descriptor(self, kind: int, index: int) -> bytes | None:
        match kind:
            case 1:
                return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0xE0, 1, 1, 64, *self.identity, 0, 1, 0, 1)
            case 2:
                endpoints = b"".join(
                    struct.pack("<BBBBHB", 7, 5, address, kind, size, 1)
                    for address, kind, size in ((0x81, 3, 16), (0x82, 2, 64), (0x02, 2, 64))
                )
                interface = struct.pack("<BBBBBBBBB", 9, 4, 0, 0, 3, 0xE0, 1, 1, 0)
                length = 9 + len(interface) + len(endpoints)
                return struct.pack("<BBHBBBBB", 9, 2, length, 1, 1, 0, 0xC0, 50) + interface + endpoints
            case 3 if index == 0:
                return b"\x04\x03\x09\x04"
            case 3 if index == 1:
                text = "Lab Stick".encode("utf-16-le")
                return bytes([len(text) + 2, 3]) + text
        return None


class UsbAir(Air):
    """The peers behind a controller on USB, of which the program is the host while it has taken it from the kernel."""

    def __init__(self, log):
        super().__init__(log, "line")
        self.place = "usb"
        self.plug_in()

    def plug_in(self, **identity) -> None:
        """Plugs a stick in, in the place of another one."""
        if hasattr(self, "stick") and self.stick.is_there:
            self.stick.pull_out()
        self.is_usual = not identity
        self.stick = Stick(self.line, **identity)
        within(5, "the kernel has an adapter", Adapter().exists)

    def reset(self) -> None:
        if not (self.is_usual and self.stick.is_there):
            self.plug_in()
        # What a case has left undone: its command may have ended before the last of the stalls.
        for endpoint in PIECE:
            self.stick.stall(endpoint, 0)
        super().reset()

    def stop(self) -> None:
        if self.stick.is_there:
            self.stick.pull_out()
        super().stop()
