# SPDX-License-Identifier: GPL-2.0-or-later
"""A line to a controller that does not carry every octet as it is."""

import os
import random
import socket
import tempfile
import threading


class NoisyLine:
    """A stream socket at `path` that leads to the one at `target`. Of the octets that come from there, one is lost, doubled,
    changed, or the last one before the line is cut or falls silent, as `seed` says."""

    KINDS = ("lost", "doubled", "changed", "cut", "silent")

    def __init__(self, target: str, seed: int, length: int):
        choice = random.Random(seed)
        self.kind, self.place = choice.choice(self.KINDS), choice.randrange(length)
        self.path = os.path.join(tempfile.mkdtemp(prefix="noisy-"), "line")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.target = target
        self.ends: list[socket.socket] = []
        threading.Thread(target=self.serve, daemon=True).start()

    def __str__(self) -> str:
        return f"octet {self.place} {self.kind}"

    def serve(self) -> None:
        try:
            near, _ = self.listener.accept()
        except OSError:
            return
        # btvirt takes a packet only whole, so that it is not disturbed.
        far = socket.socket(socket.AF_UNIX)
        far.connect(self.target)
        self.ends += [near, far]
        threading.Thread(target=self.carry, args=(near, far, False), daemon=True).start()
        self.carry(far, near, True)

    def carry(self, source: socket.socket, sink: socket.socket, is_noisy: bool) -> None:
        position = 0
        try:
            while octets := source.recv(4096):
                offset = self.place - position
                position += len(octets)
                if not is_noisy or not 0 <= offset < len(octets):
                    sink.sendall(octets)
                    continue
                before, octet, after = octets[:offset], octets[offset : offset + 1], octets[offset + 1 :]
                match self.kind:
                    case "lost":
                        sink.sendall(before + after)
                    case "doubled":
                        sink.sendall(before + octet + octet + after)
                    case "changed":
                        sink.sendall(before + bytes([octet[0] ^ 0x55]) + after)
                    case "cut":
                        sink.sendall(before)
                        break
                    case "silent":
                        sink.sendall(before)
                        while source.recv(4096):
                            pass
        except OSError:  # the other side is gone
            pass
        self.close()

    def close(self) -> None:
        for end in (self.listener, *self.ends):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
