# SPDX-License-Identifier: GPL-2.0-or-later
"""A filter of system calls: seccomp(2)."""

import ctypes
import platform
import struct

AF_BLUETOOTH = 31
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # of classic BPF: a word of the call's data, a comparison, the end
NUMBER, FIRST_ARGUMENT = 0, 16  # where they are in the call's data
KILL, ALLOW = 0x80000000, 0x7FFF0000
SOCKET = {"x86_64": 41, "aarch64": 198}


def refuse_bluetooth() -> bool:
    """Has this process, and all that it starts, killed if they open a socket of the kernel's Bluetooth. False where the
    kernel or the processor is another one."""
    if platform.machine() not in SOCKET:
        return False
    instructions = [
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 3, SOCKET[platform.machine()]),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (EQUAL, 0, 1, AF_BLUETOOTH),
        (RETURN, 0, 0, KILL),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *instruction) for instruction in instructions))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None).prctl
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0) == 0
