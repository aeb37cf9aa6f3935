# SPDX-License-Identifier: GPL-2.0-or-later
"""Who says yes: a kernel that is asked to pair asks a person, by a management socket, and waits for the answer."""

import ctypes
import os
import socket
import struct
import threading

AF_BLUETOOTH, BTPROTO_HCI, NO_DEVICE, CONTROL_CHANNEL = 31, 1, 0xFFFF, 3
SET_BONDABLE, USER_CONFIRM_REPLY = 0x0009, 0x001C
USER_CONFIRM_REQUEST = 0x000F


class Agent:
    """Lets an adapter bond, and confirms every pairing."""

    def __init__(self, index: int = 0):
        self.index = index
        self.confirmed: list[str] = []
        self.ended = False
        self.socket = socket.socket(AF_BLUETOOTH, socket.SOCK_RAW | socket.SOCK_CLOEXEC, BTPROTO_HCI)
        address = struct.pack("<HHH", AF_BLUETOOTH, NO_DEVICE, CONTROL_CHANNEL)
        libc = ctypes.CDLL(None, use_errno=True)
        # Python's own bind knows of no channel.
        if libc.bind(self.socket.fileno(), address, len(address)) != 0:
            raise OSError(ctypes.get_errno(), "a management socket")
        self.send(SET_BONDABLE, b"\x01")
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def send(self, opcode: int, parameters: bytes) -> None:
        os.write(self.socket.fileno(), struct.pack("<HHH", opcode, self.index, len(parameters)) + parameters)

    def listen(self) -> None:
        while not self.ended:
            event = os.read(self.socket.fileno(), 1024)
            code, index, _ = struct.unpack_from("<HHH", event)
            if code == USER_CONFIRM_REQUEST and index == self.index:
                address = event[6:13]
                self.confirmed.append(":".join(f"{octet:02X}" for octet in reversed(address[:6])))
                self.send(USER_CONFIRM_REPLY, address)

    def stop(self) -> None:
        """No more pairing. The answer to this is an event as well, which wakes the thread."""
        self.ended = True
        self.send(SET_BONDABLE, b"\x00")
        self.thread.join(5)
        self.socket.close()
