# SPDX-License-Identifier: GPL-2.0-or-later
"""The common part of all peers: a place on the air, a journal of events, and commands of cases."""

import asyncio
import time

from bumble.att import ATT_Error
from bumble.core import UUID, AdvertisingData
from bumble.device import (
    AdvertisingEventProperties,
    AdvertisingParameters,
    AdvertisingSet,
    Device,
    DeviceConfiguration,
)
from bumble.gatt import Characteristic, CharacteristicValue, Descriptor, IncludedServiceDeclaration, Service
from bumble.hci import Address, HCI_Error, OwnAddressType
from bumble.pairing import PairingConfig

from .air import LE_1M, SUPERVISION_TIMEOUT, Advertisement, Air
from .legacy_set import LegacySet
from .pairing import IDENTITY_KEY, LastingSession, Person, config, keep_back, out_of_band

READ = Characteristic.Properties.READ
WRITE = Characteristic.Properties.WRITE
WRITE_WITHOUT_RESPONSE = Characteristic.Properties.WRITE_WITHOUT_RESPONSE
NOTIFY = Characteristic.Properties.NOTIFY
INDICATE = Characteristic.Properties.INDICATE
OPEN = Characteristic.READABLE | Characteristic.WRITEABLE

READ_NOT_PERMITTED, WRITE_NOT_PERMITTED = 0x02, 0x03

FLAGS = (AdvertisingData.FLAGS, bytes([0x06]))


def lab_uuid(number: int) -> str:
    """A UUID of the lab; `guest/peers.py` computes the same ones."""
    return f"B1EC71AB-{number:04X}-4000-8000-000000001AB0"


def full(uuid: UUID) -> str:
    """The UUID with 128 bits, in lower case, with dashes."""
    text = uuid.to_hex_str() if len(uuid.uuid_bytes) == 16 else f"{uuid.to_hex_str():0>8}00001000800000805f9b34fb"
    text = text.replace("-", "").lower()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def advertising(*structures: tuple[int, bytes]) -> bytes:
    return bytes(AdvertisingData(list(structures)))


class Peer:
    """A transmitter with a name for the cases."""

    rssi = -50
    hears_the_kernel = False

    def __init__(self, air: Air, name: str, address: str, public: bool = False):
        kind = Address.PUBLIC_DEVICE_ADDRESS if public else Address.RANDOM_DEVICE_ADDRESS
        self.air = air
        self.name = name
        self.address = Address(address, kind)
        self.events: list[dict] = []
        self.muted = False

    def note(self, event: str, **details) -> None:
        self.events.append({"event": event, "at": time.monotonic(), **details})

    async def start(self) -> None:
        raise NotImplementedError

    # The commands of cases: `do_NAME`, with arguments and results as in JSON.

    async def do_describe(self) -> dict:
        return {
            "address": self.address.to_string(False),
            "address_type": "public" if self.address.is_public else "random",
        }

    async def do_journal(self) -> list[dict]:
        return self.events

    async def do_reset(self) -> None:
        """Restores the initial state: on the air, unconnected, with an empty journal."""
        if self.muted:
            await self.do_unmute()
        self.events.clear()

    async def do_identities(self) -> list[dict[str, str]]:
        bonds = await self.device.keystore.get_all()
        return [{"address": name.split("/")[0], "irk": keys.irk.value.hex()} for name, keys in bonds if keys.irk]

    def will_pair(self, settings: PairingConfig) -> None:
        """Pairs so from now on. Its identity is its own address: Bumble would give that of a controller that has one."""
        settings.identity_address_type = PairingConfig.AddressType(self.address.address_type)
        self.device.pairing_config_factory = lambda _connection: settings

    async def do_set_link(self, setting: str, how: str) -> None:
        """What its controller does from now on when this property of its link is to be changed."""
        self.controller.link_settings = {**getattr(self.controller, "link_settings", {}), setting: how}

    async def do_mute(self) -> None:
        raise NotImplementedError

    async def do_unmute(self) -> None:
        raise NotImplementedError


class Beacon(Peer):
    """A transmitter without connections: a timer and an advertisement."""

    def __init__(self, air: Air, name: str, address: str, interval: float, starts_muted=False, public=False, **event):
        super().__init__(air, name, address, public)
        self.interval = interval
        self.starts_muted = starts_muted
        self.event = Advertisement(self.address, **{"connectable": False, **event})
        self.timer: asyncio.Task | None = None

    async def start(self) -> None:
        if not self.starts_muted:
            await self.do_unmute()

    async def transmit(self) -> None:
        while True:
            self.air.kernel.hear(self.event)
            await asyncio.sleep(self.interval)

    async def do_reset(self) -> None:
        await super().do_reset()
        if self.starts_muted:
            await self.do_mute()

    async def do_mute(self) -> None:
        self.muted = True
        if self.timer:
            self.timer.cancel()
            self.timer = None

    async def do_unmute(self) -> None:
        self.muted = False
        if self.timer is None:
            self.timer = asyncio.create_task(self.transmit())


