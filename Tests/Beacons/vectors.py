# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes advertisements of sensors, and what decoders by other people read in them: `vectors.py SEED [COUNT]`.

Each line is a JSON object: `data` is advertising data in hex, `address` that of its sender, `kind` the format as blectl
calls it, and `values` what it means by blectl's keys. Encrypted ones have `key`, or `session_key` and `iv`.

The advertisements are those of `dumps.jsonl`, which devices sent, and COUNT random ones of each kind of message. What
they mean is what the packages of `requirements.txt` say, and never what this script knows: it only gives their values
other names. TheengsDecoder is asked as well, and a contradiction ends the script.
"""

import json
import logging
import pathlib
import random
import re
import struct
import sys
import types
import uuid

import TheengsDecoder
from bleak.backends.scanner import AdvertisementData
from bthome_ble import BTHomeBluetoothDeviceData
from bthome_ble.const import MEAS_TYPES
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM
from govee_ble import GoveeBluetoothDeviceData
from habluetooth import BluetoothServiceInfoBleak
from inkbird_ble import INKBIRDBluetoothDeviceData
from qingping_ble import QingpingBluetoothDeviceData
from switchbot.adv_parser import parse_advertisement_data
from victron_ble.devices import detect_device_type
from xiaomi_ble import XiaomiBluetoothDeviceData
from xiaomi_ble.parser import EncryptionScheme

logging.disable(logging.CRITICAL)
FOLDER = pathlib.Path(__file__).parent
BASE = "0000{}-0000-1000-8000-00805f9b34fb"


class Message:
    """An advertisement."""

    def __init__(self, package, address="A4:C1:38:8D:18:B2", name=None, services=(), manufacturer=None,
                 service_data=None, key=None):
        self.package, self.address, self.name, self.key = package, address, name, key
        self.services = list(services)
        self.manufacturer = {int(k, 16): bytes.fromhex(v) for k, v in (manufacturer or {}).items()}
        self.service_data = {k: bytes.fromhex(v) for k, v in (service_data or {}).items()}

    @property
    def mac(self):
        return bytes.fromhex(self.address.replace(":", ""))

    @property
    def data(self):
        """The advertising data: services, manufacturer data, service data, name."""
        parts = [b"\x01\x06"]
        if self.services:
            parts.append(b"\x03" + b"".join(bytes.fromhex(s)[::-1] for s in self.services))
        parts += [b"\xff" + struct.pack("<H", company) + data for company, data in self.manufacturer.items()]
        parts += [b"\x16" + bytes.fromhex(service)[::-1] + data for service, data in self.service_data.items()]
        if self.name:
            parts.append(b"\x09" + self.name.encode())
        assert all(len(part) < 255 for part in parts)
        return b"".join(bytes([len(part)]) + part for part in parts)

    @property
    def info(self):
        """The advertisement as the packages take it."""
        return BluetoothServiceInfoBleak(
            name=self.name or "", address=self.address, rssi=-60, manufacturer_data=self.manufacturer,
            service_data={BASE.format(k): v for k, v in self.service_data.items()},
            service_uuids=[BASE.format(s) for s in self.services], source="", device=None, advertisement=None,
            connectable=True, time=1.0, tx_power=None,
        )


# --- What the packages read -------------------------------------------------------------------------------------------

SENSORS = {
    "temperature": "temperature_c", "humidity": "humidity_percent", "battery": "battery_percent",
    "pressure": "pressure_hpa", "illuminance": "illuminance_lx", "pm25": "pm2_5_ug_per_m3",
    "pm10": "pm10_ug_per_m3", "carbon_dioxide": "co2_ppm", "voc_index": "voc_index", "noise": "noise_db",
    "sound_pressure": "noise_db", "conductivity": "conductivity_us_per_cm", "moisture": "moisture_percent",
    "formaldehyde": "formaldehyde_mg_per_m3", "impedance": "impedance_ohm",
}
PROBE = re.compile(r"(low_)?temperature_(alarm_)?probe_(\d)$")


def sensors(update):
    """The measurements of an update in blectl's keys."""
    values = {}
    for key, sensor in update.entity_values.items():
        value = sensor.native_value
        if key.key == "signal_strength" or isinstance(value, str):
            continue
        probe = PROBE.match(key.key)
        if probe:
            fact = "low_alarm_c" if probe[1] else "high_alarm_c" if probe[2] else "temperature_c"
            values[f"probe{probe[3]}.{fact}"] = value
        elif key.key in SENSORS:
            values[SENSORS[key.key]] = value
    return values


