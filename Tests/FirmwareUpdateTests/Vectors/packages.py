# SPDX-License-Identifier: MIT
"""Writes packages.json beside this file: firmware and init packets by Nordic's nrfutil and Adafruit's.

Both are a module `nordicsemi`, and Nordic's imports drivers that a package does not need:

    python3 -m venv A && A/bin/pip install adafruit-nrfutil==0.5.3.post16
    python3 -m venv N && N/bin/pip install --no-deps nrfutil==6.0.0a1 'protobuf<3.21' ecdsa intelhex crcmod six click tqdm pyyaml pyserial
    A/bin/python packages.py legacy; N/bin/python packages.py secure
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import zipfile

HERE = pathlib.Path(__file__).parent


def legacy(folder, program, archive, kind):
    if kind != "application":
        return False
    tool = pathlib.Path(sys.executable).parent / "adafruit-nrfutil"
    options = ["--dev-type", "0x0052", "--application-version", "7", "--application", program, archive]
    subprocess.run([tool, "dfu", "genpkg", *options], check=True, capture_output=True)
    return True


def secure(folder, program, archive, kind):
    exceptions = types.ModuleType("pc_ble_driver_py.exceptions")
    for name in ("InvalidArgument", "IllegalState", "NotImplemented"):
        setattr(exceptions, f"{name}Exception", RuntimeError)
    exceptions.NordicSemiException = RuntimeError
    sys.modules.update({"pc_ble_driver_py": types.ModuleType("pc_ble_driver_py"), exceptions.__name__: exceptions})
    from nordicsemi.dfu.package import Package
    from nordicsemi.dfu.signing import Signing

    Signing().gen_key(str(folder / "key.pem"))
    options = {"hw_version": 52, "sd_req": [0xB6], "key_file": str(folder / "key.pem")}
    if kind == "application":
        options |= {"app_version": 7, "app_fw": str(program)}
    else:
        options |= {"bl_version": 3, "bootloader_fw": str(program), "softdevice_fw": str(program), "sd_id": [0xB6]}
    Package(**options).generate_package(str(archive))
    return True


def main(name):
    known = [vector for vector in json.loads((HERE / "packages.json").read_text()) if not vector["name"].startswith(name)]
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        program = folder / "program.bin"
        program.write_bytes(bytes(index * 7 & 0xFF for index in range(1_000)))
        for kind in "application", "softdevice_bootloader":
            archive = folder / f"{kind}.zip"
            if not {"legacy": legacy, "secure": secure}[name](folder, program, archive, kind):
                continue
            with zipfile.ZipFile(archive) as opened:
                files = json.loads(opened.read("manifest.json"))["manifest"][kind]
                firmware, packet = opened.read(files["bin_file"]).hex(), opened.read(files["dat_file"]).hex()
            known.append({"name": f"{name} {kind}", "firmware": firmware, "packet": packet, "archive": archive.read_bytes().hex()})
    lines = ",\n".join(json.dumps(vector) for vector in known)
    (HERE / "packages.json").write_text(f"[\n{lines}\n]\n")


main(sys.argv[1])
