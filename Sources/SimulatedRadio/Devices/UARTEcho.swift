// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth
import BluetoothDevices
import BluetoothHost

extension SimulatedDevice {
    /// A serial port that echoes its input: the Nordic UART Service, with a resolvable private address.
    ///
    /// The address is that of the specification's sample data, so the identity key of the sample data resolves it.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, D.7
    public static func uartEcho() throws(GATTDatabaseError) -> SimulatedDevice {
        SimulatedDevice(
            name: "uart-echo",
            address: DeviceAddress(BluetoothAddress(rawValue: 0x70_81_94_0D_FB_AA), .random),
            rssi: -49,
            advertising: [
                DeviceAdvertising(
                    .connectable,
                    interval: .microseconds(152_500),
                    data: AdvertisingFields.flags.services(UARTEchoFirmware.uart).bytes,
                    scanResponse: AdvertisingFields().name("UART Echo").bytes
                )
            ],
            database: try GATTDatabase(services: [
                .genericAccess(name: "UART Echo"),
                .genericAttribute(),
                UARTEchoFirmware.service,
            ]),
            firmware: UARTEchoFirmware(),
            link: Link(interval: .milliseconds(15), maximumMTU: 517, maximumConnections: 2)
        )
    }
}

/// Sends every value written to RX through TX.
struct UARTEchoFirmware: DeviceFirmware {
    static let uart = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
    private static let receive = BluetoothUUID(bits128: 0x6E40_0002_B5A3_F393_E0A9_E50E_24DC_CA9E)
    private static let transmit = BluetoothUUID(bits128: 0x6E40_0003_B5A3_F393_E0A9_E50E_24DC_CA9E)

    static let service = ServiceDefinition(
        uart,
        characteristics: [
            CharacteristicDefinition(receive, [.write, .writeWithoutResponse], value: .application),
            CharacteristicDefinition(transmit, .notify, value: .application),
        ]
    )

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        if let handle = device.valueHandle(of: Self.transmit) { device.notify(request.value, of: handle) }
        return .accept
    }
}