def binaries(update, names):
    return {
        names[key.key]: sensor.native_value
        for key, sensor in update.binary_entity_values.items() if key.key in names
    }


MEAT = {"8151", "8251", "8351", "8451", "8551", "9151", "9851", "5550"}


def govee(message):
    decoder = GoveeBluetoothDeviceData()
    update = decoder.update(message.info)
    values = sensors(update)
    # Buttons and detectors, which have a key of their own, the probes of an H5112 and an H5140 are not decoded.
    if any(len(data) == 24 for data in message.manufacturer.values()) or any(
        model in (message.name or "") for model in ("5112", "5140")
    ):
        return None, {}
    # It says 0 °C of a probe that is not plugged in, or has no alarm.
    values = {k: v for k, v in values.items() if not (k.startswith("probe") and v == 0)}
    if MEAT & set(message.services):
        if "temperature_c" in values:
            values["ambient_temperature_c"] = values.pop("temperature_c")
        return "govee-meat", values
    return "govee", values


def inkbird(message):
    if not (message.name or "").endswith("BBQ") and any(len(data) != 7 for data in message.manufacturer.values()):
        # The models with 17 and 18 octets, of which the decoders contradict each other, and cut ones.
        return None, {}
    return "inkbird", sensors(INKBIRDBluetoothDeviceData().update(message.info))


def qingping(message):
    update = QingpingBluetoothDeviceData().update(message.info)
    values = sensors(update) | binaries(update, {"motion": "motion", "light": "light"})
    # It says 100 % of a device on external power.
    if bytes.fromhex("0201ff") in message.service_data.get("fdcd", b""):
        values.pop("battery_percent", None)
    return "qingping", values


def xiaomi(message):
    decoder = XiaomiBluetoothDeviceData(bindkey=bytes.fromhex(message.key) if message.key else None)
    update = decoder.update(message.info)
    scale = {"181d", "181b"} & set(message.service_data)
    values = sensors(update)
    if scale:
        mass = next(s.native_value for k, s in update.entity_values.items() if k.key == "mass_non_stabilized")
        pounds = next(iter(message.service_data.values()))[0] & 1
        values = {k: v for k, v in values.items() if k == "impedance_ohm"}
        values["weight_lb" if pounds else "weight_kg"] = round(mass / 0.45359237, 2) if pounds else round(mass, 3)
        return "mi-scale", values
    # It cuts the places of the humidity of these, so that their graphs are smoother.
    model = getattr(decoder, "device_type", None)
    if model in ("LYWSD03MMC", "MHO-C401"):
        values.pop("humidity_percent", None)
    # Keys of 12 octets belong to another way of encryption, which blectl lacks; so does what this object is made to.
    if decoder.encryption_scheme == EncryptionScheme.MIBEACON_LEGACY or model == "MMC-T201-1":
        return None, {}
    return "mibeacon", values


def bthome(message):
    decoder = BTHomeBluetoothDeviceData(bindkey=bytes.fromhex(message.key) if message.key else None)
    update = decoder.update(message.info)
    numbers = [
        s.native_value for k, s in update.entity_values.items()
        if k.key != "signal_strength" and isinstance(s.native_value, (int, float))
    ]
    # Its names are those of Home Assistant, so that messages with one measurement are compared.
    return "bthome", {"measurements[0].value": numbers[0]} if len(numbers) == 1 else {}


SWITCHBOT = {
    "temperature": "temperature_c", "humidity": "humidity_percent", "battery": "battery_percent", "co2": "co2_ppm",
    "isOn": "on", "motion_detected": "motion", "is_light": "light", "position": "closed_percent",
    "inMotion": "moving", "tilt": "tilt_percent", "leak": "water", "tampered": "tampered", "power": "power_w",
    "wifi_rssi": "wifi_rssi_dbm", "calibration": "calibrated", "level": "level", "button_count": "button_count",
    "switchMode": "switch_mode", "lightLevel": "light_level",
}
SWITCHBOT_MODELS = {
    "WoHand", "WoCurtain", "WoCurtain3", "WoHumi", "WoPlugUS", "WoPlugJP", "WoContact", "WoSensorTH", "WoMeterPlus",
    "WoTHP", "WoTHPc", "WoIOSensorTH", "WoPresence", "WoLock", "Lock Lite", "WoBlindTilt", "WoHub2", "Leak Detector",
    "WoRemote", "Roller Shade", "HubMini Matter",
}


