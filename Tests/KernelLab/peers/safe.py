# SPDX-License-Identifier: GPL-2.0-or-later
"""A safe that tells its state, and moves its bolt, on encrypted links only."""

from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from .peripheral import FLAGS, NOTIFY, OPEN, READ, WRITE, advertising, lab_uuid
from .profiles import VALUE_NOT_ALLOWED, Shy

OPENED, CLOSED = b"\x00", b"\x01"
# What a server without a key for the client answers. Spec: Core 5.4, Vol 3, Part C, 10.3.1
INSUFFICIENT_AUTHENTICATION = 0x05


class Safe(Shy):
    advertised = advertising(FLAGS, (AdvertisingData.COMPLETE_LOCAL_NAME, b"Safe 7"))
    refusal = INSUFFICIENT_AUTHENTICATION

    def gap_name(self) -> str:
        return "Safe 7"

    def services(self) -> list[Service]:
        self.state = self.subscriptions_noted(
            Characteristic(
                lab_uuid(0x42), READ | NOTIFY, Characteristic.READABLE, CharacteristicValue(read=self.tell)
            )
        )
        return [
            Service(
                lab_uuid(0x40),
                [
                    Characteristic(lab_uuid(0x41), READ, Characteristic.READABLE, b"a safe with one bolt"),
                    self.state,
                    Characteristic(
                        lab_uuid(0x43), WRITE, Characteristic.WRITEABLE, CharacteristicValue(write=self.move)
                    ),
                    Characteristic(lab_uuid(0x44), READ | WRITE, OPEN, self.value("note", bytes(range(60)))),
                ],
            )
        ]

    def check(self, connection) -> None:
        if not connection.encryption:
            raise ATT_Error(self.refusal)

    def tell(self, connection) -> bytes:
        self.check(connection)
        return self.values.get("state", CLOSED)

    def move(self, connection, position: bytes) -> None:
        """The bolt. Whoever listens is told the state, whether it is another one or not."""
        self.check(connection)
        self.note("write", key="bolt", value=bytes(position).hex())
        if position not in (OPENED, CLOSED):
            raise ATT_Error(VALUE_NOT_ALLOWED)
        self.values["state"] = bytes(position)
        self.spawn(self.device.notify_subscribers(self.state, bytes(position)))

    async def do_refuse_with(self, code: int) -> None:
        """What it answers on a link that is not encrypted, until the end of the case."""
        self.refusal = code

    async def do_reset(self) -> None:
        await super().do_reset()
        self.refusal = INSUFFICIENT_AUTHENTICATION
