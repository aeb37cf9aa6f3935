# SPDX-License-Identifier: GPL-2.0-or-later
"""A serial port over Bluetooth that echoes its input (Nordic UART Service), with a public address."""

import asyncio

from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from .peripheral import FLAGS, NOTIFY, WRITE, WRITE_WITHOUT_RESPONSE, Peripheral, advertising

SERVICE = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
RECEIVE = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
TRANSMIT = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"


class Echo(Peripheral):
    interval = 0.1
    rssi = -71
    advertised = advertising(
        FLAGS,
        (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex(SERVICE.replace("-", ""))[::-1]),
    )
    scan_response = advertising((AdvertisingData.COMPLETE_LOCAL_NAME, b"Bumble Echo"))
    greeting: bytes | None = None

    def gap_name(self) -> str:
        return "Bumble Echo"

    def services(self) -> list[Service]:
        receive = CharacteristicValue(write=self.heard)
        self.transmit = self.subscribable(TRANSMIT, NOTIFY)
        return [
            Service(
                SERVICE,
                [
                    Characteristic(RECEIVE, WRITE | WRITE_WITHOUT_RESPONSE, Characteristic.WRITEABLE, receive),
                    self.transmit,
                ],
            )
        ]

    async def heard(self, _connection, value: bytes) -> None:
        self.note("write", key="uart", value=bytes(value).hex())
        await self.device.notify_subscribers(self.transmit, bytes(value))

    async def do_send(self, value: str) -> None:
        """Sends a value without a request."""
        await self.device.notify_subscribers(self.transmit, bytes.fromhex(value))

    async def do_send_when_subscribed(self, value: str) -> None:
        """Say something as soon as somebody listens, once."""
        self.greeting = bytes.fromhex(value)

    def subscription(self, characteristic: Characteristic, notify: bool, indicate: bool) -> None:
        super().subscription(characteristic, notify, indicate)
        if notify and self.greeting is not None:
            self.spawn(self.device.notify_subscribers(characteristic, self.greeting))
            self.greeting = None

    async def do_count_up(self, first: int, count: int) -> None:
        """Sends that many numbers, as fast as possible."""
        for number in range(first, first + count):
            await self.device.notify_subscribers(self.transmit, number.to_bytes(4, "little"))
            await asyncio.sleep(0)