def switchbot(message):
    advertisement = AdvertisementData(
        local_name=message.name, manufacturer_data=message.manufacturer,
        service_data={BASE.format(k): v for k, v in message.service_data.items()}, service_uuids=[], tx_power=None,
        rssi=-60, platform_data=(),
    )
    device = types.SimpleNamespace(address=message.address, name=message.name)
    found = parse_advertisement_data(device, advertisement)
    # Without service data the package guesses the model by the length.
    if not found or len(message.service_data) != 1 or str(found.data.get("modelName")) not in SWITCHBOT_MODELS:
        return None, {}
    if ord(found.data["model"]) & 0x7F != next(iter(message.service_data.values()))[0] & 0x7F:
        return None, {}
    model, data = str(found.data["modelName"]), found.data["data"]
    values = {SWITCHBOT[k]: v for k, v in data.items() if k in SWITCHBOT and v is not None}
    if model in ("WoHand", "WoHumi", "WoPlugUS", "WoPlugJP") and (model != "WoHand" or not data["switchMode"]):
        values = {k: v for k, v in values.items() if k not in ("switch_mode",) + (("on",) if model == "WoHand" else ())}
    if model == "WoHub2":
        values.pop("light_level", None)
    if model in ("WoCurtain", "WoCurtain3", "Roller Shade") and "closed_percent" in values:
        values["closed_percent"] = 100 - values["closed_percent"]
    if "contact_open" in data:
        values["door"] = "left open" if data["contact_timeout"] else "open" if data["contact_open"] else "closed"
    if "status" in data:
        words = {"LOCKING_STOP": "locking blocked", "UNLOCKING_STOP": "unlocking blocked",
                 "NOT_FULLY_LOCKED": "latch locked", "HALF_LOCKED": "half locked"}
        values["lock"] = words.get(data["status"].name, data["status"].name.lower())
    return "switchbot", values


VICTRON = {
    "voltage": "battery_v", "battery_voltage": "battery_v", "current": "battery_current_a",
    "battery_current": "battery_current_a", "battery_charging_current": "battery_current_a", "soc": "battery_percent",
    "remaining_mins": "remaining_min", "consumed_ah": "consumed_ah", "starter_voltage": "starter_voltage_v",
    "midpoint_voltage": "midpoint_voltage_v", "battery_temperature": "temperature_c", "temperature": "temperature_c",
    "solar_power": "solar_power_w", "pv_power": "solar_power_w", "external_device_load": "load_current_a",
    "ac_apparent_power": "ac_apparent_power_va", "ac_voltage": "ac_voltage_v", "ac_current": "ac_current_a",
    "input_voltage": "input_voltage_v", "output_voltage": "output_voltage_v", "input_current": "input_current_a",
    "output_current": "output_current_a", "ac_in_power": "ac_in_power_w", "ac_out_power": "ac_out_power_w",
    "active_ac_in_power": "ac_in_power_w", "active_ac_out_power": "ac_out_power_w", "bms_flags": "bms_flags",
    "error_flags": "error_flags", "io_status": "io_status", "alarm_flags": "alarm_flags",
}


def victron(message):
    data = message.manufacturer[0x02E1]
    device = detect_device_type(data)
    if device is None:
        return None, {}
    try:
        decoded = device(message.key).parse(data)._data
    except ValueError:
        # A number without a name in the package's lists, at random.
        return None, {}
    values = {VICTRON[k]: v for k, v in decoded.items() if k in VICTRON and v is not None}
    if decoded.get("temperature_kelvin") is not None:
        # It takes 0xFFFF for a temperature, where Victron's document says that there is none.
        if round(decoded["temperature_kelvin"], 2) != 655.35:
            values["temperature_c"] = round(decoded["temperature_kelvin"] - 273.15, 2)
    if decoded.get("yield_today") is not None:
        # Of a solar charger in Wh, of a Multi RS in kWh.
        kilo = device.__name__ == "MultiRS"
        values["yield_today_kwh"] = decoded["yield_today"] / (1 if kilo else 1000)
    if device.__name__ == "LynxSmartBMS" and "consumed_ah" in values:
        # Victron's document subtracts it for both kinds of readout that have it, the package for one.
        values["consumed_ah"] = -values["consumed_ah"]
    for index, cell in enumerate(v for v in decoded.get("cell_voltages", []) if v is not None):
        if abs(cell) < 100:
            values[f"cells[{index}].cell_voltage_v"] = cell
    return "victron", values


