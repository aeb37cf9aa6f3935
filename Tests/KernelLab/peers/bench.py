# SPDX-License-Identifier: GPL-2.0-or-later
"""The peripheral of Bumble's own bench app, so that the app and blectl measure the same link to the same device."""

from bumble.apps import bench
from bumble.gatt import Service
from bumble.l2cap import LeCreditBasedChannel, LeCreditBasedChannelSpec

from .peripheral import FLAGS, advertising
from .profiles import Shy

# A channel that counts what it takes, beside the app's own: the app reads packets of its own form. guest/peers.py has it, too.
PSM_COUNT = 0x81


class Bench(Shy):
    advertised = advertising(FLAGS)

    def services(self) -> list[Service]:
        # It adds its service to the device by itself.
        self.attributes = bench.GattServer(self.device)
        self.heard = bench.Receiver(self.attributes, linger=True)
        self.stream = (0, 0)
        self.served = []
        self.attributes.speed_rx.on("subscription", self.listener)
        return []

    async def start(self) -> None:
        self.channel = bench.L2capServer(self.device)
        self.taken = bench.Receiver(self.channel, linger=True)
        spec = LeCreditBasedChannelSpec(
            psm=PSM_COUNT,
            mtu=bench.DEFAULT_L2CAP_MTU,
            mps=bench.DEFAULT_L2CAP_MPS,
            max_credits=bench.DEFAULT_L2CAP_MAX_CREDITS,
        )
        self.device.create_l2cap_server(spec, self.count)
        await super().start()

    def count(self, channel: LeCreditBasedChannel) -> None:
        octets = 0

        def take(unit: bytes) -> None:
            nonlocal octets
            octets += len(unit)

        channel.sink = take
        channel.on("close", lambda: self.note("channel", octets=octets))

    async def do_reset(self) -> None:
        await super().do_reset()
        self.stream = (0, 0)
        self.served.clear()

    async def do_stream(self, count: int, size: int) -> None:
        """From now on a subscriber gets that many notifications of that length, as the app sends them."""
        self.stream = (count, size)
        self.served.clear()

    def listener(self, connection, notify: bool, _indicate: bool) -> None:
        # Each connection gets one stream: Bumble's client subscribes more than once.
        if notify and self.stream[0] and connection not in self.served:
            self.served.append(connection)
            self.spawn(self.send(connection, *self.stream))

    async def send(self, connection, count: int, size: int) -> None:
        for number in range(count):
            packet = bench.Packet(
                bench.Packet.PacketType.SEQUENCE,
                flags=bench.Packet.PacketFlags(number == count - 1),
                sequence=number,
                payload=bytes(size - 10),
            )
            await self.device.notify_subscriber(connection, self.attributes.speed_rx, bytes(packet))
            await connection.drain()
