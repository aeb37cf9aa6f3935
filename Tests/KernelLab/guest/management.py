# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's management interface, for operations that BlueZ's tools cannot do without a manager."""

import struct

from .channels import CONTROL, hci_channel
from .checks import equal

READ_INDEX_LIST, READ_INFORMATION, SET_LOW_ENERGY = 0x0003, 0x0004, 0x000D
SET_BONDABLE, LOAD_LONG_TERM_KEYS, LOAD_IDENTITY_KEYS = 0x0009, 0x0013, 0x0030
GET_CONNECTIONS = 0x0015
GET_PHY_CONFIGURATION, SET_PHY_CONFIGURATION = 0x0044, 0x0045
SET_POWERED, SET_PRIVACY, SET_SECURE_CONNECTIONS = 0x0005, 0x002F, 0x002D
NO_INDEX = 0xFFFF
POWERED, LOW_ENERGY, PRIVACY = 1 << 0, 1 << 9, 1 << 13
LE_CODED = 1 << 13 | 1 << 14  # to send and to receive
COMMAND_COMPLETE, COMMAND_STATUS = 0x0001, 0x0002
PATIENCE = 5


def perform(opcode: int, parameters: bytes = b"", index: int = 0) -> bytes:
    """Performs a command, and returns its return parameters."""
    with hci_channel(CONTROL) as channel:
        channel.settimeout(PATIENCE)
        channel.send(struct.pack("<HHH", opcode, index, len(parameters)) + parameters)
        while True:
            event = channel.recv(1024)
            code, about, _ = struct.unpack_from("<HHH", event)
            if code in (COMMAND_COMPLETE, COMMAND_STATUS) and about == index:
                answered, status = struct.unpack_from("<HB", event, 6)
                equal((answered, status), (opcode, 0), f"the status of the management command 0x{opcode:04X}")
                return event[9:]


def indices() -> tuple[int, ...]:
    """The adapters that the kernel has set up."""
    answer = perform(READ_INDEX_LIST, index=NO_INDEX)
    return struct.unpack_from(f"<{struct.unpack_from('<H', answer)[0]}H", answer, 2)


def settings(index: int = 0) -> int:
    """The settings of an adapter. The question itself makes the adapter managed."""
    return struct.unpack_from("<I", perform(READ_INFORMATION, index=index), 13)[0]


def set_low_energy(is_on: bool, index: int = 0) -> None:
    perform(SET_LOW_ENERGY, bytes([is_on]), index)


def selected_phys(index: int = 0) -> int:
    """The PHYs on which the kernel looks for devices and connects to them."""
    return struct.unpack_from("<I", perform(GET_PHY_CONFIGURATION, index=index), 8)[0]


def select_phys(phys: int, index: int = 0) -> None:
    perform(SET_PHY_CONFIGURATION, struct.pack("<I", phys), index)
