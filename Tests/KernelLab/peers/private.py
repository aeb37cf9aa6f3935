# SPDX-License-Identifier: GPL-2.0-or-later
"""A peripheral with private addresses on a controller at a transport: another address for each line that it gets, which it
prints, and at which it advertises until the next link. It has a battery level of 57 %."""

import asyncio
import sys

from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, Service
from bumble.hci import Address, HCI_Error, HCI_LE_Set_Random_Address_Command, OwnAddressType
from bumble.pairing import PairingConfig
from bumble.transport import open_transport

IDENTITY = Address("F0:F1:F2:F3:F4:F5")
KEY = bytes(range(16))


async def main() -> None:
    transport = await open_transport(sys.argv[1])
    configuration = DeviceConfiguration(name="Private", address=IDENTITY, irk=KEY)
    device = Device.from_config_with_hci(configuration, transport.source, transport.sink)
    level = Characteristic("2A19", Characteristic.Properties.READ, Characteristic.READABLE, bytes([57]))
    device.add_service(Service("180F", [level]))
    device.pairing_config_factory = lambda connection: PairingConfig(
        sc=True, mitm=False, bonding=True, identity_address_type=PairingConfig.AddressType.RANDOM
    )
    await device.power_on()
    data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, b"Private")]))
    while True:
        device.random_address = Address.generate_private_address(KEY)
        await device.send_sync_command(HCI_LE_Set_Random_Address_Command(random_address=device.random_address))
        await device.start_advertising(advertising_data=data, own_address_type=OwnAddressType.RANDOM)
        print(device.random_address.to_string(False), flush=True)
        if not await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline):
            return
        for connection in list(device.connections.values()):
            try:
                await connection.disconnect()
            except HCI_Error:  # its end was on the way
                pass
        await device.stop_advertising()


if __name__ == "__main__":
    asyncio.run(main())
