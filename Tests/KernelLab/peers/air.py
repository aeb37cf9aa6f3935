# SPDX-License-Identifier: GPL-2.0-or-later
"""The virtual air, and the controller on it that the kernel drives.

Both are Bumble's, with corrections: LE data is sent from the connection's own address, advertising reports describe
their PDU correctly (connectable, scannable, scan response, signal strength), only active scans get scan responses, and
a connection can be made to fail in the ways of real radios.
"""

import asyncio
from dataclasses import dataclass, field

from bumble import core, hci, ll
from bumble.controller import Controller
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport.common import AsyncPipeSink

from .generations import LEGACY as LEGACY_COMMANDS
from .generations import OneGeneration
from .link_layer import LinkLayer

ESTABLISHMENT_FAILED = 0x3E
SUPERVISION_TIMEOUT = 0x08
INTERVAL = 0.03

# The additions by which Bumble's controller supports the extended LE commands, as the kernel sees it.
EXTENDED_COMMANDS = {
    hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_RESPONSE_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_ENABLE_COMMAND,
    hci.HCI_LE_REMOVE_ADVERTISING_SET_COMMAND,
}

# Advertising event types of LE Extended Advertising Report. Spec: Core 5.4, Vol 4, Part E, 7.7.65.13
CONNECTABLE, SCANNABLE, SCAN_RESPONSE, LEGACY = 0x01, 0x02, 0x08, 0x10
MORE_TO_COME = 0x20
LE_1M, LE_CODED = 1, 3
# Those of LE Advertising Report.
ADV_IND, ADV_NONCONN_IND, SCAN_RSP = 0x00, 0x03, 0x04
FRAGMENT = 229


@dataclass
class Advertisement:
    """One advertising event on the air."""

    address: hci.Address
    data: bytes
    scan_response: bytes = b""
    connectable: bool = True
    legacy: bool = True
    rssi: int = -50
    sid: int = 0xFF
    tx_power: int = 0x7F
    primary_phy: int = 1
    secondary_phy: int = 0


class Air(LocalLink):
    """The link of all controllers. `kernel` receives advertising; centrals receive the kernel's."""

    kernel: "KernelController"
    lost = False

    def host_of(self, peer, public: hci.Address | None = None) -> Host:
        """The host of a peer, on a controller of its own, with this public address."""
        controller = peer.controller = Controller(peer.name, link=self, public_address=public)
        controller.rssi, controller.hears_the_kernel = peer.rssi, peer.hears_the_kernel
        return Host(controller, AsyncPipeSink(controller))

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        if transport != core.PhysicalTransport.LE:
            super().send_acl_data(sender_controller, destination_address, transport, data)
            return
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection is None or receiver is None:
            return
        asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, connection.self_address, transport, data)

    def send_advertising_pdu(self, sender_controller, packet):
        if isinstance(packet, ll.ConnectInd):
            if not self.lost:
                super().send_advertising_pdu(sender_controller, packet)
            return
        if sender_controller is self.kernel:
            for controller in self.controllers:
                if getattr(controller, "hears_the_kernel", False):
                    asyncio.get_running_loop().call_soon(controller.on_ll_advertising_pdu, packet)
            return
        for advertising in sender_controller.advertising_sets.values():
            if advertising.enabled and advertising.address == packet.advertiser_address:
                phy = getattr(sender_controller, "advertising_phy", LE_1M)
                is_legacy = phy == LE_1M
                self.kernel.hear(
                    Advertisement(
                        packet.advertiser_address,
                        packet.data,
                        bytes(advertising.scan_response_data),
                        legacy=is_legacy,
                        rssi=getattr(sender_controller, "rssi", -50),
                        sid=0xFF if is_legacy else 0,
                        primary_phy=phy,
                        secondary_phy=0 if is_legacy else phy,
                    )
                )


@dataclass
class Scan:
    """The scan parameters that the kernel, or a program on its raw socket, has set."""

    active: bool = False
    phys: list[int] = field(default_factory=lambda: [1])


