# SPDX-License-Identifier: GPL-2.0-or-later
"""HCI sockets that are bound to other channels than an adapter's own."""

import ctypes
import os
import socket
import struct

NO_ADAPTER = 0xFFFF
USER, MONITOR, CONTROL, LOGGING = 1, 2, 3, 4


def hci_channel(number: int, adapter: int = NO_ADAPTER) -> socket.socket:
    """A socket on that channel. Python's own `bind` does not support channels."""
    opened = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
    address = struct.pack("=HHH", socket.AF_BLUETOOTH, adapter, number)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.bind(opened.fileno(), address, len(address)) != 0:
        raise OSError(ctypes.get_errno(), f"bind to the HCI channel {number}")
    return opened