READERS = {
    "bthome-ble": bthome, "govee-ble": govee, "inkbird-ble": inkbird, "qingping-ble": qingping,
    "PySwitchbot": switchbot, "victron-ble": victron, "xiaomi-ble": xiaomi,
}

# --- A second opinion -------------------------------------------------------------------------------------------------

THEENGS = {"tempc": "temperature_c", "hum": "humidity_percent", "batt": "battery_percent", "co2": "co2_ppm"}


def contradictions(message, values):
    """What TheengsDecoder reads differently."""
    # Of Qingping it knows the objects at fixed places.
    places = message.service_data.get("fdcd", b"\0" * 8 + b"\x01\x04\0\0\0\0\x02\x01")
    # Of an H5055 it takes the mark of charging for a part of the charge.
    if message.key or "5550" in message.services or (places[8:10], places[14:16]) != (b"\x01\x04", b"\x02\x01"):
        return []
    asked = {"id": message.address}
    if message.name:
        asked["name"] = message.name
    for company, data in message.manufacturer.items():
        asked["manufacturerdata"] = (struct.pack("<H", company) + data).hex()
    for service, data in message.service_data.items():
        asked |= {"servicedata": data.hex(), "servicedatauuid": service}
    answer = TheengsDecoder.decodeBLE(json.dumps(asked))
    if not answer:
        return []
    answer = json.loads(answer)
    return [
        f"{message.package} {asked}: {key} {values[key]}, TheengsDecoder says {answer[theirs]}"
        for theirs, key in THEENGS.items()
        if theirs in answer and key in values and abs(answer[theirs] - values[key]) > 0.051
    ]


# --- Random messages --------------------------------------------------------------------------------------------------


