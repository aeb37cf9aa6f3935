# SPDX-License-Identifier: GPL-2.0-or-later
"""A device with every difficulty that a client can meet."""

import asyncio

from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, Service

from .pairing import signature
from .peripheral import FLAGS, NOTIFY, OPEN, READ, WRITE, Peripheral, advertising, lab_uuid

# A name that clears the screen, sets the title, reverses text, breaks the line, and is not UTF-8.
HOSTILE = b"\x1b[2J\x1b]0;x\x07\xe2\x80\xae\xffevil\n\xc2\x9b"
BURST = 3
SIGNED = Characteristic.Properties.AUTHENTICATED_SIGNED_WRITES


class Awkward(Peripheral):
    interval = 0.1
    rssi = -85
    advertised = advertising(FLAGS, (AdvertisingData.COMPLETE_LOCAL_NAME, HOSTILE))

    def gap_name(self) -> str:
        return "Awkward"

    async def start(self) -> None:
        await super().start()
        self.device.gatt_server.on_att_signed_write_command = self.signed_write

    def signed_write(self, bearer, pdu) -> None:
        """Notes whether a signed write was signed with the key of the pairing. Bumble knows no signatures."""
        value, sent = pdu.attribute_value[:-12], pdu.attribute_value[-12:]
        counter = int.from_bytes(sent[:4], "little")
        self.spawn(self.check(bearer, pdu.attribute_handle, value, counter, sent))

    async def check(self, bearer, handle: int, value: bytes, counter: int, sent: bytes) -> None:
        for _, keys in await self.device.keystore.get_all():
            valid = keys.csrk is not None and signature(keys.csrk.value, handle, value, counter) == sent
            encrypted = bool(bearer.encryption)
            self.note("signed", value=value.hex(), counter=counter, valid=valid, encrypted=encrypted)

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
                    Characteristic(lab_uuid(0x19), READ | SIGNED, Characteristic.READABLE, b"signed"),
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
