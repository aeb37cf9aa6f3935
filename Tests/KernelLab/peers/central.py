# SPDX-License-Identifier: GPL-2.0-or-later
"""Bumble as a central: a peer on the kernel's air, or a program of its own that `session.py` says how to talk to.

    python3 -m peers.central unix:PATH
    python3 -m peers.central hci-socket:INDEX PEER_ADDRESS
"""

import asyncio
import sys

from bumble.att import ATT_CID, EATT_PSM, ATT_Error
from bumble.core import UUID, ProtocolError
from bumble.device import Device
from bumble.gatt_client import CharacteristicProxy, Client
from bumble.hci import Address, HCI_Error
from bumble.l2cap import L2capError, LeCreditBasedChannelSpec
from bumble.transport import open_transport

from .air import Air
from .bearer import SocketBearer
from .pairing import SIGNED_WRITE, Person, config, keep_back, out_of_band, signature
from .peripheral import Peer, full
from .session import Refused, answer, serve

NAME, ADDRESS = "Central", "C3:00:00:00:00:77"
PATIENCE = 8


class Session:
    """The verbs of a case, performed by Bumble's GATT client."""

    def __init__(self, client: Client):
        self.client = client
        self.characteristics: dict[int, CharacteristicProxy] = {}
        self.values: dict[int, asyncio.Queue] = {}

    async def do_mtu(self, mtu: int) -> int:
        return await attempt(self.client.request_mtu(mtu))

    async def do_tree(self) -> dict[str, list]:
        tree: dict[str, list] = {"primary": [], "characteristics": [], "descriptors": []}
        for service in await self.client.discover_services():
            tree["primary"].append([service.handle, service.end_group_handle, full(service.uuid)])
            for each in await self.client.discover_characteristics([], service):
                self.characteristics[each.handle] = each
                tree["characteristics"].append([each.handle, int(each.properties), full(each.uuid)])
                for descriptor in await self.client.discover_descriptors(each):
                    tree["descriptors"].append([descriptor.handle, full(descriptor.type)])
        return tree

    async def do_read(self, handle: int) -> str:
        return bytes(await attempt(self.client.read_value(handle))).hex()

    async def do_read_by_uuid(self, uuid: str) -> list[str]:
        values = await attempt(self.client.read_characteristics_by_uuid(UUID(uuid), None))
        return [bytes(value).hex() for value in values]

    async def do_write(self, handle: int, value: str) -> None:
        await attempt(self.client.write_value(handle, bytes.fromhex(value), with_response=True))

    async def do_write_command(self, handle: int, value: str) -> None:
        await self.client.write_value(handle, bytes.fromhex(value), with_response=False)

    async def do_write_long(self, handle: int, value: str) -> None:
        await attempt(self.client.write_long_value(handle, bytes.fromhex(value)))

    async def do_subscribe(self, handle: int, configuration: int, indicate: bool) -> None:
        del configuration  # Bumble finds the descriptor by itself after discovery
        heard = self.values[handle] = asyncio.Queue()
        if handle not in self.characteristics:
            await self.do_tree()
        await attempt(
            self.client.subscribe(
                self.characteristics[handle], lambda value: heard.put_nowait(bytes(value)), prefer_notify=not indicate
            )
        )

    async def do_heard(self, handle: int) -> str:
        return (await asyncio.wait_for(self.values[handle].get(), 8)).hex()

    async def do_unsubscribe(self, handle: int, configuration: int) -> None:
        del configuration
        await attempt(self.client.unsubscribe(self.characteristics[handle], force=True))


async def attempt(operation):
    try:
        return await operation
    except (ATT_Error, ProtocolError) as error:
        raise Refused(error.error_code) from error


