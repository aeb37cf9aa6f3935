# SPDX-License-Identifier: GPL-2.0-or-later
"""Devices of profiles that `watch` knows. They are silent until a case asks for them, so that they disturb no other."""

import asyncio
import struct

from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.profiles.battery_service import BatteryService
from bumble.profiles.device_information_service import DeviceInformationService
from bumble.profiles.heart_rate_service import HeartRateService

from .peripheral import FLAGS, NOTIFY, OPEN, READ, WRITE, Peripheral, advertising

PERIOD = 0.1
VALUE_NOT_ALLOWED = 0x80


class Shy(Peripheral):
    """A device that advertises when it is told to."""

    async def start(self) -> None:
        await self.device.power_on()
        self.muted = True
        self.spawn(self.live())

    async def do_reset(self) -> None:
        await super().do_reset()
        await self.do_mute()

    async def live(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            if self.device.connections or self.others:
                await self.measure()

    async def measure(self) -> None:
        """Sends what there is, in each period."""


class Trainer(Shy):
    """Heart Rate, Battery and Device Information as Bumble's authors have written them, and a climate sensor."""

    advertised = advertising(
        FLAGS,
        (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, struct.pack("<HH", 0x180D, 0x181A)),
        (AdvertisingData.COMPLETE_LOCAL_NAME, b"Bumble Trainer"),
    )

    def gap_name(self) -> str:
        return "Bumble Trainer"

    def services(self) -> list[Service]:
        self.beats = 0
        self.heart = HeartRateService(
            lambda _connection: self.beat(),
            HeartRateService.BodySensorLocation.WRIST,
            lambda _connection: self.note("reset-energy"),
        )
        self.temperature = self.subscribable("2A6E", NOTIFY)
        climate = Service(
            "181A",
            [
                self.temperature,
                Characteristic("2A6F", READ, Characteristic.READABLE, struct.pack("<H", 4712)),
                Characteristic("2A6D", READ, Characteristic.READABLE, struct.pack("<I", 1_013_250)),
            ],
        )
        return [
            self.heart,
            BatteryService(lambda _connection: 63),
            DeviceInformationService(manufacturer_name="Bumble Works", model_number="Trainer 1"),
            climate,
        ]

    def beat(self):
        return HeartRateService.HeartRateMeasurement(
            heart_rate=60 + self.beats % 5,
            sensor_contact_detected=True,
            energy_expended=self.beats,
            rr_intervals=(0.875, 1.0),
        )

    async def measure(self) -> None:
        self.beats += 1
        await self.device.notify_subscribers(self.heart.heart_rate_measurement_characteristic, self.beat())
        await self.device.notify_subscribers(self.temperature, struct.pack("<h", -525))


def sensor(number: int) -> str:
    return f"F000{number:04X}-0451-4000-B000-000000000000"


class Tag(Shy):
    """A SensorTag CC2541 with an accelerometer, a barometer and keys. Its sensors are off, and it does not advertise them."""

    advertised = advertising(FLAGS)
    scan_response = advertising((AdvertisingData.COMPLETE_LOCAL_NAME, b"SensorTag"))

    def gap_name(self) -> str:
        return "SensorTag"

    def services(self) -> list[Service]:
        self.acceleration = self.subscribable(sensor(0xAA11), NOTIFY)
        self.weather = self.subscribable(sensor(0xAA41), NOTIFY)
        self.keys = self.subscribable("FFE1", NOTIFY)
        self.calibration = bytes(16)
        return [
            Service(
                sensor(0xAA10),
                [
                    self.acceleration,
                    Characteristic(sensor(0xAA12), READ | WRITE, OPEN, self.value("accelerometer", b"\x00", longest=1)),
                    Characteristic(sensor(0xAA13), READ | WRITE, OPEN, self.value("period", b"\x64", longest=1)),
                ],
            ),
            Service(
                sensor(0xAA40),
                [
                    self.weather,
                    Characteristic(
                        sensor(0xAA42), WRITE, Characteristic.WRITEABLE, CharacteristicValue(write=self.configure)
                    ),
                    Characteristic(
                        sensor(0xAA43),
                        READ,
                        Characteristic.READABLE,
                        CharacteristicValue(read=lambda _connection: self.calibration),
                    ),
                ],
            ),
            Service("FFE0", [self.keys]),
        ]

    def configure(self, _connection, value: bytes) -> None:
        """The barometer. Spec: TI SensorTag User Guide, Barometric Pressure Sensor"""
        self.note("write", key="barometer", value=bytes(value).hex())
        if value not in (b"\x00", b"\x01", b"\x02"):
            raise ATT_Error(VALUE_NOT_ALLOWED)
        if value == b"\x02":
            self.calibration = bytes.fromhex("81b2f863febe4e8d591bc60701f79804")
        self.values["barometer"] = bytes(value)

    async def do_reset(self) -> None:
        await super().do_reset()
        self.calibration = bytes(16)

    async def measure(self) -> None:
        if self.values["accelerometer"] == b"\x01":
            await self.device.notify_subscribers(self.acceleration, struct.pack("<3b", 16, -16, 64))
        if self.values.get("barometer") == b"\x01" and any(self.calibration):
            await self.device.notify_subscribers(self.weather, struct.pack("<hH", -512, 33292))
        await self.device.notify_subscribers(self.keys, b"\x01")
