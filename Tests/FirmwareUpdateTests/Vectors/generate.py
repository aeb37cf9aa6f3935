# SPDX-License-Identifier: MIT
"""Writes the vectors beside this file: frames by PyPI's smp, images by imgtool.

    python3 -m venv V && V/bin/pip install smp==4.2.0 imgtool==2.5.0 && V/bin/python generate.py
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from smp import file_management as fs
from smp import header, image_management as image, os_management as os_
from smp import settings_management as settings, shell_management as shell, statistics_management as statistics

HERE = pathlib.Path(__file__).parent
HASH = bytes(range(32))


def frames():
    """Each frame as its name, the octets, and which of blectl's types it is; the sequence number is the place in the list."""
    state = image.ImageState(
        slot=0, version="1.2.3", image=0, hash=HASH, bootable=True, pending=False, confirmed=True, active=True, permanent=False
    )
    known = [
        ("echo", os_.EchoWriteRequest(sequence=0, d="hällo")),
        ("echo response", os_.EchoWriteResponse(sequence=1, r="hällo")),
        ("tasks", os_.TaskStatisticsReadRequest(sequence=2)),
        (
            "tasks response",
            os_.TaskStatisticsReadResponse(
                sequence=3,
                tasks={
                    "idle": os_.TaskStatistics(
                        prio=15, tid=1, state=0, stkuse=20, stksiz=80, cswcnt=70000, runtime=5, last_checkin=0, next_checkin=0
                    )
                },
            ),
        ),
        ("time", os_.DateTimeReadRequest(sequence=4)),
        ("set time", os_.DateTimeWriteRequest(sequence=5, datetime="2026-11-29T10:35:00")),
        ("reset", os_.ResetWriteRequest(sequence=6)),
        ("forced reset", os_.ResetWriteRequest(sequence=7, force=1)),
        ("parameters", os_.MCUMgrParametersReadRequest(sequence=8)),
        ("parameters response", os_.MCUMgrParametersReadResponse(sequence=9, buf_size=2475, buf_count=4)),
        ("information", os_.OSApplicationInfoReadRequest(sequence=10, format="a")),
        ("boot loader", os_.BootloaderInformationReadRequest(sequence=11)),
        ("images", image.ImageStatesReadRequest(sequence=12)),
        ("images response", image.ImageStatesReadResponse(sequence=13, images=[state], splitStatus=0)),
        ("test", image.ImageStatesWriteRequest(sequence=14, hash=HASH, confirm=False)),
        ("confirm", image.ImageStatesWriteRequest(sequence=15, confirm=True)),
        ("first part", image.ImageUploadWriteRequest(sequence=16, off=0, data=b"abc", image=1, len=70000, sha=HASH)),
        ("next part", image.ImageUploadWriteRequest(sequence=17, off=65600, data=bytes(300))),
        ("part response", image.ImageUploadWriteResponse(sequence=18, off=70000, match=True)),
        ("erase", image.ImageEraseRequest(sequence=19, slot=1)),
        ("statistics groups", statistics.ListOfGroupsRequest(sequence=21)),
        ("statistics", statistics.GroupDataRequest(sequence=22, name="smp_svr")),
        ("statistics response", statistics.GroupDataResponse(sequence=23, name="smp_svr", fields={"ticks": 2**40})),
        ("setting", settings.ReadSettingRequest(sequence=24, name="bt/id")),
        ("set setting", settings.WriteSettingRequest(sequence=25, name="bt/id", val=b"\x01\x02")),
        ("delete setting", settings.DeleteSettingRequest(sequence=26, name="bt/id")),
        ("file", fs.FileDownloadRequest(sequence=27, off=512, name="/lfs/log")),
        ("file response", fs.FileDownloadResponse(sequence=28, off=0, data=b"log", len=3)),
        ("write file", fs.FileUploadRequest(sequence=29, off=0, data=b"log", name="/lfs/log", len=3)),
        ("shell", shell.ExecuteRequest(sequence=30, argv=["kernel", "uptime"])),
        ("shell response", shell.ExecuteResponse(sequence=31, o="Uptime: 1 ms", ret=-8)),
    ]
    return [{"name": name, "frame": bytes(frame).hex()} for name, frame in known if frame]


def images(folder):
    """Images of a program of 1,000 octets; a hash is in each."""
    program = folder / "program.bin"
    program.write_bytes(bytes(index * 7 & 0xFF for index in range(1_000)))
    found = []
    for name, options in {
        "plain": [],
        "version": ["--version", "1.2.3+4"],
        "padded header": ["--header-size", "0x200"],
        "protected": ["--dependencies", "(1, 1.0.0)", "--security-counter", "7"],
        "SHA-512": ["--sha", "512", "--key", str(key(folder, "ed25519"))],
        "signed": ["--key", str(key(folder, "ecdsa-p256"))],
        "padded": ["--pad"],
    }.items():
        base = {"--version": "2.0.0", "--header-size": "0x20", "--slot-size": "0x2000", "--align": "4"}
        words = [
            word
            for option, value in base.items()
            if option not in options
            for word in (option, value)
        ]
        result = folder / "signed.bin"
        tool = [sys.executable, "-m", "imgtool.main", "sign", "--pad-header", *words, *options, program, result]
        subprocess.run(tool, check=True, capture_output=True)
        found.append({"name": name, "image": result.read_bytes().hex()})
    return found


def key(folder, kind):
    """A key; signatures are random, so that the vectors change with each run."""
    path = folder / f"{kind}.pem"
    subprocess.run([sys.executable, "-m", "imgtool.main", "keygen", "-k", path, "-t", kind], check=True, capture_output=True)
    return path


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, vectors in ("frames", frames()), ("images", images(pathlib.Path(folder))):
            lines = ",\n".join(json.dumps(vector, ensure_ascii=False) for vector in vectors)
            (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n")


main()
