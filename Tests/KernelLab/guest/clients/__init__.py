# SPDX-License-Identifier: GPL-2.0-or-later
"""Other projects' GATT clients, all with the same verbs.

Each declares the links over which it can reach a server, and the features that it lacks, with the reasons. A session is
one connection: over a packet socket, or over the air by hci1.
"""

from .bluetoothctl import Bluetoothctl
from .btgatt import BtgattClient
from .common import EVERYTHING, Place, Refused
from .gatttool import Gatttool
from .told import BumbleCentral, BumbleClient, HomeAssistantClient

CLIENTS = (BtgattClient, BumbleClient, HomeAssistantClient, Gatttool)
