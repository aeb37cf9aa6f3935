# SPDX-License-Identifier: GPL-2.0-or-later
"""The procedures of the Link Layer that change a link, which Bumble's controller has no more of than their commands.

Each involves the peer, whose controller agrees, refuses or never answers: `link_settings` of it says so for "phy",
"data-length" and "parameters". Of the parameters it may also agree to the interval only, or the kernel's controller
rejects the command itself. What is reached is kept, and can be read back. Spec: Core 5.4, Vol 6, Part B, 5.1
"""

import asyncio

from bumble import hci

AGREES, AGREES_IN_PART, REFUSES, REJECTS, SILENT = "agrees", "agrees in part", "refuses", "rejects", "silent"
UNSUPPORTED_REMOTE_FEATURE, UNACCEPTABLE_PARAMETERS = 0x1A, 0x3B
INVALID_PARAMETERS = 0x12
# Interval, latency and supervision timeout of a link that nobody has changed.
FIRST_PARAMETERS = (24, 0, 42)
RESPONSE_TIMEOUT = 0x22
# All but 22.
CHANNELS = 0x1F_FFBF_FFFF
# The specification's is 40 s, which no case waits for.
RESPONSE_PATIENCE = 12
READ_TRANSMIT_POWER_LEVEL = 0x0C2D
POWER = 4
RSSI = -50
PROCEDURE = 0.12  # a request, an answer and six events until the change
LONGER_PACKETS = hci.LeFeatureMask.LE_DATA_PACKET_LENGTH_EXTENSION


