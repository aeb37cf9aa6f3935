# SPDX-License-Identifier: GPL-2.0-or-later
"""The peers on the air."""

import struct

from bumble.core import AdvertisingData

from .air import Air
from .awkward import Awkward
from .bench import Bench
from .central import Central
from .echo import Echo
from .heart_rate import HeartRateStrap
from .mover import Mover
from .peripheral import FLAGS, Beacon, Peer, advertising
from .profiles import Tag, Trainer
from .rogue import Rogue
from .safe import Safe
from .wide import Wide

BEACON_UUID = bytes.fromhex("B1EC71AB000140008000000000001AB0")


def everybody(air: Air) -> list[Peer]:
    ibeacon = b"\x4c\x00\x02\x15" + BEACON_UUID + struct.pack(">HHb", 100, 7, -59)
    eddystone = struct.pack("<H", 0xFEAA) + b"\x10\xee\x03example\x07"
    long_name = b"a name that no legacy advertisement has room for"
    return [
        HeartRateStrap(air, "Bumble HR", "F0:F1:F2:F3:F4:F5"),
        Echo(air, "echo", "00:AA:01:00:00:E0", public=True),
        Awkward(air, "awkward", "C0:FF:EE:00:00:66"),
        Mover(air, "mover", "C2:00:00:00:00:4D"),
        Trainer(air, "trainer", "C5:00:00:00:00:7A"),
        Tag(air, "tag", "90:59:AF:00:00:01", public=True),
        Bench(air, "bench", "C6:00:00:00:00:BE"),
        Rogue(air, "rogue", "C7:00:00:00:00:BA"),
        Safe(air, "safe", "C8:00:00:00:00:5A"),
        Wide(air, "wide", "C9:00:00:00:00:1D"),
        Beacon(
            air,
            "ibeacon",
            "D1:00:00:00:00:01",
            interval=0.15,
            data=advertising(FLAGS, (AdvertisingData.MANUFACTURER_SPECIFIC_DATA, ibeacon)),
            rssi=-64,
        ),
        Beacon(
            air,
            "eddystone",
            "5A:00:00:00:00:02",  # 0b01: a resolvable private address
            interval=0.2,
            data=advertising(
                (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, b"\xaa\xfe"),
                (AdvertisingData.SERVICE_DATA_16_BIT_UUID, eddystone),
            ),
            rssi=0x7F,  # the controller does not know
        ),
        Beacon(
            air,
            "broadcaster",
            "00:AA:01:00:00:B0",
            interval=0.25,
            public=True,
            legacy=False,
            sid=3,
            tx_power=8,
            secondary_phy=2,
            rssi=-40,
            data=advertising(
                *[(AdvertisingData.MANUFACTURER_SPECIFIC_DATA, b"\xff\xff" + bytes([n]) * 100) for n in range(3)],
                (AdvertisingData.COMPLETE_LOCAL_NAME, long_name),
            ),
        ),
        Beacon(
            air,
            "visitor",
            "C1:00:00:00:00:03",
            interval=0.1,
            starts_muted=True,
            data=advertising(FLAGS, (AdvertisingData.COMPLETE_LOCAL_NAME, b"Visitor")),
        ),
        Central(air, "phone", "C4:00:00:00:00:01"),
        Central(air, "tablet", "C4:00:00:00:00:02"),
    ]
