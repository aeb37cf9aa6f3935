# SPDX-License-Identifier: GPL-2.0-or-later
"""The peers on an emulator of controllers that other people wrote, where each connection is one more controller on one air.

A peer has a controller from the first time that a case asks for it until the end of the case: there are not enough for all,
and what nobody needs takes no time."""

from bumble.hci import Address
from bumble.host import Host
from bumble.transport import open_transport

from .central import Central
from .peripheral import Peer, Peripheral
from .world import everybody


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


class EmulatedWorld:
    """The counterpart of `World`: all peers that have a host."""

    def __init__(self, air: Emulator):
        self.air = air
        self.gather()

    def gather(self) -> None:
        """Everybody, without a controller and as new."""
        self.peers = {peer.name: peer for peer in everybody(self.air) if isinstance(peer, Peripheral | Central)}
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