class Central(Peer):
    """A host that connects to the kernel's adapter. Its requests go over the air."""

    hears_the_kernel = True

    def __init__(self, air: Air, name: str, address: str):
        super().__init__(air, name, address)
        self.device = Device(name=name, address=self.address, host=air.host_of(self))
        self.device.config.identity_address_type = self.address.address_type
        self.usual_pairing = self.device.pairing_config_factory
        self.device.on("connection", self.connected)
        self.connection = None
        self.session: Session | None = None
        self.bearers: list[Session] = []

    async def start(self) -> None:
        await self.device.power_on()

    async def do_connect(self, address: str, kind: str) -> None:
        kinds = {"public": Address.PUBLIC_DEVICE_ADDRESS, "random": Address.RANDOM_DEVICE_ADDRESS}
        await self.device.connect(Address(address, kinds[kind]), timeout=PATIENCE)

    def connected(self, connection) -> None:
        """Before its first packet, which may come at once."""
        self.connection = connection
        connection.on("disconnection", self.disconnected)
        connection.on("security_request", lambda _requirements: self.asked_to_pair())
        self.session = Session(connection.gatt_client)
        self.listen(connection.gatt_client)

    def listen(self, client: Client) -> None:
        """Notes what comes without a request, also if nothing was subscribed to on this connection."""
        notified, indicated = client.on_att_handle_value_notification, client.on_att_handle_value_indication

        def note(kind: str, pdu) -> None:
            self.note(kind, handle=pdu.attribute_handle, value=bytes(pdu.attribute_value).hex())

        client.on_att_handle_value_notification = lambda pdu: (note("notified", pdu), notified(pdu))[1]
        client.on_att_handle_value_indication = lambda pdu: (note("indicated", pdu), indicated(pdu))[1]

    def asked_to_pair(self) -> None:
        self.note("security request")
        self.pairing = asyncio.create_task(self.pair())

    def disconnected(self, reason: int) -> None:
        self.connection = self.session = None
        self.bearers = []
        self.note("disconnected", reason=int(reason))

    async def do_perform(self, request: str, details: dict, bearer: int = 0) -> dict:
        """Performs a session's verb over the bearer of the link, or over an enhanced one, and returns the result."""
        session = self.bearers[bearer - 1] if bearer else self.session
        return await asyncio.wait_for(answer(session, request, details), PATIENCE)

    async def do_perform_on_all(self, request: str, details: dict) -> list[dict]:
        """Performs a session's verb over all bearers at once."""
        return await asyncio.gather(*(answer(each, request, details) for each in [self.session, *self.bearers]))

    async def do_open_bearers(self, count: int, mtu: int, mps: int) -> list[int]:
        """Opens enhanced bearers. Returns the ATT MTU of each."""
        spec = LeCreditBasedChannelSpec(psm=EATT_PSM)
        spec.mtu, spec.mps = mtu, mps  # Bumble takes what is not allowed only afterwards
        try:
            clients = await Client.connect_eatt(self.connection, spec, count)
        except L2capError as error:
            raise Refused(int(error.error_code)) from error
        for client in clients if count > 1 else [clients]:
            client.bearer.att_mtu = min(client.bearer.mtu, client.bearer.peer_mtu)  # Bumble lets them begin with 23
            self.listen(client)
            self.bearers.append(Session(client))
        return [each.client.mtu for each in self.bearers]

    async def do_write_octets(self, bearer: int, count: int) -> None:
        """Sends that many octets in one unit on an enhanced bearer, whatever its other end has room for."""
        channel = self.bearers[bearer - 1].client.bearer
        channel.peer_mtu = count
        channel.write(bytes(count))

    async def do_close_bearer(self, bearer: int) -> None:
        await self.bearers[bearer - 1].client.bearer.disconnect()

    async def do_pair(self) -> None:
        """Pairs by Just Works, because neither side has a display or a keyboard."""
        await asyncio.wait_for(self.connection.pair(), PATIENCE)

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

    async def do_begin_pair(self) -> None:
        """Begins to pair. The journal gets the result."""
        self.pairing = asyncio.create_task(self.pair())

    async def pair(self) -> None:
        try:
            await asyncio.wait_for(self.connection.pair(), PATIENCE)
            self.note("paired")
        except Exception as error:
            self.note("not paired", error=repr(error))

    async def do_enter(self, passkey: int) -> None:
        """Enters the digits that the other side shows."""
        self.person.entered.set_result(passkey)

    async def do_signed_write(self, handle: int, value: str, counter: int) -> None:
        """Writes with a signature of the key that Bumble distributes, which is zero."""
        octets = bytes.fromhex(value)
        pdu = bytes([SIGNED_WRITE]) + handle.to_bytes(2, "little") + octets + signature(bytes(16), handle, octets, counter)
        self.device.send_l2cap_pdu(self.connection.handle, ATT_CID, pdu)

    async def do_encrypt(self) -> None:
        """Encrypts the link with the key of an earlier pairing."""
        await asyncio.wait_for(self.connection.encrypt(), PATIENCE)

    async def do_hang_up(self) -> None:
        connection, self.connection = self.connection, None
        try:
            if connection is not None:
                await connection.disconnect()
        except HCI_Error:
            pass  # the other side was faster

    async def do_reset(self) -> None:
        await self.do_hang_up()
        await self.device.keystore.delete_all()
        self.device.smp_manager.__dict__.pop("send_command", None)
        self.device.pairing_config_factory = self.usual_pairing
        await super().do_reset()

    async def do_mute(self) -> None:
        """Does nothing, because a central does not advertise."""

    async def do_unmute(self) -> None:
        """Does nothing, because a central does not advertise."""


async def main(transport: str, address: str | None) -> None:
    if transport.startswith("unix:"):
        bearer = SocketBearer.to(transport[5:])
        client = Client(bearer)
        bearer.receive = client.on_gatt_pdu
        await serve(Session(client))
        return
    async with await open_transport(transport) as (source, sink):
        device = Device.with_hci(NAME, Address(ADDRESS), source, sink)
        await device.power_on()
        connection = await device.connect(Address(address, Address.PUBLIC_DEVICE_ADDRESS), timeout=10)
        await serve(Session(connection.gatt_client))
        await connection.disconnect()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
