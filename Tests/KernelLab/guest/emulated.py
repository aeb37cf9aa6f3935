# SPDX-License-Identifier: GPL-2.0-or-later
"""Bumble's peers on an emulator of controllers that other people wrote, with the program as the host of one of them."""

from .checks import Failure
from .peers import Air, Peer


class EmulatedAir(Air):
    """The peers that a case uses are there from the moment that it asks for them until its end."""

    def __init__(self, log, emulator):
        super().__init__(log, "emulator", emulator.transport)
        self.emulator = emulator
        self.place = emulator.place
        self.peers = Wakened(self)

    def reset(self) -> None:
        super().reset()
        self.peers.awake.clear()
        if (status := self.emulator.process.poll()) is not None:
            self.emulator.__init__(self.emulator.log)
            self.place = self.emulator.place
            self.tell(None, "change_transport", transport=self.emulator.transport)
            raise Failure(f"the emulator had ended with status {status}")

    def stop(self) -> None:
        super().stop()
        self.emulator.stop()


class Wakened(dict):
    """The peers by name. Whoever is asked for is put on the air."""

    def __init__(self, air: Air):
        super().__init__(air.peers)
        self.air, self.awake = air, set()

    def __getitem__(self, name: str) -> Peer:
        peer = super().__getitem__(name)
        if name not in self.awake:
            self.awake.add(name)
            # A public address is that of the controller.
            peer.address = self.air.tell(None, "wake", name=name)["address"]
        return peer
