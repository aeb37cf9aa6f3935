# SPDX-License-Identifier: GPL-2.0-or-later
"""A device on a packet socket that sends without pause, or disconnects in the middle. It uses no stack, so that it is
fast.

It has one service, 0xFF00, with a characteristic that notifies, 0xFF01, and one that indicates, 0xFF02.
"""

import os
import shutil
import socket
import struct
import tempfile
import threading
from contextlib import suppress

NOTIFIED, NOTIFIED_SWITCH, INDICATED, INDICATED_SWITCH = 3, 4, 6, 7
ERROR, MTU_REQUEST, MTU_RESPONSE = 0x01, 0x02, 0x03
FIND_INFORMATION, FIND_BY_TYPE_VALUE, READ_BY_TYPE, READ, READ_BY_GROUP_TYPE, WRITE = 0x04, 0x06, 0x08, 0x0A, 0x10, 0x12
WRITE_COMMAND, NOTIFICATION, INDICATION, CONFIRMATION = 0x52, 0x1B, 0x1D, 0x1E
SERVICE, DECLARATION, SWITCH = 0x2800, 0x2803, 0x2902
DECLARATIONS = ((2, 0x10, NOTIFIED, 0xFF01), (5, 0x20, INDICATED, 0xFF02))
MTU = 517


def value(number: int, length: int) -> bytes:
    """A value that contains its number."""
    return struct.pack("<I", number).ljust(length, b"\xa5")


class Torrent:
    """Accepts connections one after the other. `then` is called with the socket when a client has subscribed."""

    def __init__(self, then=lambda connection: None):
        self.then = then
        self.path = os.path.join(tempfile.mkdtemp(prefix="torrent-"), "att")
        self.sent = 0
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen(8)
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        shutil.rmtree(os.path.dirname(self.path))

    @property
    def options(self) -> tuple[str, str]:
        return ("--radio", f"unix:{self.path}")

    def notify(self, connection: socket.socket, count: int, length: int) -> None:
        """Sends that many values. The socket's flow control limits the speed. Requests are answered between them."""
        head = struct.pack("<BH", NOTIFICATION, NOTIFIED)
        for number in range(count):
            connection.send(head + value(number, length))
            self.sent += 1
            # Seldom, because a call takes as long as sending a value.
            if number % 64 == 0:
                self.answer_waiting(connection)

    def answer_waiting(self, connection: socket.socket) -> None:
        with suppress(BlockingIOError):
            while pdu := connection.recv(1024, socket.MSG_DONTWAIT):
                if pdu[0] not in (WRITE_COMMAND, CONFIRMATION):
                    connection.send(self.response(pdu))

    def indicate(self, connection: socket.socket, count: int, first: int = 0) -> None:
        """Sends that many at once, without waiting for confirmations."""
        for number in range(first, first + count):
            connection.send(struct.pack("<BH", INDICATION, INDICATED) + value(number, 4))

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                with connection, suppress(OSError):
                    self.answer(connection)

    def answer(self, connection: socket.socket) -> None:
        while pdu := connection.recv(1024):
            if pdu[0] in (WRITE_COMMAND, CONFIRMATION):
                continue
            connection.send(self.response(pdu))
            if pdu[0] == WRITE and pdu[3:5] in (b"\x01\x00", b"\x02\x00"):
                if self.then(connection) == "hang up":
                    return

    def response(self, pdu: bytes) -> bytes:
        opcode, start = pdu[0], int.from_bytes(pdu[1:3], "little")
        if opcode == MTU_REQUEST:
            return struct.pack("<BH", MTU_RESPONSE, MTU)
        if opcode == READ:
            return b"\x0b" + value(start, 4)
        if opcode == WRITE:
            return b"\x13"
        if opcode == READ_BY_GROUP_TYPE and start == 1 and pdu[5:7] == struct.pack("<H", SERVICE):
            return struct.pack("<BBHHH", 0x11, 6, 1, 7, 0xFF00)
        if opcode == FIND_BY_TYPE_VALUE and start == 1 and pdu[7:9] == struct.pack("<H", 0xFF00):
            return struct.pack("<BHH", 0x07, 1, 7)
        if opcode == READ_BY_TYPE and pdu[5:7] == struct.pack("<H", DECLARATION):
            found = [struct.pack("<HBHH", *entry) for entry in DECLARATIONS if entry[0] >= start]
            if found:
                return b"\x09\x07" + b"".join(found)
        if opcode == FIND_INFORMATION:
            for switch in (NOTIFIED_SWITCH, INDICATED_SWITCH):
                if start == switch:
                    return struct.pack("<BBHH", 0x05, 1, switch, SWITCH)
        return struct.pack("<BBHB", ERROR, opcode, start, 0x0A)
