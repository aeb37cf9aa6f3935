// SPDX-License-Identifier: MIT

public import Bluetooth

/// A service that carries octets in both directions, as a serial line does.
public struct SerialPort: Hashable, Sendable {
    /// The service.
    public let service: BluetoothUUID
    /// The characteristic that the client writes to.
    public let receiver: BluetoothUUID
    /// The characteristic that sends the device's octets.
    public let transmitter: BluetoothUUID

    /// Creates a port.
    public init(service: BluetoothUUID, receiver: BluetoothUUID, transmitter: BluetoothUUID) {
        self.service = service
        self.receiver = receiver
        self.transmitter = transmitter
    }

    /// The Nordic UART Service.
    ///
    /// Spec: docs.nordicsemi.com, nRF Connect SDK, Nordic UART Service
    public static let nordic = SerialPort(
        service: BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E),
        receiver: BluetoothUUID(bits128: 0x6E40_0002_B5A3_F393_E0A9_E50E_24DC_CA9E),
        transmitter: BluetoothUUID(bits128: 0x6E40_0003_B5A3_F393_E0A9_E50E_24DC_CA9E)
    )
}

extension Profile {
    /// A terminal over the Nordic UART Service.
    public static let uart = Profile(
        name: "uart",
        title: "UART",
        services: [SerialPort.nordic.service],
        sources: [],
        conduct: .serialPort(.nordic)
    )
}
