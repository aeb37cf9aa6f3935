# SPDX-License-Identifier: GPL-2.0-or-later
"""The connection between the peers' controller and the kernel: /dev/vhci, with one HCI packet in each read and write.
"""

import asyncio
import os
import struct
import threading
import time

VENDOR = 0xFF
PRIMARY_CONTROLLER = 0x00
RAW_DEVICE = 0x80  # the kernel only reserves an index for it
# The reports of a crowd in a second: several times as many as USB brings, which takes an event in a millisecond. Without
# a limit, the case would compare the speed of two programs that share one processor.
CROWD_RATE = 5_000
CROWD_STEP = 50


class Driver:
    """Source and sink of HCI packets for Bumble's controller. The adapter can be pulled out and plugged in again.

    Replaces Bumble's own transport, because that closes the device when a write fails, and writes fail while the
    adapter is down."""

    def __init__(self, path: str = "/dev/vhci"):
        self.path = path
        self.sink = None
        self.file: int | None = None
        self.crowd = {"sent": 0, "seconds": 0.0, "ended": True}
        self.plug_in()

    def plug_in(self, index: int = 0) -> None:
        """Adds the adapter under that index, which must be free."""
        lower = [self.adapter(RAW_DEVICE) for _ in range(index)]
        self.file = self.adapter(PRIMARY_CONTROLLER)
        for each in lower:
            os.close(each)
        asyncio.get_running_loop().add_reader(self.file, self.readable)

    def pull_out(self) -> None:
        asyncio.get_running_loop().remove_reader(self.file)
        os.close(self.file)
        self.file = None

    def adapter(self, kind: int) -> int:
        """The file of a new adapter."""
        file = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        os.write(file, bytes([VENDOR, kind]))
        return file

    def set_packet_sink(self, sink) -> None:
        self.sink = sink

    def readable(self) -> None:
        packet = os.read(self.file, 4096)
        if packet and packet[0] != VENDOR and self.sink is not None:
            self.sink.on_packet(packet)

    def pour(self, count: int) -> None:
        """Sends reports of that number of different advertisers at `CROWD_RATE`, beside all other traffic."""
        reports = [crowd_report(number) for number in range(count)]
        self.crowd = {"sent": 0, "seconds": 0.0, "ended": False}
        threading.Thread(target=self.write_all, args=(self.file, reports), daemon=True).start()

    def write_all(self, file: int, packets: list[bytes]) -> None:
        began = time.monotonic()
        for number, packet in enumerate(packets):
            if number % CROWD_STEP == 0:
                time.sleep(max(0, began + number / CROWD_RATE - time.monotonic()))
            os.write(file, packet)
            self.crowd["sent"] = number + 1
        self.crowd |= {"seconds": time.monotonic() - began, "ended": True}

    def on_packet(self, packet: bytes) -> None:
        if self.file is None:
            return
        try:
            os.write(self.file, packet)
        except OSError:
            pass  # an adapter that is down receives nothing


def crowd_report(number: int) -> bytes:
    """LE Extended Advertising Report of an advertiser in a crowd: flags, a name and manufacturer data."""
    name = b"crowd %06d" % number
    data = b"\x02\x01\x06" + bytes([len(name) + 1, 0x09]) + name + b"\x07\xff\xff\xff" + struct.pack("<I", number)
    address = struct.pack("<IH", number, 0xC0DE)
    report = b"\x10\x00\x01" + address + b"\x01\x00\xff\x7f\xce" + bytes(9) + bytes([len(data)]) + data
    body = b"\x0d\x01" + report
    return bytes([0x04, 0x3E, len(body)]) + body
