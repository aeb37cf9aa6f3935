# SPDX-License-Identifier: GPL-2.0-or-later
"""A device whose attributes move, so that an old handle means another attribute. It is on the air only when a case
needs it."""

import asyncio
import struct

from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, Service

from .peripheral import FLAGS, NOTIFY, READ, Peripheral, advertising, enforce_permissions, lab_uuid

PERIOD = 0.1


class Mover(Peripheral):
    advertised = advertising(FLAGS, (AdvertisingData.COMPLETE_LOCAL_NAME, b"mover"))

    def services(self) -> list[Service]:
        self.count = 0
        self.steps = self.subscribable(lab_uuid(0x31), NOTIFY)
        self.padding = self.subscribable(lab_uuid(0x33), NOTIFY)
        self.order = [Service(lab_uuid(0x30), [self.steps]), Service(lab_uuid(0x32), [self.padding])]
        self.device.gatt_service.service_changed_characteristic.on(
            "subscription", lambda _bearer, _notify, indicate: self.note("wants news", indicate=indicate)
        )
        return self.order

    async def start(self) -> None:
        await self.device.power_on()
        self.muted = True
        self.spawn(self.walk())

    async def walk(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            self.count += 1
            await self.device.notify_subscribers(self.steps, struct.pack("<I", self.count))
            await self.device.notify_subscribers(self.padding, b"nobody wants this")

    def move(self) -> int:
        """Changes the places of the services, and removes their subscriptions. Returns the first changed handle."""
        server = self.device.gatt_server
        first = min(service.handle for service in self.order)
        server.attributes = [attribute for attribute in server.attributes if attribute.handle < first]
        server.services = [service for service in server.services if service not in self.order]
        server.attributes_by_handle.clear()
        for bearer, subscribed in server.subscribers.items():
            server.subscribers[bearer] = {handle: value for handle, value in subscribed.items() if handle < first}
        self.order.reverse()
        server.add_services(self.order)
        for attribute in server.attributes[first - 1 :]:
            enforce_permissions(attribute)
        return first

    async def do_move(self) -> None:
        """Moves, announces it by Service Changed, and waits for the confirmation."""
        changed = struct.pack("<HH", self.move(), 0xFFFF)
        await self.device.indicate_subscribers(self.device.gatt_service.service_changed_characteristic, changed)
        self.note("confirmed")

    async def do_restart(self) -> None:
        """Falls silent, and returns with another database."""
        await self.do_vanish()
        self.move()
        await self.do_unmute()

    async def do_handle(self) -> int:
        return self.steps.handle

    async def do_reset(self) -> None:
        await super().do_reset()
        await self.do_mute()
