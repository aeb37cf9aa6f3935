# SPDX-License-Identifier: GPL-2.0-or-later
"""The wire between the peers' controller and the kernel: /dev/vhci, one HCI packet per read and write."""

import asyncio
import os

VENDOR = 0xFF
PRIMARY_CONTROLLER = 0x00


class Driver:
    """Source and sink of HCI packets, as Bumble's controller wants them.

    Bumble's own transport closes the device for good when a write fails, and writes fail while the adapter is down."""

    def __init__(self, path: str = "/dev/vhci"):
        self.file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.sink = None
        os.write(self.file, bytes([VENDOR, PRIMARY_CONTROLLER]))
        asyncio.get_running_loop().add_reader(self.file, self.readable)

    def set_packet_sink(self, sink) -> None:
        self.sink = sink

    def readable(self) -> None:
        packet = os.read(self.file, 4096)
        if packet and packet[0] != VENDOR and self.sink is not None:
            self.sink.on_packet(packet)

    def on_packet(self, packet: bytes) -> None:
        try:
            os.write(self.file, packet)
        except OSError:
            pass  # nobody listens to an adapter that is down