class LinkLayer:
    """The part of a central's controller. To be mixed into Bumble's."""

    def settings(self, connection) -> dict[str, str]:
        """What the peer of a connection does."""
        peer = self.link.find_le_controller(connection.peer_address)
        return getattr(peer, "link_settings", {})

    def later(self, connection, event) -> None:
        """Sends an event, unless the link has ended until then."""

        def send():
            if self.le_connections.get(connection.peer_address) is connection:
                self.send_hci_packet(event)

        asyncio.get_running_loop().call_later(PROCEDURE, send)

    def wait_in_vain(self, connection) -> None:
        """The peer does not answer: in the end the controller gives the link up."""

        def give_up():
            if self.le_connections.get(connection.peer_address) is connection:
                self.lose(connection.peer_address, RESPONSE_TIMEOUT)

        asyncio.get_running_loop().call_later(RESPONSE_PATIENCE, give_up)

    def connection_of(self, command):
        """The connection of a command that an event completes; nothing, and an answer, if there is none."""
        connection = self.find_le_connection_by_handle(command.connection_handle)
        status = hci.HCI_COMMAND_STATUS_PENDING if connection else hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
        self._send_hci_command_status(status, command.op_code)
        return connection

    # The PHY

    def on_hci_le_read_phy_command(self, command):
        connection = self.find_le_connection_by_handle(command.connection_handle)
        tx, rx = getattr(connection, "phys", (1, 1))
        return hci.HCI_LE_Read_PHY_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, connection_handle=command.connection_handle, tx_phy=tx, rx_phy=rx
        )

    def on_hci_le_set_phy_command(self, command) -> None:
        if (connection := self.connection_of(command)) is None:
            return
        how = self.settings(connection).get("phy", AGREES)
        if how == SILENT:
            self.wait_in_vain(connection)
            return
        old = getattr(connection, "phys", (1, 1))
        wanted = tuple(
            present if command.all_phys & any_phy else fastest(phys)
            for present, any_phy, phys in zip(old, (0x01, 0x02), (command.tx_phys, command.rx_phys))
        )
        connection.phys = wanted if how == AGREES else old
        self.later(
            connection,
            hci.HCI_LE_PHY_Update_Complete_Event(
                status=0 if how == AGREES else UNSUPPORTED_REMOTE_FEATURE,
                connection_handle=connection.handle,
                tx_phy=connection.phys[0],
                rx_phy=connection.phys[1],
            ),
        )

    # The length of packets

    def on_hci_le_read_remote_features_command(self, command) -> None:
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None or self.settings(connection).get("data-length", AGREES) == AGREES:
            super().on_hci_le_read_remote_features_command(command)
            return
        self.connection_of(command)
        peer = self.link.find_le_controller(connection.peer_address)
        refuses = self.settings(connection)["data-length"] == REFUSES
        features = peer.le_features & ~LONGER_PACKETS if refuses else peer.le_features
        self.later(
            connection,
            hci.HCI_LE_Read_Remote_Features_Complete_Event(
                status=0, connection_handle=connection.handle, le_features=features.value.to_bytes(8, "little")
            ),
        )

    def on_hci_le_set_data_length_command(self, command):
        connection = self.find_le_connection_by_handle(command.connection_handle)
        answer = hci.HCI_StatusAndConnectionHandleReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, connection_handle=command.connection_handle
        )
        if connection is None:
            answer.status = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
            return answer
        how = self.settings(connection).get("data-length", AGREES)
        if how == SILENT:
            self.wait_in_vain(connection)
        elif how == AGREES and command.tx_octets != getattr(connection, "tx_octets", 27):
            connection.tx_octets = command.tx_octets
            self.later(
                connection,
                hci.HCI_LE_Data_Length_Change_Event(
                    connection_handle=connection.handle,
                    max_tx_octets=command.tx_octets,
                    max_tx_time=command.tx_time,
                    max_rx_octets=27,
                    max_rx_time=328,
                ),
            )
        return answer

    # The parameters of the connection

    def parameters(self) -> dict[str, list[int]]:
        """Interval, latency and supervision timeout of each link, by the peer's address."""
        return {
            address.to_string(False): list(getattr(connection, "parameters_in_use", FIRST_PARAMETERS))
            for address, connection in self.le_connections.items()
        }

    def on_hci_le_connection_update_command(self, command) -> None:
        connection = self.find_le_connection_by_handle(command.connection_handle)
        how = self.settings(connection).get("parameters", AGREES) if connection else AGREES
        if how == REJECTS:
            self._send_hci_command_status(INVALID_PARAMETERS, command.op_code)
            return
        if self.connection_of(command) is None:
            return
        if how == SILENT:
            self.wait_in_vain(connection)
            return
        wanted = (command.connection_interval_max, command.max_latency, command.supervision_timeout)
        present = getattr(connection, "parameters_in_use", FIRST_PARAMETERS)
        connection.parameters_in_use = {AGREES: wanted, AGREES_IN_PART: (*wanted[:1], *present[1:])}.get(how, present)
        interval, latency, timeout = connection.parameters_in_use
        self.later(
            connection,
            hci.HCI_LE_Connection_Update_Complete_Event(
                status=UNACCEPTABLE_PARAMETERS if how == REFUSES else 0,
                connection_handle=connection.handle,
                connection_interval=interval,
                peripheral_latency=latency,
                supervision_timeout=timeout,
            ),
        )

    # What is measured

    def on_hci_read_rssi_command(self, command):
        connection = self.find_le_connection_by_handle(command.handle)
        peer = connection and self.link.find_le_controller(connection.peer_address)
        return hci.HCI_Read_RSSI_ReturnParameters(
            status=hci.HCI_ErrorCode.SUCCESS, handle=command.handle, rssi=getattr(peer, "rssi", RSSI)
        )

    def on_hci_read_transmit_power_level_command(self, command) -> None:
        """Bumble has no class for the command."""
        handle = bytes(command.parameters)[:2]
        self.complete(READ_TRANSMIT_POWER_LEVEL, bytes([0]) + handle + bytes([POWER]))

    def on_hci_le_read_channel_map_command(self, command) -> None:
        """Bumble has no class for the command, which its controller lists."""
        handle = bytes(command.parameters)[:2]
        self.complete(hci.HCI_LE_READ_CHANNEL_MAP_COMMAND, bytes([0]) + handle + CHANNELS.to_bytes(5, "little"))

    def complete(self, opcode: int, parameters: bytes) -> None:
        body = bytes([1]) + opcode.to_bytes(2, "little") + parameters
        self.send_hci_packet(bytes([0x04, 0x0E, len(body)]) + body)

    def on_hci_read_remote_version_information_command(self, command) -> None:
        if (connection := self.connection_of(command)) is None:
            return
        self.later(
            connection,
            hci.HCI_Read_Remote_Version_Information_Complete_Event(
                status=0, connection_handle=connection.handle, version=0x0C, manufacturer_name=0xFFFF, subversion=0
            ),
        )


def fastest(phys: int) -> int:
    """The fastest PHY of a set: LE 2M, LE 1M, LE Coded."""
    return next((phy for bit, phy in ((0x02, 2), (0x01, 1), (0x04, 3)) if phys & bit), 1)
