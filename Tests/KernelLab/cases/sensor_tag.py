# SPDX-License-Identifier: GPL-2.0-or-later
"""The SensorTag that is part of the program, on an adapter: other people's clients use its sensors as its User Guide
describes them."""

import struct

from guest.catalogue import in_one_world, limit
from guest.checks import equal, true
from guest.clients import CLIENTS, Bluetoothctl, Refused
from guest.served import Served, layout

DEVICE = "sensor-tag"
MANUFACTURER = "0x2A29"
VALUE_NOT_ALLOWED = 0x80


def _sensor(number: int) -> str:
    return f"f000{number:04x}-0451-4000-b000-000000000000"


ACCELERATION, ACCELEROMETER, ACCELEROMETER_PERIOD = map(_sensor, (0xAA11, 0xAA12, 0xAA13))
WEATHER, BAROMETER, CALIBRATION = map(_sensor, (0xAA41, 0xAA42, 0xAA43))


def _weather(calibration: bytes, data: bytes) -> tuple[float, float]:
    """The temperature in °C and the pressure in hPa. Spec: TI SensorTag User Guide, Barometric Pressure Sensor"""
    c1, c2, c3, c4, c5, c6, c7, c8 = struct.unpack("<4H4h", calibration)
    temperature, pressure = struct.unpack("<hH", data)
    sensitivity = c3 + c4 * temperature / 2**17 + c5 * temperature**2 / 2**34
    offset = c6 * 2**14 + c7 * temperature / 2**3 + c8 * temperature**2 / 2**19
    return c1 * temperature / 2**24 + c2 / 2**10, (sensitivity * pressure + offset) / 2**14 / 100


def _measures_the_weather(tag, session) -> None:
    """The handshake: 2 makes the sensor tell its calibration, with which a client understands the data."""
    barometer, calibration, weather = (tag.handle(uuid) for uuid in (BAROMETER, CALIBRATION, WEATHER))
    equal(session.read(calibration), bytes(16), "the calibration, before anybody has asked for it")
    session.write(barometer, b"\x02")
    constants = session.read(calibration)
    session.write(barometer, b"\x01")
    session.subscribe(weather, tag.configuration(WEATHER), indicate=False)
    celsius, hectopascals = _weather(constants, session.heard(weather))
    session.unsubscribe(weather, tag.configuration(WEATHER))
    true(22.9 < celsius < 23.9, f"{celsius:.2f} °C is the temperature of a room")
    true(1008 < hectopascals < 1018, f"{hectopascals:.1f} hPa is the pressure of the air")


def _feels_gravity(tag, session) -> None:
    sensor, period, acceleration = (tag.handle(uuid) for uuid in (ACCELEROMETER, ACCELEROMETER_PERIOD, ACCELERATION))
    equal(session.read(acceleration), bytes(3), "the data of a sensor that is off")
    session.write(period, b"\x0a")
    equal(session.read(period), b"\x0a", "the period, which is 100 ms now")
    session.write(sensor, b"\x01")
    session.subscribe(acceleration, tag.configuration(ACCELERATION), indicate=False)
    for _ in range(3):
        x, y, z = (each / 64 for each in struct.unpack("<3b", session.heard(acceleration)))
        true(abs(x) < 0.25 and abs(y) < 0.1 and 0.9 < z < 1.1, f"({x}, {y}, {z}) g is what a table feels")
    session.unsubscribe(acceleration, tag.configuration(ACCELERATION))


def _refuses_nonsense(tag, session) -> None:
    try:
        session.write(tag.handle(ACCELEROMETER), b"\x07")
    except Refused as refusal:
        equal(refusal.code, VALUE_NOT_ALLOWED, "the error")
    else:
        true(False, "a configuration that does not exist is refused")


def _case(client):
    def use(blectl, btvirt):
        tag = layout(blectl.program, DEVICE)
        served = Served(blectl, DEVICE, "--count", "1")
        with client.session(served.place) as session:
            tree = tag.tree()
            (tree if session.sees_secondary_services else tree.of_primary_services()).is_listed_by(
                session.tree(), session.name
            )
            equal(session.read(tag.handle(MANUFACTURER)), b"Texas Instruments", "who has made it")
            _measures_the_weather(tag, session)
            _feels_gravity(tag, session)
            if session.tells_application_errors:
                _refuses_nonsense(tag, session)
        true(served.requests_until_it_is_left(), "every request is told")
        served.live.finish().exits(0)

    return in_one_world(limit(60)(use))


TABLE = [(f"{client.name} measures the weather and the motion of a table", _case(client)) for client in CLIENTS]


@in_one_world
@limit(90)
def bluetoothctl_measures_the_weather_and_the_motion_of_a_table(blectl, btvirt, bluetoothd):
    tag = layout(blectl.program, DEVICE)
    served = Served(blectl, DEVICE, "--count", "1")
    with Bluetoothctl.session(served.place) as session:
        equal(session.read(tag.handle(MANUFACTURER)), b"Texas Instruments", "who has made it")
        _measures_the_weather(tag, session)
        _feels_gravity(tag, session)
        session.write(tag.handle(ACCELEROMETER), b"\x07")
        session.is_refused()
    true(served.requests_until_it_is_left(), "every request is told")
    served.live.finish().exits(0)
