# SPDX-License-Identifier: GPL-2.0-or-later
"""Records the packets of the kernel's monitor channel as btsnoop, in a process of its own: `python -m guest.recorder PATH`.

btmon decodes each packet that it records, and looks up the makers of addresses in a database of 13 MB: in a machine whose
system calls are slow, that costs more than all that is recorded."""

import os
import socket
import struct
import sys

from .channels import MONITOR, hci_channel
from .trace import HEADER, RECORD

SO_TIMESTAMP = 29
# Microseconds from the year 0, from which btsnoop counts, to 1970.
EPOCH = 0x00E03AB44A676000
LONGEST = 65_542
# The kernel drops packets for which it has no room.
ROOM = 16 << 20


def record(path: str) -> None:
    monitor = hci_channel(MONITOR)
    monitor.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMP, 1)
    monitor.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_RCVBUFFORCE", 33), ROOM)
    with open(path, "ab", buffering=0) as file:
        if file.tell() == 0:
            file.write(HEADER)
        while True:
            data, ancillary, _, _ = monitor.recvmsg(LONGEST, socket.CMSG_SPACE(16))
            kind, adapter, length = struct.unpack_from("<HHH", data)
            seconds, microseconds = struct.unpack("=qq", ancillary[0][2])
            moment = EPOCH + seconds * 1_000_000 + microseconds
            file.write(RECORD.pack(length, length, adapter << 16 | kind, 0, moment) + data[6:])


if __name__ == "__main__":
    os.nice(-15)
    record(sys.argv[1])
