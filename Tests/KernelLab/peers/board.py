# SPDX-License-Identifier: GPL-2.0-or-later
"""A board with MCUboot, whose server of MCUmgr speaks with PyPI's `smp`: another author's codec of CBOR and frames."""

import asyncio
import hashlib
import struct

import cbor2
from bumble.gatt import Characteristic, CharacteristicValue, Service
from smp import error, header, image_management, os_management

from .peripheral import NOTIFY, WRITE_WITHOUT_RESPONSE, Peripheral

SERVICE = "8D53DC1D-1DB7-4CD3-868B-8A527460AA84"
DATA = "DA2E7828-FBCE-4E01-AE9E-261174997C48"
BUFFER_SIZE, BUFFER_COUNT = 2_048, 4
REQUESTS = {
    (kind._GROUP_ID, kind._COMMAND_ID, kind._OP): kind
    for kind in (
        os_management.EchoWriteRequest,
        os_management.ResetWriteRequest,
        os_management.MCUMgrParametersReadRequest,
        image_management.ImageStatesReadRequest,
        image_management.ImageStatesWriteRequest,
        image_management.ImageUploadWriteRequest,
    )
}


def parsed(image: bytes) -> tuple[str, bytes]:
    """The version and the hash of an image. Spec: MCUboot, Image format"""
    length, program = struct.unpack_from("<H2xI", image, 8)
    major, minor, revision, build = struct.unpack_from("<BBHI", image, 20)
    protected = struct.unpack_from("<H", image, 10)[0]
    start = length + program + protected
    hashed = image[:start]
    return f"{major}.{minor}.{revision}" + (f".{build}" if build else ""), hashlib.sha256(hashed).digest()


class Board(Peripheral):
    def __init__(self, *arguments, **options):
        self.restore()
        super().__init__(*arguments, **options)

    def restore(self) -> None:
        self.slots = [("1.0.0", hashlib.sha256(b"1.0.0").digest()), None]
        self.confirmed, self.wish = True, None
        self.upload, self.announced, self.length = b"", None, 0
        self.buffer = b""
        self.drops: set[int] = set()  # the numbers of the parts that get lost
        self.parts = 0

    def services(self) -> list[Service]:
        heard = CharacteristicValue(write=self.heard)
        properties = WRITE_WITHOUT_RESPONSE | NOTIFY
        self.data = self.subscriptions_noted(Characteristic(DATA, properties, Characteristic.WRITEABLE, heard))
        return [Service(SERVICE, [self.data])]

    async def do_reset(self) -> None:
        await super().do_reset()
        self.restore()

    async def do_lose_part(self, number: int) -> None:
        """Loses the part of that number of an upload, counted from 1."""
        self.drops.add(number)

    async def do_running(self) -> dict:
        return {"version": self.slots[0][0], "confirmed": self.confirmed}

    async def heard(self, connection, value: bytes) -> None:
        self.buffer += bytes(value)
        size = header.Header.SIZE
        if len(self.buffer) < size or len(self.buffer) < size + int.from_bytes(self.buffer[2:4], "big"):
            return
        frame, self.buffer = self.buffer, b""
        self.note("request", group=int.from_bytes(frame[4:6], "big"), command=frame[7], length=len(frame))
        response = self.response(frame)
        # A value has at most 512 octets. Spec: Core 5.4, Vol 3, Part F, 3.2.9
        length = min(connection.att_mtu - 3, 512)
        for start in range(0, len(response), length):
            await self.device.notify_subscribers(self.data, response[start : start + length])

    def response(self, frame: bytes) -> bytes:
        """The octets of the answer; none for a part that gets lost."""
        kind = REQUESTS.get((int.from_bytes(frame[4:6], "big"), frame[7], frame[0] & 7))
        if kind is None:
            # The library has no class for a command that it does not know, and so none for its refusal.
            fields = cbor2.dumps({"rc": int(error.MGMT_ERR.ENOTSUP)})
            return bytes([frame[0] | 1, 0]) + len(fields).to_bytes(2, "big") + frame[4:8] + fields
        assert len(frame) <= BUFFER_SIZE, "the frame is longer than a buffer"
        request = kind.loads(frame)
        answer = self.answer(request)
        if isinstance(request, os_management.ResetWriteRequest):
            self.spawn(self.restart())
        if answer is None:
            return b""
        octets = bytes(answer.BYTES)
        # The library's answer to a new state of an image says that it answers a question.
        return bytes([octets[0] & ~7 | (frame[0] & 7) + 1]) + octets[1:]

    def answer(self, request):
        options = {"sequence": request.header.sequence, "version": request.header.version}
        match request:
            case os_management.EchoWriteRequest():
                return os_management.EchoWriteResponse(r=request.d, **options)
            case os_management.ResetWriteRequest():
                return os_management.ResetWriteResponse(**options)
            case os_management.MCUMgrParametersReadRequest():
                return os_management.MCUMgrParametersReadResponse(buf_size=BUFFER_SIZE, buf_count=BUFFER_COUNT, **options)
            case image_management.ImageStatesReadRequest():
                return image_management.ImageStatesReadResponse(images=self.states(), splitStatus=0, **options)
            case image_management.ImageStatesWriteRequest():
                return self.choose(request, options)
            case image_management.ImageUploadWriteRequest():
                return self.store(request, options)

    def states(self) -> list[image_management.ImageState]:
        states = []
        for number, slot in enumerate(self.slots):
            if slot is None:
                continue
            states.append(
                image_management.ImageState(
                    slot=number,
                    version=slot[0],
                    hash=slot[1],
                    bootable=True,
                    active=number == 0,
                    confirmed=self.confirmed if number == 0 else not self.confirmed,
                    pending=number == 1 and self.wish is not None,
                    permanent=number == 1 and self.wish == "kept",
                )
            )
        return states

    def choose(self, request, options):
        if request.hash is None or request.hash == self.slots[0][1]:
            self.confirmed = True
        elif self.slots[1] and request.hash == self.slots[1][1]:
            self.wish = "kept" if request.confirm else "tested"
        else:
            failure = error.Err(group=1, rc=image_management.IMG_MGMT_ERR.HASH_NOT_FOUND)
            return image_management.ImageManagementErrorV2(err=failure, **options)
        return image_management.ImageStatesWriteResponse(images=self.states(), splitStatus=0, **options)

    def store(self, request, options):
        self.parts += 1
        if self.parts in self.drops:
            return None
        if request.off == 0 and (request.sha != self.announced or not self.upload):
            self.upload, self.announced, self.length = b"", request.sha, request.len
        match = None
        if request.off == len(self.upload):
            self.upload += request.data
            if len(self.upload) == self.length:
                match = hashlib.sha256(self.upload).digest() == self.announced
                self.slots[1] = parsed(self.upload)
        return image_management.ImageUploadWriteResponse(off=len(self.upload), match=match, **options)

    async def restart(self) -> None:
        """The boot loader swaps the slots for an image that was chosen, or that was not confirmed."""
        await asyncio.sleep(0.05)
        if self.wish or not self.confirmed:
            self.slots.reverse()
        self.confirmed, self.wish = self.wish != "tested", None
        await self.do_hang_up()
