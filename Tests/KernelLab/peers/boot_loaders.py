# SPDX-License-Identifier: GPL-2.0-or-later
"""Boot loaders of Nordic's, written from its specification: a watch with Legacy DFU, and a tag with Secure DFU. What checks
the firmware is another author's: the checksum of adafruit-nrfutil, and zlib's and hashlib's."""

import asyncio
import hashlib
import struct
import zlib

from bumble.att import ATT_Error
from bumble.gatt import Characteristic, CharacteristicValue, Service
from nordicsemi.dfu.crc16 import calc_crc16

from .peripheral import NOTIFY, READ, WRITE, WRITE_WITHOUT_RESPONSE, Peripheral

FIRMWARE_REVISION = "2A26"
READ_NOT_PERMITTED = 0x02


class Loader(Peripheral):
    """What both have: a characteristic for orders and one for packets, and the version of the application."""

    service = control = packet = ""

    def __init__(self, *arguments, **options):
        self.restore()
        super().__init__(*arguments, **options)

    def restore(self) -> None:
        self.version: int | None = 1  # of the application; `None` while there is none
        self.firmware = self.init_packet = b""
        self.faults: list[int] = []  # the numbers of the packets that get lost
        self.packets = 0
        self.forget()

    def forget(self) -> None:
        """It starts anew."""

    def services(self) -> list[Service]:
        ordered = CharacteristicValue(write=self.ordered)
        packed = CharacteristicValue(write=self.packed)
        revision = CharacteristicValue(read=self.revision)
        self.point = self.subscriptions_noted(Characteristic(self.control, WRITE | NOTIFY, Characteristic.WRITEABLE, ordered))
        return [
            Service("180A", [Characteristic(FIRMWARE_REVISION, READ, Characteristic.READABLE, revision)]),
            Service(
                self.service,
                [
                    self.point,
                    Characteristic(self.packet, WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE, packed),
                    *self.more(),
                ],
            ),
        ]

    def more(self) -> list[Characteristic]:
        return []

    def revision(self, _connection) -> bytes:
        if self.version is None:
            raise ATT_Error(READ_NOT_PERMITTED)
        return str(self.version).encode()

    async def ordered(self, _connection, value: bytes) -> None:
        self.note("order", value=bytes(value).hex())
        for answer in self.order(bytes(value)):
            self.spawn(self.device.notify_subscribers(self.point, answer))

    async def packed(self, _connection, value: bytes) -> None:
        self.packets += 1
        if self.packets in self.faults:
            return
        for answer in self.part(bytes(value)):
            self.spawn(self.device.notify_subscribers(self.point, answer))

    async def start_anew(self) -> None:
        await asyncio.sleep(0.05)
        self.forget()
        await self.do_hang_up()

    async def do_reset(self) -> None:
        await super().do_reset()
        self.restore()

    async def do_lose_part(self, number: int) -> None:
        """Loses the packet of that number, counted from 1."""
        self.faults.append(number)

    async def do_running(self) -> dict:
        return {
            "version": self.version,
            "hash": hashlib.sha256(self.firmware).hexdigest(),
            "init_packet": self.init_packet.hex(),
        }


class LegacyLoader(Loader):
    """Its application starts the boot loader, which takes words of four octets in packets of 20. Spec: nRF5 SDK 11, DFU Service"""

    service = "00001530-1212-EFDE-1523-785FEABCD123"
    control = "00001531-1212-EFDE-1523-785FEABCD123"
    packet = "00001532-1212-EFDE-1523-785FEABCD123"

    START, INIT, RECEIVE, VALIDATE, ACTIVATE, RESET, RECEIPTS = 1, 2, 3, 4, 5, 6, 8
    SUCCESS, INVALID_STATE, NOT_SUPPORTED, CHECKSUM = 1, 2, 3, 5

    def forget(self) -> None:
        self.state, self.length, self.period, self.since = "idle", 0, 0, 0

    def restore(self) -> None:
        super().restore()
        self.is_loader = False

    def more(self) -> list[Characteristic]:
        version = CharacteristicValue(read=lambda _: bytes([8 if self.is_loader else 1, 0]))
        return [Characteristic("00001534-1212-EFDE-1523-785FEABCD123", READ, Characteristic.READABLE, version)]

    def order(self, value: bytes) -> list[bytes]:
        order, rest = value[0], value[1:]

        def answer(status: int = self.SUCCESS) -> list[bytes]:
            return [bytes([0x10, order, status])]

        if not self.is_loader:
            if value == bytes([self.START, 4]):
                self.is_loader = True
                self.spawn(self.start_anew())
            return []
        match order, self.state:
            case self.START, "idle" if rest == b"\x04":
                self.state = "sizes"
                return []
            case self.INIT, "erased" if rest == b"\x00":
                self.state, self.init_packet = "init", b""
                return []
            case self.INIT, "init" if rest == b"\x01":
                self.state = "described"
                return answer()
            case self.RECEIPTS, _ if len(rest) == 2:
                self.period = int.from_bytes(rest, "little")
                return []
            case self.RECEIVE, "described":
                self.state, self.firmware, self.since = "receiving", b"", 0
                return []
            case self.VALIDATE, "received":
                # The checksum is the last field. Spec: nRF5 SDK 11, Init packet
                stated = int.from_bytes(self.init_packet[-2:], "little")
                if calc_crc16(self.firmware) != stated:
                    self.state = "idle"
                    return answer(self.CHECKSUM)
                self.state = "valid"
                return answer()
            case self.ACTIVATE, "valid":
                self.version, self.is_loader = struct.unpack_from("<I", self.init_packet, 4)[0], False
                self.spawn(self.start_anew())
                return []
            case self.RESET, _:
                self.spawn(self.start_anew())
                return []
        return answer(self.INVALID_STATE)

    def part(self, value: bytes) -> list[bytes]:
        if len(value) > 20 or len(value) % 4 and self.state == "receiving":
            self.note("wrong packet", length=len(value))
            return [bytes([0x10, self.RECEIVE, self.NOT_SUPPORTED])]
        match self.state:
            case "sizes":
                softdevice, loader, self.length = struct.unpack("<III", value)
                if softdevice or loader:
                    return [bytes([0x10, self.START, self.NOT_SUPPORTED])]
                self.state, self.version = "erased", None
                return [bytes([0x10, self.START, self.SUCCESS])]
            case "init":
                self.init_packet += value
            case "receiving":
                self.firmware += value
                self.since += 1
                if len(self.firmware) == self.length:
                    self.state = "received"
                    return [bytes([0x10, self.RECEIVE, self.SUCCESS])]
                if self.period and self.since % self.period == 0:
                    return [struct.pack("<BI", 0x11, len(self.firmware))]
        return []