class Maker:
    """Makes messages of each kind."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def octets(self, count):
        return self.random.randbytes(count)

    def address(self):
        return ":".join(f"{octet:02X}" for octet in self.octets(6))

    def number(self, low, high):
        # The ends are where faults are.
        return self.random.choice([low, high, 0 if low <= 0 <= high else low] + [self.random.randint(low, high)] * 6)

    def bthome(self, id):
        kind = MEAS_TYPES[id]
        form = kind.data_format
        if form not in ("unsigned_integer", "signed_integer") or kind.data_length > 4 or id == 0:
            return
        value = self.octets(kind.data_length)
        objects = bytes([id]) + value
        yield dict(service_data={"fcd2": (b"\x40" + objects).hex()})
        address, key, counter = self.address(), self.octets(16), self.octets(4)
        mac = bytes.fromhex(address.replace(":", ""))
        header = self.random.choice([b"\x41", b"\x43" + mac[::-1]])
        sealed = AESCCM(key, tag_length=4).encrypt(mac + b"\xd2\xfc" + header[:1] + counter, objects, None)
        data = header + sealed[:-4] + counter + sealed[-4:]
        yield dict(service_data={"fcd2": data.hex()}, address=address, key=key.hex())
        control = {"unsigned_integer": 0, "signed_integer": 1}[form] << 5 | len(objects)
        objects = bytes([control]) + objects
        yield dict(service_data={"181c": objects.hex()})
        # The package asks for four encrypted octets.
        objects = objects + objects if len(objects) < 4 else objects
        sealed = AESCCM(key, tag_length=4).encrypt(mac + b"\x1e\x18" + counter, objects, b"\x11")
        data = sealed[:-4] + counter + sealed[-4:]
        yield dict(service_data={"181e": data.hex()}, address=address, key=key.hex())

    def mibeacon(self):
        r = self.random
        objects = {
            0x1004: struct.pack("<h", self.number(-400, 1000)), 0x1006: struct.pack("<H", self.number(0, 1000)),
            0x1008: bytes([self.number(0, 100)]), 0x1009: struct.pack("<H", self.number(0, 5000)),
            0x100A: bytes([self.number(0, 100)]),
            0x100D: struct.pack("<hH", self.number(-400, 1000), self.number(0, 1000)),
            0x4803: bytes([self.number(0, 100)]), 0x4C01: struct.pack("<f", self.number(-4000, 10000) / 100),
            0x4C02: bytes([self.number(0, 100)]), 0x4C08: struct.pack("<f", self.number(0, 1000) / 10),
            0x4C03: bytes([self.number(0, 100)]), 0x4805: struct.pack("<f", self.number(0, 1000)),
        }
        id = r.choice(list(objects))
        value = struct.pack("<HB", id, len(objects[id])) + objects[id]
        address, key = self.address(), self.octets(16)
        mac = bytes.fromhex(address.replace(":", ""))[::-1]
        version, has_address, has_capability = r.choice([4, 5]), r.random() < 0.5, r.random() < 0.5
        control = version << 12 | 0x48 | (0x10 if has_address else 0) | (0x20 if has_capability else 0)
        # A thermometer, a plant sensor and a presence sensor, which take the objects as they are.
        product, counter, extended = r.choice([0x0A8D, 0x2832, 0x16E4]), self.octets(1), self.octets(3)
        header = struct.pack("<HH", control, product) + counter + (mac if has_address else b"")
        header += r.choice([b"\x08", b"\x28\x01"]) if has_capability else b""
        nonce = mac + header[2:5] + extended
        sealed = AESCCM(key, tag_length=4).encrypt(nonce, value, b"\x11")
        data = header + sealed[:-4] + extended + sealed[-4:]
        yield dict(service_data={"fe95": data.hex()}, address=address, key=key.hex())
        plain = struct.pack("<HH", control & ~0x08, product) + header[4:] + value
        yield dict(service_data={"fe95": plain.hex()}, address=address)

    def scale(self):
        r = self.random
        date = struct.pack("<HBBBBB", r.randint(2015, 2030), r.randint(1, 12), r.randint(1, 28), r.randint(0, 23),
                           r.randint(0, 59), r.randint(0, 59))
        weight = struct.pack("<H", self.number(1, 65535))
        state = r.choice([0x00, 0x20, 0x80, 0xA0])
        yield dict(service_data={"181d": (bytes([state | r.choice([0x00, 0x01, 0x10])]) + weight + date).hex()})
        unit = r.choice([(0x02, 0x00), (0x03, 0x00), (0x02, 0x40)])
        data = bytes([unit[0], unit[1] | state | 0x04 | r.choice([0, 2])]) + date
        data += struct.pack("<H", self.number(100, 3000)) + weight
        yield dict(service_data={"181b": data.hex()})

    def qingping(self):
        r = self.random
        objects = [
            (0x01, struct.pack("<hH", self.number(-400, 1000), self.number(0, 1000))), (0x02, bytes([self.number(0, 100)])),
            (0x07, struct.pack("<H", self.number(8000, 12000))), (0x08, bytes([r.randint(0, 1)]) + self.octets(3)),
            (0x09, struct.pack("<I", self.number(0, 0xFFFFFFFF))), (0x12, self.octets(4)), (0x13, self.octets(2)),
            (0x15, self.octets(2)), (0x19, self.octets(1)), (0x0F, self.octets(1)),
        ]
        chosen = r.sample(objects, r.randint(1, 3))
        address = self.address()
        data = bytes([r.choice([0x08, 0x88, 0x48]), r.choice([0x01, 0x10, 0x12, 0x33, 0x52])])
        data += bytes.fromhex(address.replace(":", ""))[::-1]
        data += b"".join(bytes([id, len(value)]) + value for id, value in chosen)
        yield dict(service_data={"fdcd": data.hex()}, address=address)

    def meat(self):
        r = self.random

        def temperatures(count):
            return b"".join(struct.pack(">h", r.choice([-1, self.number(1, 30000)])) for _ in range(count))

        lengths = {"8151": (2, b""), "8351": (2, b""), "8251": (2, b"\x06"), "8451": (2, b"\x06"), "8551": (2, b"\x06\x06"),
                   "9151": (2, b"\x06\x06"), "9851": (3, b"")}
        for service, (count, separator) in lengths.items():
            header = self.octets(6) + bytes([r.choice([1, 2, 0x41, 0x82])]) + self.octets(1)
            data = header + temperatures(count)
            if service not in ("8151", "8351"):
                data += separator
                # The air has no mark for "not measured".
                data += temperatures(count) if service != "9151" else struct.pack(">hh", self.number(1, 9000), -1)
            if service in ("8551", "9151"):
                data += b"\0\0"
            yield dict(services=[service], manufacturer={f"{r.randint(0x1000, 0xF000):04x}": data.hex()})
        flags = r.choice([0x00, 0x40, 0x80]) | r.randint(0, 0x3F)
        data = self.octets(2) + bytes([self.number(0, 100) | r.choice([0, 0x80]), flags]) + self.octets(1)
        data += struct.pack("<hhh", self.number(1, 300), self.number(1, 300), self.number(1, 300)) + b"\x06"
        data += struct.pack("<hhh", self.number(1, 300), self.number(1, 300), self.number(1, 300)) + b"\0\0"
        yield dict(services=["5550"], manufacturer={f"{r.randint(0x1000, 0xF000):04x}": data.hex()})

    def inkbird(self):
        r = self.random
        measured = struct.pack("<hHB", self.number(-4000, 10000), self.number(1, 10000), r.randint(0, 1))
        code = 0xFFFF
        for octet in measured:
            code ^= octet
            for _ in range(8):
                code = code >> 1 ^ 0xA001 if code & 1 else code >> 1
        data = measured[2:] + struct.pack("<H", code) + bytes([self.number(0, 100)]) + b"\x06"
        # The package takes the length of the data with the company identifier.
        company = struct.unpack("<H", measured[:2])[0]
        yield dict(manufacturer={f"{company:04x}": data.hex()}, services=["fff0"], name="sps")
        count = r.choice([1, 2, 4, 6])
        probes = b"".join(struct.pack("<h", r.choice([-1, self.number(-200, 3000)])) for _ in range(count))
        yield dict(manufacturer={"0000": (b"\0\0" + self.octets(6) + probes).hex()}, services=["fff0"], name="iBBQ")

    def switchbot(self):
        r = self.random
        climate = bytes([r.randint(0, 9), r.choice([0, 0x80]) | r.randint(1, 60), r.randint(0, 99)])
        mac = self.octets(6)
        battery = self.number(0, 100)
        yield dict(service_data={"fd3d": (b"T\x00" + bytes([battery]) + climate).hex()})
        for model, end in ((b"w", b"\0"), (b"i", b"\0"), (b"5", b"\0\0" + struct.pack(">H", self.number(0, 20000)) + b"\0")):
            data = mac + self.octets(2) + climate + end
            yield dict(service_data={"fd3d": (model + b"\x00" + bytes([battery])).hex()}, manufacturer={"0969": data.hex()})
        yield dict(service_data={"0d00": (b"H" + self.octets(1) + bytes([battery])).hex()})
        yield dict(service_data={"fd3d": (b"s" + self.octets(1) + bytes([battery]) + self.octets(3)).hex()})
        yield dict(service_data={"fd3d": (b"d" + self.octets(1) + bytes([battery]) + self.octets(6)).hex()})
        yield dict(service_data={"fd3d": (b"d" + self.octets(1) + bytes([battery])).hex()},
                   manufacturer={"0969": (mac + self.octets(7)).hex()})
        for model in (b"c", b"{", b"x", b",", b"o", b"-", b"&", b"v", b"g"):
            length = {b"c": 5, b"{": 6, b"v": 10, b"g": 6, b"&": 3}.get(model, 4)
            data = mac + self.octets(length) + (bytes([battery]) if model == b"{" else b"")
            yield dict(service_data={"fd3d": (model + self.octets(1) + bytes([battery]) + b"\0\x11\x04").hex()},
                       manufacturer={"0969": data.hex()})

    def victron(self):
        r = self.random
        for record in (0x1, 0x2, 0x3, 0x4, 0x5, 0x8, 0x9, 0xA, 0xB, 0xC, 0xD, 0xF):
            plain = bytearray(self.octets(16))
            # States and errors that the package's lists have; the rest is random.
            if record in (0x1, 0x3, 0x4, 0x8, 0x9, 0xB, 0xC, 0xF):
                plain[0] = r.choice([0, 3, 4, 5, 9])
                plain[1] = 0
            if record == 0x9:
                plain[1:7] = bytes([1, 0, 1, 0, 2, 0])
                plain[11:15] = struct.pack("<I", r.choice([0, 1, 8]))
            if record in (0x4, 0xF):
                start = 6 if record == 0x4 else 10
                plain[start:start + 4] = struct.pack("<I", r.choice([0, 1, 8]))
            if record in (0x2, 0xD):
                plain[4:6] = struct.pack("<H", r.choice([0, 1, 64]))
            if record == 0xD:
                plain[0:2] = struct.pack("<h", -9)
            if record == 0x5:
                plain[14] = plain[14] & 0xF0 | 0x01
                plain[14:16] = bytes([0x1F & plain[14] | 0x10, plain[15]])
            key, counter = self.octets(16), self.octets(2)
            encryptor = Cipher(algorithms.AES(key), modes.CTR(b"\0" * 16)).encryptor()
            # The first block is that of the counter, least significant octet first.
            block = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(counter + b"\0" * 14)
            sealed = bytes(a ^ b for a, b in zip(plain, block))
            data = b"\x10\x00" + struct.pack("<H", r.choice([0xA042, 0xA389, 0xA3A4] if record == 2 else [0xA042]))
            data += bytes([record]) + counter + key[:1] + sealed
            yield dict(manufacturer={"02e1": data.hex()}, address=self.address(), key=key.hex())


def random_messages(maker, count):
    for _ in range(count):
        # The package rounds the temperature in steps of 0.35 °C to one place.
        for id in sorted(set(MEAS_TYPES) - {0x58}):
            for fields in maker.bthome(id):
                yield Message("bthome-ble", **fields)
    makers = [("xiaomi-ble", maker.mibeacon, 12), ("xiaomi-ble", maker.scale, 4), ("qingping-ble", maker.qingping, 8),
              ("govee-ble", maker.meat, 3), ("inkbird-ble", maker.inkbird, 6), ("PySwitchbot", maker.switchbot, 3),
              ("victron-ble", maker.victron, 3)]
    for package, make, times in makers:
        for _ in range(count * times):
            for fields in make():
                yield Message(package, **fields)


def encrypted_data(maker, count):
    """Encrypted Advertising Data: no package decodes it, so that the sealed structures are their own meaning."""
    for _ in range(count * 4):
        key, vector, randomizer = maker.octets(16), maker.octets(8), maker.octets(5)
        name = "".join(maker.random.choice("abcdefghij") for _ in range(maker.random.randint(1, 12))).encode()
        structures = bytes([len(name) + 1, 9]) + name + b"\x02\x0a" + maker.octets(1)
        sealed = AESCCM(key, tag_length=4).encrypt(randomizer + vector, structures, b"\xea")
        part = b"\x31" + randomizer + sealed
        yield {
            "address": maker.address(), "data": (bytes([len(part)]) + part).hex(), "iv": vector.hex(),
            "kind": "encrypted-data", "package": "cryptography", "session_key": key.hex(),
            "values": {"structures[0].data": name.hex(), "structures[0].ad_type": 9, "structures[1].ad_type": 10},
        }


def main():
    maker, count = Maker(int(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    dumps = [Message(**json.loads(line)) for line in (FOLDER / "dumps.jsonl").read_text().splitlines()]
    problems = []
    for message in dumps + list(random_messages(maker, count)):
        try:
            kind, values = READERS[message.package](message)
        except (IndexError, StopIteration, struct.error):
            # Some of the packages do not check the length of data.
            continue
        if not kind or not values:
            continue
        problems += contradictions(message, values)
        line = {"address": message.address, "data": message.data.hex(), "kind": kind, "package": message.package,
                "values": {key: values[key] for key in sorted(values)}}
        if message.key:
            line["key"] = message.key
        print(json.dumps(line, sort_keys=True))
    for line in encrypted_data(maker, count):
        print(json.dumps(line, sort_keys=True))
    if problems:
        sys.exit("\n".join(problems))


main()
