# SPDX-License-Identifier: GPL-2.0-or-later
"""The heart-rate strap 'Bumble HR', which most cases use."""

import asyncio
import struct

from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service

from .peripheral import (
    FLAGS,
    INDICATE,
    NOTIFY,
    OPEN,
    READ,
    WRITE,
    WRITE_WITHOUT_RESPONSE,
    Peripheral,
    advertising,
    lab_uuid,
)

PERIOD = 0.1
EXTENDED_PROPERTIES = Characteristic.Properties.EXTENDED_PROPERTIES
RELIABLE_WRITE = b"\x01\x00"


def measurement(number: int) -> bytes:
    """Measurement `number`, in turn in each of the forms that the profile allows. Spec: HRS 1.0, 3.1.1.1"""
    rate = 60 + number % 100
    match number % 4:
        case 0:  # contact, energy, two RR intervals
            return struct.pack("<BBHHH", 0x1E, rate, 100 + number, 853, 861)
        case 1:  # contact, one RR interval
            return struct.pack("<BBH", 0x16, rate, 1024)
        case 2:  # no contact
            return struct.pack("<BB", 0x04, rate)
        case _:  # a 16-bit rate, contact not supported
            return struct.pack("<BH", 0x01, rate)


class HeartRateStrap(Peripheral):
    advertised = advertising(
        FLAGS,
        (AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack("<H", 0x180D)),
        (AdvertisingData.COMPLETE_LOCAL_NAME, b"Bumble HR"),
    )
    scan_response = advertising(
        (AdvertisingData.TX_POWER_LEVEL, bytes([0xFC])),
        (AdvertisingData.APPEARANCE, struct.pack("<H", 833)),
    )

    def services(self) -> list[Service]:
        self.count = 0
        self.heart_rate = self.subscribable("2A37", NOTIFY)
        self.ticks = self.subscribable(lab_uuid(2), NOTIFY)
        self.alarms = self.subscribable(lab_uuid(3), INDICATE)
        self.battery_level = Characteristic(
            "2A19",
            READ | NOTIFY,
            Characteristic.READABLE,
            self.value("battery", b"\x57"),
            [Descriptor("2904", Characteristic.READABLE, bytes.fromhex("04 00 AD 27 01 00 00"))],
        )
        information = Service(
            "180A",
            [
                Characteristic("2A29", READ, Characteristic.READABLE, b"Bumble Works"),
                Characteristic("2A24", READ, Characteristic.READABLE, b"Model 1"),
                Characteristic("2A26", READ, Characteristic.READABLE, b"1.2.3"),
                Characteristic("2A50", READ, Characteristic.READABLE, bytes.fromhex("01 06 00 01 00 02 01")),
            ],
        )
        battery = Service("180F", [self.battery_level])
        heart_rate = Service(
            "180D",
            [
                self.heart_rate,
                Characteristic("2A38", READ, Characteristic.READABLE, b"\x01"),
                Characteristic("2A39", WRITE, Characteristic.WRITEABLE, CharacteristicValue(write=self.control_point)),
            ],
        )
        calibration = Service(
            lab_uuid(0x20),
            [Characteristic(lab_uuid(0x21), READ, Characteristic.READABLE, b"\x01\x02\x03\x04")],
            primary=False,
        )
        workbench = Service(
            lab_uuid(0),
            [
                Characteristic(
                    lab_uuid(1),
                    READ | WRITE,
                    OPEN,
                    self.value("long", bytes(range(64))),
                    [
                        Descriptor("2901", Characteristic.READABLE, b"a long value"),
                        Descriptor("2904", Characteristic.READABLE, bytes.fromhex("19 00 00 27 01 00 00")),
                    ],
                ),
                self.ticks,
                self.alarms,
                Characteristic(
                    lab_uuid(4), WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE, self.value("command", b"")
                ),
                Characteristic(lab_uuid(5), READ | WRITE, OPEN, self.value("short", b"\x00\x00", longest=4)),
                Characteristic(lab_uuid(6), READ | WRITE, OPEN, CharacteristicValue(lambda _: b"no", lambda *_: None)),
                Characteristic(
                    lab_uuid(7),
                    READ | WRITE | EXTENDED_PROPERTIES,
                    OPEN,
                    self.value("reliable", b"reliable"),
                    [Descriptor("2900", Characteristic.READABLE, RELIABLE_WRITE)],
                ),
                Characteristic(lab_uuid(8), READ, Characteristic.READABLE, b"first twin"),
                Characteristic(lab_uuid(8), READ, Characteristic.READABLE, b"second twin"),
            ],
            included_services=[calibration],
        )
        # The included service comes first, because Bumble would otherwise put it into the middle of the including one.
        return [information, battery, heart_rate, calibration, workbench]

    def control_point(self, _connection, value: bytes) -> None:
        self.note("write", key="control-point", value=bytes(value).hex())
        if value != b"\x01":
            raise ATT_Error(0x80)  # "control point not supported". Spec: HRS 1.0, 2.3

    async def start(self) -> None:
        await super().start()
        self.spawn(self.beat())

    async def beat(self) -> None:
        """Sends a measurement, a tick and an alarm in each period to the subscribers."""
        while True:
            await asyncio.sleep(PERIOD)
            self.count += 1
            await self.device.notify_subscribers(self.heart_rate, measurement(self.count))
            await self.device.notify_subscribers(self.ticks, struct.pack("<I", self.count))
            await self.device.notify_subscribers(self.battery_level, self.values["battery"])
            if self.device.connections or self.others:
                self.spawn(self.device.indicate_subscribers(self.alarms, struct.pack("<I", self.count)))
