# SPDX-License-Identifier: GPL-2.0-or-later
"""A dual-mode controller, as in most machines. No device is on the air of its Basic Rate.

Bumble's controller supports Low Energy only. Linux sends further commands to a dual-mode controller before it is up."""

import struct

from bumble import hci

from .air import KernelController

BASEBAND, POLICY = 3, 2


def opcode(group: int, command: int) -> int:
    return group << 10 | command


SUCCESS = b"\x00"

# The return parameters, status first, of commands that Linux sends and Bumble does not support. Spec: Core 5.4, Vol 4,
# Part E, 7.3
ANSWERS = {
    opcode(BASEBAND, 0x0005): SUCCESS,  # Set Event Filter
    opcode(BASEBAND, 0x0016): SUCCESS,  # Write Connection Accept Timeout
    opcode(BASEBAND, 0x001B): SUCCESS + struct.pack("<HH", 0x0800, 0x0012),  # Read Page Scan Activity
    opcode(BASEBAND, 0x001C): SUCCESS,  # Write Page Scan Activity
    opcode(BASEBAND, 0x0020): SUCCESS,  # Write Authentication Enable
    opcode(BASEBAND, 0x0025): SUCCESS + struct.pack("<H", 0x0060),  # Read Voice Setting
    opcode(BASEBAND, 0x0038): SUCCESS + b"\x01",  # Read Number Of Supported IAC
    opcode(BASEBAND, 0x0039): SUCCESS + b"\x01\x33\x8b\x9e",  # Read Current IAC LAP
    opcode(BASEBAND, 0x003A): SUCCESS,  # Write Current IAC LAP
    opcode(BASEBAND, 0x0045): SUCCESS,  # Write Inquiry Mode
    opcode(BASEBAND, 0x0046): SUCCESS + b"\x00",  # Read Page Scan Type
    opcode(BASEBAND, 0x0047): SUCCESS,  # Write Page Scan Type
    opcode(POLICY, 0x000F): SUCCESS,  # Write Default Link Policy Settings
}


class DualModeController(KernelController):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.lmp_features = hci.LmpFeatureMask.LE_SUPPORTED_CONTROLLER | hci.LmpFeatureMask.EXTENDED_FEATURES

    def on_hci_command_packet(self, command) -> None:
        answer = ANSWERS.get(command.op_code)
        if answer is None:
            super().on_hci_command_packet(command)
            return
        body = b"\x01" + struct.pack("<H", command.op_code) + answer
        self.send_hci_packet(bytes([0x04, 0x0E, len(body)]) + body)
