# SPDX-License-Identifier: GPL-2.0-or-later
"""The rule that legacy and extended commands exclude each other, which Bumble's controller does not have.

After one of them a controller refuses those of the other kind until it is reset. Spec: Core 5.4, Vol 4, Part E, 3.1.1
"""

from bumble import hci

LEGACY, EXTENDED = "legacy", "extended"

# Advertising, scanning and LE Create Connection; the same and periodic advertising.
KINDS = {**dict.fromkeys(range(0x2006, 0x200E), LEGACY), **dict.fromkeys(range(0x2036, 0x204B), EXTENDED)}
# LE Create Connection, LE Extended Create Connection, LE Periodic Advertising Create Sync
ANSWERED_BY_STATUS = {0x200D, 0x2043, 0x2044}


class OneGeneration:
    """A part of the controller. To be mixed into Bumble's."""

    extended: bool  # whether it has both kinds of commands
    generation: str | None = None  # the kind that was used since the last reset

    def on_hci_command_packet(self, command) -> None:
        kind = KINDS.get(command.op_code) if self.extended else None
        if kind is not None:
            if self.generation not in (None, kind):
                self.disallow(command.op_code)
                return
            self.generation = kind
        super().on_hci_command_packet(command)

    def on_hci_reset_command(self, command):
        self.generation = None
        return super().on_hci_reset_command(command)

    def disallow(self, op_code: int) -> None:
        status = hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR
        if op_code in ANSWERED_BY_STATUS:
            self._send_hci_command_status(status, op_code)
            return
        body = bytes([1]) + op_code.to_bytes(2, "little") + bytes([status])
        self.send_hci_packet(bytes([0x04, 0x0E, len(body)]) + body)
