# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that breaks one rule at a time, as devices of the field do. It is on the air only when a case needs it."""

import asyncio
import struct

from bumble.att import ATT_Error
from bumble.core import AdvertisingData
from bumble.gatt import Characteristic, CharacteristicDeclaration, CharacteristicValue, Descriptor, Service

from .peripheral import FLAGS, NOTIFY, OPEN, READ, WRITE, WRITE_NOT_PERMITTED, Peripheral, advertising, lab_uuid

PERIOD = 0.1
INVALID_HANDLE, NOT_SUPPORTED, NOT_FOUND, APPLICATION = 0x01, 0x06, 0x0A, 0x80
DECLARATIONS = {0x2800, 0x2801, 0x2802, 0x2803}
CONFIGURATION = 0x2902


def short(uuid) -> int | None:
    """The number of a UUID that is sent with 16 bits."""
    octets = uuid.to_pdu_bytes()
    return struct.unpack("<H", octets)[0] if len(octets) == 2 else None


class Rogue(Peripheral):
    advertised = advertising(FLAGS, (AdvertisingData.COMPLETE_LOCAL_NAME, b"rogue"))

    def services(self) -> list[Service]:
        self.rules: set[str] = set()
        self.undo = []
        self.heart_rate = self.subscribable("2A37", NOTIFY)
        self.level = Characteristic("2A19", READ | NOTIFY, Characteristic.READABLE, b"\x57")
        return [
            Service(
                "180D",
                [
                    self.heart_rate,
                    Characteristic("2A38", READ, Characteristic.READABLE, b"\x01"),
                    Characteristic("2A39", READ | WRITE, OPEN, CharacteristicValue(self.refuse, self.refuse)),
                ],
            ),
            Service(
                lab_uuid(0x40), [Characteristic(lab_uuid(0x41), READ | WRITE, OPEN, self.value("long", bytes(64)))]
            ),
            Service("180F", [self.level]),
        ]

    def refuse(self, _connection, _value=None) -> bytes:
        raise ATT_Error(APPLICATION)

    async def start(self) -> None:
        await self.device.power_on()
        self.muted = True
        server = self.device.gatt_server
        self.honest = {name: getattr(server, name) for name in dir(server) if name.startswith("on_att_")}
        for name in ("exchange_mtu", "find_information", "find_by_type_value", "read_by_type", "prepare_write"):
            setattr(server, f"on_att_{name}_request", getattr(self, f"on_{name}"))
        self.spawn(self.beat())

    async def beat(self) -> None:
        """Sends a heart rate and the level of the battery in each period, without being asked if that is the rule."""
        while True:
            await asyncio.sleep(PERIOD)
            for characteristic, value in ((self.heart_rate, b"\x04\x48"), (self.level, b"\x57")):
                if self.rules & {"no configuration", "refused configuration"}:
                    for bearer in [*self.device.connections.values(), *self.others]:
                        await self.device.gatt_server.notify_subscriber(bearer, characteristic, value, force=True)
                else:
                    await self.device.notify_subscribers(characteristic, value)

    # Requests

    def on_exchange_mtu(self, bearer, request) -> None:
        if "hangs up on the MTU" in self.rules:
            self.note("hanging up")
            self.spawn(bearer.disconnect())
        elif "ignores the MTU" in self.rules:
            self.note("ignoring")
        else:
            self.honest["on_att_exchange_mtu_request"](bearer, request)

    def on_find_information(self, bearer, request) -> None:
        if "no search to the end" in self.rules and request.ending_handle == 0xFFFF:
            raise ATT_Error(INVALID_HANDLE, request.starting_handle)
        self.honest["on_att_find_information_request"](bearer, request)

    def on_find_by_type_value(self, bearer, request) -> None:
        # The values of declarations are long, and this compares octets.
        self.honest["on_att_find_by_type_value_request"](bearer, request)

    def on_read_by_type(self, bearer, request) -> None:
        number = short(request.attribute_type)
        if "long UUIDs" in self.rules and number is not None and number not in DECLARATIONS:
            raise ATT_Error(NOT_FOUND, request.starting_handle)
        self.honest["on_att_read_by_type_request"](bearer, request)

    def on_prepare_write(self, bearer, request) -> None:
        if "no prepared writes" in self.rules:
            raise ATT_Error(NOT_SUPPORTED, request.attribute_handle)
        self.honest["on_att_prepare_write_request"](bearer, request)

    # Rules

    def change(self, attribute, name: str, value) -> None:
        old = getattr(attribute, name)
        self.undo.append(lambda: setattr(attribute, name, old))
        setattr(attribute, name, value)

    async def do_break(self, rule: str) -> None:
        """Breaks a rule until the end of the case."""
        self.rules.add(rule)
        server = self.device.gatt_server
        match rule:
            case "ends":
                for service in server.services:
                    self.change(service, "end_group_handle", 0xFFFF)
            case "long UUIDs":
                for service in server.services:
                    self.store(service, service.uuid.to_bytes(force_128=True))
                for each in server.attributes:
                    if isinstance(each, CharacteristicDeclaration):
                        uuid = each.characteristic.uuid.to_bytes(force_128=True)
                        facts = struct.pack("<BH", each.characteristic.properties, each.value_handle)
                        self.store(each, facts + uuid)
            case "no configuration":
                old = server.attributes
                self.undo.append(lambda: setattr(server, "attributes", old))
                server.attributes = [each for each in old if not self.is_configuration(each)]
            case "refused configuration":
                for each in server.attributes:
                    if self.is_configuration(each):
                        self.change(each, "write_value", self.refuse_write)

    def store(self, attribute, value: bytes) -> None:
        """Gives a declaration another value: `read_value` is guarded, and reads this."""
        self.change(attribute, "value", value)

    def is_configuration(self, attribute) -> bool:
        return isinstance(attribute, Descriptor) and short(attribute.type) == CONFIGURATION

    async def refuse_write(self, _bearer, _value) -> None:
        raise ATT_Error(WRITE_NOT_PERMITTED)

    async def do_handle(self) -> int:
        """The handle of the value that refuses with an application error."""
        values = [each for each in self.device.gatt_server.attributes if isinstance(each, Characteristic)]
        return next(each.handle for each in values if short(each.uuid) == 0x2A39)

    async def do_reset(self) -> None:
        for undo in reversed(self.undo):
            undo()
        self.undo, self.rules = [], set()
        await super().do_reset()
        await self.do_mute()