class SecureLoader(Loader):
    """It takes an init packet and then firmware, in objects. Spec: nRF5 SDK 17, DFU Protocol"""

    service = "FE59"
    control = "8EC90001-F315-4F60-9FB8-838830DAEA50"
    packet = "8EC90002-F315-4F60-9FB8-838830DAEA50"

    CREATE, RECEIPTS, CHECKSUM, EXECUTE, SELECT = 1, 2, 3, 4, 6
    SUCCESS, NOT_SUPPORTED, INVALID, NOT_PERMITTED = 1, 2, 3, 8
    COMMAND, DATA = 1, 2
    LIMITS = {COMMAND: 256, DATA: 256}

    def restore(self) -> None:
        super().restore()
        self.version = None
        self.has = {self.COMMAND: b"", self.DATA: b""}  # with what is not executed yet
        self.kept = {self.COMMAND: 0, self.DATA: 0}
        self.ends = {self.COMMAND: 0, self.DATA: 0}
        self.length = 0

    def forget(self) -> None:
        """What is in its flash stays."""
        self.kind = self.COMMAND

    def order(self, value: bytes) -> list[bytes]:
        order, rest = value[0], value[1:]

        def answer(status: int = self.SUCCESS, more: bytes = b"") -> list[bytes]:
            return [bytes([0x60, order, status]) + more]

        def sum_of(kind: int) -> bytes:
            return struct.pack("<II", len(self.has[kind]), zlib.crc32(self.has[kind]))

        match order:
            case self.RECEIPTS:
                return answer()
            case self.SELECT if rest[0] in self.LIMITS:
                self.kind = rest[0]
                return answer(more=struct.pack("<I", self.LIMITS[self.kind]) + sum_of(self.kind))
            case self.CREATE if len(rest) == 5 and rest[0] in self.LIMITS:
                kind, length = rest[0], int.from_bytes(rest[1:], "little")
                if not 0 < length <= self.LIMITS[kind]:
                    return answer(self.INVALID)
                if kind == self.COMMAND:
                    self.kept = {self.COMMAND: 0, self.DATA: 0}
                    self.has[self.DATA] = b""
                elif not self.length or length != min(self.LIMITS[kind], self.length - self.kept[kind]):
                    return answer(self.NOT_PERMITTED)
                self.kind = kind
                self.has[kind] = self.has[kind][: self.kept[kind]]
                self.ends[kind] = self.kept[kind] + length
                return answer()
            case self.CHECKSUM:
                return answer(more=sum_of(self.kind))
            case self.EXECUTE:
                if len(self.has[self.kind]) != self.ends[self.kind]:
                    return answer(self.NOT_PERMITTED)
                return answer(self.executed())
        return answer(self.NOT_SUPPORTED)

    def executed(self) -> int:
        if self.kind == self.COMMAND:
            self.init_packet = self.has[self.COMMAND]
            start = fields(fields(fields(fields(self.init_packet)[2])[1])[2])
            self.length, self.stated, self.next = start[7], fields(start[8])[2][::-1], start[1]
            return self.SUCCESS
        self.kept[self.DATA] = len(self.has[self.DATA])
        if self.kept[self.DATA] == self.length:
            self.firmware = self.has[self.DATA]
            if hashlib.sha256(self.firmware).digest() != self.stated:
                return self.INVALID
            self.version = self.next
            self.spawn(self.start_anew())
        return self.SUCCESS

    def part(self, value: bytes) -> list[bytes]:
        if len(self.has[self.kind]) + len(value) > self.ends[self.kind]:
            self.note("wrong packet", length=len(value))
        else:
            self.has[self.kind] += value
        return []


def fields(message: bytes) -> dict:
    """The fields of a message by their numbers. Spec: Protocol Buffers, Encoding"""
    found, place = {}, 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            octet = message[place]
            place, value, shift = place + 1, value | (octet & 0x7F) << shift, shift + 7
            if octet < 0x80:
                return value

    while place < len(message):
        key = number()
        value = number()
        if key & 7 == 2:
            value, place = message[place : place + value], place + value
        found[key >> 3] = value
    return found
