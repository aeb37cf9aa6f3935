# SPDX-License-Identifier: GPL-2.0-or-later
"""What Bumble's advertising sets are, on a controller that has the commands of Bluetooth 4 only."""

from bumble.device import Device
from bumble.hci import Address, HCI_LE_Set_Random_Address_Command, OwnAddressType


class LegacySet:
    """Connectable and scannable."""

    def __init__(self, device: Device, own: OwnAddressType, interval: float, data: bytes, scan_response: bytes):
        self.device = device
        self.options = {
            "own_address_type": own,
            "advertising_data": data,
            "scan_response_data": scan_response,
            "advertising_interval_min": interval * 1000,
            "advertising_interval_max": interval * 1000,
        }

    @property
    def enabled(self) -> bool:
        """Whether no link has ended it."""
        return self.device.legacy_advertiser is not None

    @enabled.setter
    def enabled(self, is_on: bool) -> None:
        self.device.legacy_advertiser = self.device.legacy_advertiser if is_on else None

    async def start(self) -> None:
        await self.device.start_advertising(**self.options)

    async def stop(self) -> None:
        await self.device.stop_advertising()

    async def set_random_address(self, address: Address) -> None:
        await self.device.send_sync_command(HCI_LE_Set_Random_Address_Command(random_address=address))
        self.device.random_address = address