class Peripheral(Peer):
    """A connectable device: a Bumble host with a GATT server, on its own Bumble controller."""

    interval = 0.06
    advertised = b""
    scan_response = b""
    has_enhanced_bearers = False

    def __init__(self, air: Air, name: str, address: str, public: bool = False):
        super().__init__(air, name, address, public)
        self.values: dict[str, bytes] = {}
        self.originals: dict[str, bytes] = {}
        self.tasks: set[asyncio.Task] = set()
        self.path: str | None = None  # of its packet socket, if it has one
        self.others = set()  # its connections over sockets
        self.advertising_set = None
        self.switching = asyncio.Lock()
        self.is_private = False
        own = None if public else self.address
        self.device = Device(
            name=self.gap_name(),
            address=own,
            config=DeviceConfiguration(eatt_enabled=self.has_enhanced_bearers),
            host=air.host_of(self, self.address if public else None),
        )
        self.device.config.identity_address_type = self.address.address_type
        self.device.smp_session_proxy = LastingSession
        self.device.gatt_server.max_mtu = self.maximum_mtu()
        self.device.add_services(self.services())
        for attribute in self.device.gatt_server.attributes:
            enforce_permissions(attribute)
            correct_include(attribute)
        self.usual_pairing = self.device.pairing_config_factory
        self.person: Person | None = None
        self.device.on("connection", self.connected)

    def gap_name(self) -> str:
        return self.name

    def maximum_mtu(self) -> int:
        return 517

    def services(self) -> list[Service]:
        return []

    async def start(self) -> None:
        await self.device.power_on()
        if self.address.is_public:
            self.address = self.device.public_address
        await self.do_unmute()

    # GATT building blocks that keep the journal

    def value(self, key: str, value: bytes, longest: int = 512) -> CharacteristicValue:
        """A value that can be read and written. It is kept in `self.values`, and restored by a reset."""
        self.values[key] = self.originals[key] = value

        def read(_connection):
            self.note("read", key=key)
            return self.values[key]

        def write(_connection, new):
            self.note("write", key=key, value=bytes(new).hex())
            if len(new) > longest:
                raise ATT_Error(0x0D)
            self.values[key] = bytes(new)
            self.written(key, bytes(new))

        return CharacteristicValue(read=read, write=write)

    def subscribable(self, uuid: str, properties) -> Characteristic:
        """A characteristic that sends values, and cannot be read."""
        return self.subscriptions_noted(Characteristic(uuid, properties, Characteristic.Permissions(0)))

    def subscriptions_noted(self, characteristic: Characteristic) -> Characteristic:
        characteristic.on(
            "subscription",
            lambda _bearer, notify, indicate: self.subscription(characteristic, notify, indicate),
        )
        return characteristic

    def subscription(self, characteristic: Characteristic, notify: bool, indicate: bool) -> None:
        self.note("subscription", handle=characteristic.handle, notify=notify, indicate=indicate)

    def written(self, key: str, value: bytes) -> None:
        """Called when the program of a case has written `value`."""

    def spawn(self, work) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # Links

    def connected(self, connection) -> None:
        self.note("connected", peer=str(connection.peer_address))
        connection.on("disconnection", lambda reason: self.spawn(self.disconnected(reason)))

    async def disconnected(self, reason: int) -> None:
        self.note("disconnected", reason=int(reason))
        if not self.muted and not self.device.connections:
            if self.advertising_set:
                # The link has ended the advertising. Bumble takes it to go on if the link came before the answer to the
                # command that has started it.
                self.advertising_set.enabled = False
            await self.advertise()

    async def advertise(self) -> None:
        async with self.switching:
            if self.advertising_set is None:
                make = self.extended_set if self.device.supports_le_extended_advertising else self.legacy_set
                self.advertising_set = await make()
            if not self.advertising_set.enabled and not self.muted:
                await self.advertising_set.start()

    async def extended_set(self) -> AdvertisingSet:
        parameters = AdvertisingParameters(
            advertising_event_properties=AdvertisingEventProperties(
                is_connectable=True, is_scannable=True, is_legacy=True
            ),
            primary_advertising_interval_min=self.interval * 1000,
            primary_advertising_interval_max=self.interval * 1000,
            own_address_type=self.own_address_type,
        )
        return await self.device.create_advertising_set(
            advertising_parameters=parameters,
            random_address=None if self.address.is_public else self.address,
            advertising_data=self.advertised,
            scan_response_data=self.scan_response,
            auto_start=False,
        )

    async def legacy_set(self) -> LegacySet:
        return LegacySet(self.device, self.own_address_type, self.interval, self.advertised, self.scan_response)

    @property
    def own_address_type(self) -> OwnAddressType:
        return OwnAddressType.PUBLIC if self.address.is_public else OwnAddressType.RANDOM

    async def do_reset(self) -> None:
        await self.do_hang_up()
        await self.do_forget_bonds()
        self.controller.link_settings = {}
        self.controller.advertising_phy = LE_1M
        self.device.pairing_config_factory = self.usual_pairing
        self.device.smp_manager.__dict__.pop("send_command", None)
        if self.is_private:
            await self.take_address(self.address)
            self.device.irk, self.is_private = bytes(16), False
        await super().do_reset()
        self.values = dict(self.originals)
        self.device.gatt_server.max_mtu = self.maximum_mtu()

    async def do_rotate(self) -> str:
        """Advertises with a new private address, of a key that it gives away when it pairs."""
        self.device.irk, self.is_private = IDENTITY_KEY, True
        address = Address.generate_private_address(IDENTITY_KEY)
        await self.take_address(address)
        return address.to_string(False)

    async def take_address(self, address: Address) -> None:
        await self.do_mute()
        await self.advertising_set.set_random_address(address)
        # Bumble takes the address of a link from here, and the arithmetic of pairings needs it.
        self.advertising_set.random_address = address
        await self.do_unmute()

    async def do_advertise_on(self, phy: int) -> None:
        """Advertises on that PHY alone from now on: 1 is LE 1M, 3 is LE Coded."""
        self.controller.advertising_phy = phy

    async def do_limit_mtu(self, mtu: int) -> None:
        """Limits the MTU that it agrees on from now on."""
        self.device.gatt_server.max_mtu = mtu

    async def do_mute(self) -> None:
        self.muted = True
        async with self.switching:
            if self.advertising_set is not None and self.advertising_set.enabled:
                await self.advertising_set.stop()

    async def do_unmute(self) -> None:
        self.muted = False
        if not self.device.connections:
            await self.advertise()

    async def do_count_bonds(self) -> int:
        return len(await self.device.keystore.get_all())

    async def do_will_pair(
        self, means: str, secure: bool, passkey: int, agrees: bool, silent: str | None, signs: bool
    ) -> None:
        """Determines what it can show and enter, and what the person there answers."""
        self.person = Person(self.note, means, passkey, agrees, silent, signs)
        keep_back(self.device.smp_manager, self.person)
        self.will_pair(config(self.person, secure, protected=means != "none", bonding=True))

    async def do_will_pair_out_of_band(self, other: dict | None) -> dict[str, str]:
        """Pairs with data that came another way from now on, and returns its own."""
        self.person, settings, own = out_of_band(self.note, other)
        self.will_pair(settings)
        return own

    async def do_enter(self, passkey: int) -> None:
        """Enters the digits that the other side shows."""
        self.person.entered.set_result(passkey)

    async def do_forget_bonds(self) -> None:
        """Loses the keys of all pairings."""
        if self.device.keystore:
            await self.device.keystore.delete_all()

    async def do_hang_up(self) -> None:
        """Ends the link normally: the other side sees "remote user terminated connection"."""
        for connection in [*self.device.connections.values(), *self.others]:
            try:
                await connection.disconnect()
            except HCI_Error:
                pass  # the other side was faster

    async def do_vanish(self) -> None:
        """Leaves the range: advertising ends, and the link ends by its supervision timeout."""
        await self.do_mute()
        self.air.kernel.lose(self.address, SUPERVISION_TIMEOUT)

    async def do_describe(self) -> dict:
        return {**await super().do_describe(), "path": self.path}

    async def do_tree(self) -> dict[str, list]:
        """The attributes of its server, in the form of `guest/tree.py`."""
        tree = {"primary": [], "secondary": [], "includes": [], "characteristics": [], "descriptors": []}
        for each in self.device.gatt_server.attributes:
            match each:
                case Service():
                    kind = "primary" if each.primary else "secondary"
                    tree[kind].append([each.handle, each.end_group_handle, full(each.uuid)])
                case IncludedServiceDeclaration():
                    service = each.service
                    tree["includes"].append([each.handle, service.handle, service.end_group_handle])
                case Characteristic():
                    tree["characteristics"].append([each.handle, int(each.properties), full(each.uuid)])
                case Descriptor():
                    tree["descriptors"].append([each.handle, full(each.type)])
        return tree

    async def do_set(self, key: str, value: str) -> None:
        self.values[key] = bytes.fromhex(value)


def enforce_permissions(attribute) -> None:
    """Refuses access that an attribute's permissions do not allow, because Bumble's server ignores them."""
    read, write = attribute.read_value, attribute.write_value

    async def guarded_read(bearer):
        if not attribute.permissions & Characteristic.READABLE:
            raise ATT_Error(READ_NOT_PERMITTED, attribute.handle)
        return await read(bearer)

    async def guarded_write(bearer, value):
        if not attribute.permissions & Characteristic.WRITEABLE:
            raise ATT_Error(WRITE_NOT_PERMITTED, attribute.handle)
        await write(bearer, value)

    attribute.read_value, attribute.write_value = guarded_read, guarded_write


def correct_include(attribute) -> None:
    """Corrects include declarations: they contain the UUID only if it has 16 bits, but Bumble cuts a long one to two
    octets."""
    if isinstance(attribute, IncludedServiceDeclaration) and len(attribute.service.uuid.to_bytes()) != 2:
        attribute.value = attribute.value[:4]
