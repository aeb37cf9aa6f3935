# SPDX-License-Identifier: GPL-2.0-or-later
"""A pairing agent. When the kernel is asked to pair, it asks an agent through a management socket, and waits for the
answer."""

import struct
import threading

from .channels import CONTROL, hci_channel
from .checks import equal

SET_POWERED, SET_BONDABLE, LOAD_LONG_TERM_KEYS, SET_IO_CAPABILITY = 0x0005, 0x0009, 0x0013, 0x0018
USER_CONFIRM_REPLY, SET_SECURE_CONNECTIONS = 0x001C, 0x002D
COMMAND_COMPLETE, COMMAND_STATUS, USER_CONFIRM_REQUEST = 0x0001, 0x0002, 0x000F
NO_INPUT_NO_OUTPUT = 0x03
PATIENCE = 5


class Agent:
    """Makes an adapter bondable, and confirms every pairing. It has no keys of earlier pairings, no display and no
    keyboard."""

    def __init__(self, index: int = 0, secure_connections: bool = False):
        self.index = index
        self.confirmed: list[str] = []
        self.socket = hci_channel(CONTROL)
        self.socket.settimeout(PATIENCE)
        # If an adapter was powered on before it was managed, it has no security manager and does not answer pairing
        # requests. Other settings are kept from the previous manager.
        self.perform(SET_POWERED, b"\x00")
        self.perform(SET_POWERED, b"\x01")
        self.perform(SET_IO_CAPABILITY, bytes([NO_INPUT_NO_OUTPUT]))
        self.perform(SET_SECURE_CONNECTIONS, bytes([secure_connections]))
        self.perform(LOAD_LONG_TERM_KEYS, struct.pack("<H", 0))
        self.perform(SET_BONDABLE, b"\x01")
        self.socket.settimeout(None)
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def send(self, opcode: int, parameters: bytes) -> None:
        self.socket.send(struct.pack("<HHH", opcode, self.index, len(parameters)) + parameters)

    def event(self) -> tuple[int, bytes]:
        """The next event of the adapter: its code and its parameters."""
        while True:
            event = self.socket.recv(1024)
            code, index, _ = struct.unpack_from("<HHH", event)
            if index == self.index:
                return code, event[6:]

    def perform(self, opcode: int, parameters: bytes) -> None:
        self.send(opcode, parameters)
        while not answers(opcode, *(event := self.event())):
            pass
        equal(event[1][2], 0, f"the status of the management command 0x{opcode:04X}")

    def listen(self) -> None:
        """Runs until the adapter is made unbondable."""
        while not answers(SET_BONDABLE, *(event := self.event())):
            code, parameters = event
            if code == USER_CONFIRM_REQUEST:
                address = parameters[:7]  # and its type
                self.confirmed.append(":".join(f"{octet:02X}" for octet in reversed(address[:6])))
                self.send(USER_CONFIRM_REPLY, address)

    def stop(self) -> None:
        self.send(SET_BONDABLE, b"\x00")
        self.thread.join(PATIENCE)
        self.socket.close()


def answers(opcode: int, code: int, parameters: bytes) -> bool:
    """Whether an event answers the command."""
    return code in (COMMAND_COMPLETE, COMMAND_STATUS) and struct.unpack_from("<H", parameters)[0] == opcode
