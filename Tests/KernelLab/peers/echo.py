# SPDX-License-Identifier: GPL-2.0-or-later
"""A serial port over Bluetooth that echoes its input (Nordic UART Service), with a public address, and credit-based channels."""

import asyncio
import hashlib

from bumble.core import AdvertisingData
from bumble.l2cap import LeCreditBasedChannel, LeCreditBasedChannelSpec
from bumble.gatt import Characteristic, CharacteristicValue, Service

from .peripheral import FLAGS, NOTIFY, WRITE, WRITE_WITHOUT_RESPONSE, Peripheral, advertising

SERVICE = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
RECEIVE = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
TRANSMIT = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"


# The services on credit-based channels; guest/peers.py has the same numbers.
PSM_ECHO, PSM_SINK, PSM_MISER, PSM_SOURCE = 0x80, 0x81, 0x82, 0x83


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

    async def start(self) -> None:
        for psm, open_channel in (
            (PSM_ECHO, self.echo),
            (PSM_SINK, self.sink),
            (PSM_MISER, self.miser),
            (PSM_SOURCE, self.source),
        ):
            spec = LeCreditBasedChannelSpec(psm=psm, mtu=1_000, mps=200, max_credits=8)
            self.device.create_l2cap_server(spec, open_channel)
        await super().start()

    def echo(self, channel: LeCreditBasedChannel) -> None:
        channel.sink = lambda unit: channel.write(unit)

    def sink(self, channel: LeCreditBasedChannel) -> None:
        digest, count = hashlib.sha256(), 0

        def take(unit: bytes) -> None:
            nonlocal count
            digest.update(unit)
            count += len(unit)

        channel.sink = take
        channel.on("close", lambda: self.note("channel", octets=count, digest=digest.hexdigest()))

    def miser(self, channel: LeCreditBasedChannel) -> None:
        """Takes what the first credits allow, and gives no further ones."""
        channel.peer_credits_threshold = -1
        channel.sink = lambda _unit: None

    def source(self, channel: LeCreditBasedChannel) -> None:
        self.spawn(self.pour(channel))

    async def pour(self, channel: LeCreditBasedChannel) -> None:
        for start in range(0, 100_000, 1_000):
            channel.write(bytes(number * 7 % 256 for number in range(start, start + 1_000)))
            await channel.drain()
        await channel.disconnect()

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