class KernelController(OneGeneration, LinkLayer, Controller):
    """The controller behind hci0.

    `extended` is a present-day controller: extended commands, extended reports; or legacy commands and reports, if one
    of those commands was the first after a reset. Without it this is Bumble's own: legacy commands only, and yet
    extended reports.
    """

    def __init__(self, *arguments, extended: bool, **options):
        super().__init__(*arguments, **options)
        self.extended = extended
        if extended:
            self.supported_commands = Controller.supported_commands | EXTENDED_COMMANDS
            self.le_features |= hci.LeFeatureMask.CONNECTION_SUBRATING
        self.scan = Scan()
        self.failures: list[tuple[str, int]] = []  # the failures of the next connections, in order
        self.connection_attempts = 0

    def on_hci_reset_command(self, command):
        self.fall_silent()
        return super().on_hci_reset_command(command)

    def fall_silent(self) -> None:
        """Ends scans, connection attempts and links."""
        self.le_scan_enable = False
        self.pending_le_connection = None
        for address in list(self.le_connections):
            self.lose(address)

    # Scanning

    def on_hci_le_set_scan_parameters_command(self, command):
        self.scan = Scan(active=command.le_scan_type == 1)
        return super().on_hci_le_set_scan_parameters_command(command)

    def on_hci_le_set_extended_scan_parameters_command(self, command):
        if self.le_scan_enable:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        self.scan = Scan(active=1 in command.scan_types, phys=advertising_phys(command.scanning_phys))
        return super().on_hci_le_set_extended_scan_parameters_command(command)

    def hear(self, advertisement: Advertisement) -> None:
        """Reports an advertisement to the host if it scans, and answers a connection attempt that waits for it."""
        if not self.extended:
            if advertisement.legacy and advertisement.connectable:
                super().on_advertising_pdu(ll.AdvInd(advertisement.address, advertisement.data))
            return
        if self.le_scan_enable and advertisement.primary_phy in self.scan.phys:
            self.report(advertisement)
        pending = self.pending_le_connection
        if not pending or not advertisement.connectable or pending.peer_address != advertisement.address:
            return
        # The command of Bluetooth 4 knows LE 1M only.
        if advertisement.primary_phy in advertising_phys(getattr(pending, "initiating_phys", 0x01)):
            self.connect(advertisement.address)

    def report(self, advertisement: Advertisement) -> None:
        if self.generation == LEGACY_COMMANDS:
            self.report_as_legacy(advertisement)
            return
        if advertisement.legacy:
            kind = LEGACY | (CONNECTABLE | SCANNABLE if advertisement.connectable else 0)
            reports = [self.encoded(advertisement, kind, advertisement.data)]
            if advertisement.connectable and self.scan.active and advertisement.scan_response:
                kind |= SCAN_RESPONSE
                reports.append(self.encoded(advertisement, kind, advertisement.scan_response))
            self.send_reports(reports)
            return
        kind = CONNECTABLE if advertisement.connectable else 0
        data = advertisement.data
        while len(data) > FRAGMENT:
            self.send_reports([self.encoded(advertisement, kind | MORE_TO_COME, data[:FRAGMENT])])
            data = data[FRAGMENT:]
        self.send_reports([self.encoded(advertisement, kind, data)])

    def report_as_legacy(self, advertisement: Advertisement) -> None:
        """Legacy reports have no room for extended advertisements. Spec: Core 5.4, Vol 4, Part E, 7.7.65.2"""
        if not advertisement.legacy:
            return
        reports = [(ADV_IND if advertisement.connectable else ADV_NONCONN_IND, advertisement.data)]
        if advertisement.connectable and self.scan.active and advertisement.scan_response:
            reports.append((SCAN_RSP, advertisement.scan_response))
        address = bytes([advertisement.address.address_type]) + bytes(advertisement.address)
        rssi = advertisement.rssi.to_bytes(1, "little", signed=True)
        for kind, data in reports:
            body = bytes([0x02, 1, kind]) + address + bytes([len(data)]) + data + rssi
            self.send_hci_packet(bytes([0x04, 0x3E, len(body)]) + body)

    def encoded(self, advertisement: Advertisement, kind: int, data: bytes) -> bytes:
        return b"".join(
            (
                kind.to_bytes(2, "little"),
                bytes([advertisement.address.address_type]),
                bytes(advertisement.address),
                bytes([advertisement.primary_phy, advertisement.secondary_phy]),
                bytes([advertisement.sid, advertisement.tx_power]),
                advertisement.rssi.to_bytes(1, "little", signed=True),
                bytes(9),  # no periodic advertising, not directed
                bytes([len(data)]),
                data,
            )
        )

    def send_reports(self, reports: list[bytes]) -> None:
        """Sends all reports in one event, as controllers do if they fit."""
        body = bytes([0x0D, len(reports)]) + b"".join(reports)
        self.send_hci_packet(bytes([0x04, 0x3E, len(body)]) + body)

    # Connections

    def send_hci_packet(self, packet) -> None:
        """Reports connections by LE Enhanced Connection Complete.

        The kernel unmasks that event and waits for it. After Bumble's LE Connection Complete the kernel would wait for
        seconds before it connects again, and fail if the link is lost meanwhile."""
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event):
            plain = bytes(packet)[4:]  # status, handle, role, peer's address type and address, then the parameters
            packet = enhanced_connection_complete(plain[:11], plain[11:])
        super().send_hci_packet(packet)

    def on_hci_le_create_connection_command(self, command):
        if not self.refuses(command):
            super().on_hci_le_create_connection_command(command)

    def on_hci_le_extended_create_connection_command(self, command):
        if not self.refuses(command):
            super().on_hci_le_extended_create_connection_command(command)

    def refuses(self, command) -> bool:
        """Whether a case wants this connection refused.

        By Command Status, because Linux 6.1 ignores an error in LE Connection Complete, and the socket waits without
        end.
        """
        self.connection_attempts += 1
        if not self.failures or self.failures[0][0] != "refused":
            return False
        self._send_hci_command_status(self.failures.pop(0)[1], command.op_code)
        return True

    def connect(self, address: hci.Address) -> None:
        """Connects as requested. If a case wants the connection lost, the other side is not informed."""
        if not self.failures:
            self.create_le_connection(address)
            return
        reason = self.failures.pop(0)[1]
        self.link.lost = True
        self.create_le_connection(address)
        self.link.lost = False
        # A controller gives up after six connection intervals without a packet.
        asyncio.get_running_loop().call_later(6 * INTERVAL, self.lose, address, reason)

    def on_hci_le_create_connection_cancel_command(self, _command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        cancelled = connection_complete_with(
            hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, pending.peer_address
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, cancelled)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def lose(self, address: hci.Address, reason: int = SUPERVISION_TIMEOUT) -> None:
        """Ends the link to `address` on both sides without a packet."""
        connection = self.le_connections.get(address)
        if connection is None:
            return
        peer = self.link.find_le_controller(address)
        self.on_le_disconnected(connection, reason)
        if peer is not None and (other := peer.le_connections.get(connection.self_address)):
            peer.on_le_disconnected(other, reason)


def advertising_phys(bits: int) -> list[int]:
    """The PHYs of a set on which devices advertise."""
    return [phy for bit, phy in ((0x01, LE_1M), (0x04, LE_CODED)) if bits & bit]


def connection_complete_with(status: int, address: hci.Address) -> bytes:
    """The event of a connection that failed."""
    return enhanced_connection_complete(bytes([status, 0, 0, 0, address.address_type]) + bytes(address), bytes(7))


def enhanced_connection_complete(peer: bytes, parameters: bytes) -> bytes:
    """The event without resolvable private addresses. Spec: Core 5.4, Vol 4, Part E, 7.7.65.10"""
    body = bytes([0x0A]) + peer + bytes(12) + parameters
    return bytes([0x04, 0x3E, len(body)]) + body
