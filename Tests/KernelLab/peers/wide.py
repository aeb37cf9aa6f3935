# SPDX-License-Identifier: GPL-2.0-or-later
"""A device with Bumble's enhanced bearers, whose values take their time."""

import asyncio

from bumble.att import EATT_PSM
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.l2cap import LeCreditBasedChannelSpec

from .peripheral import FLAGS, NOTIFY, OPEN, READ, WRITE, advertising, lab_uuid
from .profiles import Shy

PATIENCE = 0.2
COUNT = 5


class Wide(Shy):
    advertised = advertising(FLAGS)
    has_enhanced_bearers = True

    def services(self) -> list[Service]:
        self.busy = self.most = 0
        slow = [
            Characteristic(
                lab_uuid(0x51 + number), READ, Characteristic.READABLE, CharacteristicValue(read=self.answer(number))
            )
            for number in range(COUNT)
        ]
        self.ticker = self.subscribable(lab_uuid(0x57), NOTIFY)
        long = Characteristic(lab_uuid(0x56), READ | WRITE, OPEN, self.value("long", bytes(range(200))))
        return [Service(lab_uuid(0x50), [*slow, long, self.ticker])]

    def answer(self, number: int):
        async def read(_bearer) -> bytes:
            self.busy += 1
            self.most = max(self.most, self.busy)
            await asyncio.sleep(PATIENCE)
            self.busy -= 1
            return bytes([number])

        return read

    async def measure(self) -> None:
        for connection in self.device.connections.values():
            await self.device.gatt_server.notify_subscribers(self.ticker, b"\x07")

    async def do_reset(self) -> None:
        await super().do_reset()
        self.most = 0
        usual = LeCreditBasedChannelSpec()
        await self.do_offer_sizes(usual.mtu, usual.mps)

    async def do_most_at_once(self) -> int:
        """How many requests it had at the same time."""
        return self.most

    async def do_bearers(self) -> int:
        """How many enhanced bearers it has now."""
        channels = self.device.l2cap_channel_manager.channels.values()
        return sum(channel.psm == 0x27 for of_link in channels for channel in of_link.values())

    async def do_offer_sizes(self, mtu: int, mps: int) -> None:
        """Accepts bearers with these sizes from now on, whether or not they are allowed."""
        server = self.device.l2cap_channel_manager.le_coc_servers[EATT_PSM]
        server.mtu, server.mps = mtu, mps

    async def do_close_bearer(self) -> None:
        """Closes the last of them: subscriptions are Bumble's for the bearer on which they were made, which is the first."""
        (of_link,) = self.device.l2cap_channel_manager.channels.values()
        await [channel for channel in of_link.values() if channel.psm == 0x27][-1].disconnect()
