# SPDX-License-Identifier: GPL-2.0-or-later
"""A device with every difficulty that a client can meet."""

import asyncio

from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service

from .peripheral import FLAGS, NOTIFY, OPEN, READ, WRITE, Peripheral, advertising, lab_uuid

# A name that clears the screen, sets the title, reverses text, breaks the line, and is not UTF-8.
HOSTILE = b"\x1b[2J\x1b]0;x\x07\xe2\x80\xae\xffevil\n\xc2\x9b"
BURST = 3


class Awkward(Peripheral):
    interval = 0.1
    rssi = -85
    advertised = advertising(FLAGS, (AdvertisingData.COMPLETE_LOCAL_NAME, HOSTILE))

    def gap_name(self) -> str:
        return "Awkward"

    def services(self) -> list[Service]:
        self.burst = self.subscribable(lab_uuid(0x16), NOTIFY)
        self.quiet = self.subscribable(lab_uuid(0x17), NOTIFY)
        return [
            Service(
                lab_uuid(0x10),
                [
                    Characteristic(lab_uuid(0x11), READ | WRITE, OPEN, refusing(0x05)),
                    Characteristic(lab_uuid(0x12), READ | WRITE, OPEN, refusing(0x80)),
                    Characteristic(lab_uuid(0x13), READ | WRITE, OPEN, CharacteristicValue(self.silence, self.silence)),
                    Characteristic(lab_uuid(0x14), READ | WRITE, OPEN, CharacteristicValue(self.hang_up, self.hang_up)),
                    Characteristic(
                        lab_uuid(0x15),
                        READ,
                        Characteristic.READABLE,
                        HOSTILE,
                        [Descriptor("2901", Characteristic.READABLE, HOSTILE)],
                    ),
                    self.burst,
                    self.quiet,
                    Characteristic(lab_uuid(0x18), READ, Characteristic.READABLE, b"fine"),
                ],
            )
        ]

    async def silence(self, _connection, _value=None) -> bytes:
        self.note("silence")
        return await asyncio.get_running_loop().create_future()

    async def hang_up(self, connection, _value=None) -> bytes:
        self.note("hanging up")
        await connection.disconnect()
        return await asyncio.get_running_loop().create_future()

    def subscription(self, characteristic: Characteristic, notify: bool, indicate: bool) -> None:
        super().subscription(characteristic, notify, indicate)
        if characteristic is self.burst and notify:
            self.spawn(self.notify_and_leave())

    async def notify_and_leave(self) -> None:
        for number in range(BURST):
            await asyncio.sleep(0.05)
            await self.device.notify_subscribers(self.burst, bytes([number]))
        await asyncio.sleep(0.05)
        await self.do_hang_up()


def refusing(code: int) -> CharacteristicValue:
    def refuse(_connection, _value=None):
        raise ATT_Error(code)

    return CharacteristicValue(refuse, refuse)
