# SPDX-License-Identifier: GPL-2.0-or-later
"""The peers on an emulator of controllers that other people wrote, where each connection is one more controller on one air.

A peer has a controller from the first time that a case asks for it until the end of the case: there are not enough for all,
and what nobody needs takes no time."""

from bumble.device import AdvertisingEventProperties, AdvertisingParameters, AdvertisingType, Device
from bumble.hci import Address, HCI_LE_Set_Extended_Advertising_Data_Command, OwnAddressType, Phy
from bumble.host import Host
from bumble.transport import open_transport

from .central import Central
from .peripheral import Beacon, Peer, Peripheral
from .world import everybody

# The octets of advertising data in one command. Spec: Core 5.4, Vol 4, Part E, 7.8.54
MOST_DATA = 251


class Emulator:
    """The counterpart of `Air`."""

    def __init__(self, transport: str):
        self.transport = transport
        self.transports = []

    def host_of(self, peer: Peer, public: Address | None = None) -> Host:
        """The host of a peer, without a controller. A public address is the controller's."""
        return Host()

    async def connect(self, host: Host) -> None:
        """Gives a host a controller."""
        transport = await open_transport(self.transport)
        self.transports.append(transport)
        host.set_packet_source(transport.source)
        host.set_packet_sink(transport.sink)

    async def close(self) -> None:
        """Takes all controllers away."""
        for transport in self.transports:
            await transport.close()
        self.transports.clear()


class Transmitter(Peer):
    """A beacon with a controller of its own."""

    def __init__(self, air: Emulator, beacon: Beacon):
        super().__init__(air, beacon.name, beacon.address.to_string(False), beacon.address.is_public)
        self.beacon = beacon
        self.device = Device(name=self.name, address=None if self.address.is_public else self.address, host=air.host_of(self))
        self.set = None

    async def start(self) -> None:
        await self.device.power_on()
        if self.address.is_public:
            self.address = self.device.public_address
        if not self.beacon.starts_muted:
            await self.do_unmute()

    async def do_mute(self) -> None:
        await (self.set.stop() if self.set else self.device.stop_advertising())

    async def do_unmute(self) -> None:
        event, interval = self.beacon.event, self.beacon.interval * 1000
        own = OwnAddressType.PUBLIC if self.address.is_public else OwnAddressType.RANDOM
        if event.legacy:
            await self.device.start_advertising(
                advertising_type=AdvertisingType.UNDIRECTED,
                own_address_type=own,
                advertising_data=event.data,
                advertising_interval_min=interval,
                advertising_interval_max=interval,
            )
            return
        if not self.device.supports_le_extended_advertising:
            raise RuntimeError("the controller has no extended advertising")
        self.set = self.set or await self.device.create_advertising_set(
            advertising_parameters=AdvertisingParameters(
                advertising_event_properties=AdvertisingEventProperties(is_connectable=False, is_scannable=False),
                primary_advertising_interval_min=interval,
                primary_advertising_interval_max=interval,
                own_address_type=own,
                advertising_tx_power=event.tx_power,
                secondary_advertising_phy=Phy(event.secondary_phy),
                advertising_sid=event.sid,
            ),
            auto_start=False,
        )
        kinds = HCI_LE_Set_Extended_Advertising_Data_Command.Operation
        for start in range(0, len(event.data), MOST_DATA):
            is_last = start + MOST_DATA >= len(event.data)
            await self.device.send_sync_command(
                HCI_LE_Set_Extended_Advertising_Data_Command(
                    advertising_handle=self.set.advertising_handle,
                    operation=kinds.LAST_FRAGMENT if is_last else kinds.INTERMEDIATE_FRAGMENT if start else kinds.FIRST_FRAGMENT,
                    fragment_preference=0,
                    advertising_data=event.data[start : start + MOST_DATA],
                )
            )
        await self.set.start()


class EmulatedWorld:
    """The counterpart of `World`."""

    def __init__(self, air: Emulator):
        self.air = air
        self.gather()

    def gather(self) -> None:
        """Everybody, without a controller and as new."""
        peers = (Transmitter(self.air, peer) if isinstance(peer, Beacon) else peer for peer in everybody(self.air))
        self.peers = {peer.name: peer for peer in peers}
        self.awake: list[Peer] = []

    async def start(self) -> None: ...

    async def do_describe(self) -> dict:
        return {name: await peer.do_describe() for name, peer in self.peers.items()}

    async def do_wake(self, name: str) -> dict:
        """Puts a peer on the air, and describes it."""
        peer = self.peers[name]
        await self.air.connect(peer.device.host)
        await peer.start()
        self.awake.append(peer)
        return await peer.do_describe()

    async def do_reset(self) -> None:
        if self.awake:
            await self.air.close()
            self.gather()

    async def do_change_transport(self, transport: str) -> None:
        self.air.transport = transport

    async def do_only(self, names: list) -> None:
        for peer in self.awake:
            await (peer.do_unmute() if peer.name in names else peer.do_mute())

    async def do_controller(self) -> dict:
        """What is known of the program's controller: the peers with a link, which can only be links to it."""
        links = [peer.name for peer in self.awake if peer.device.connections]
        return {"scanning": False, "links": links, "connecting": False}
