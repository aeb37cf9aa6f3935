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

    /// The ports that are looked for on a device, the most certain ones first. Of several with the same service, the one
    /// whose characteristics have the properties for their directions is meant: modules differ in their use of them.
    public static let known: [SerialPort] = [
        nordic,
        // OBD-II adapters and modules of many makers.
        SerialPort(service: 0xFFF0, receiver: 0xFFF2, transmitter: 0xFFF1),
        SerialPort(service: 0xFFF0, receiver: 0xFFF1, transmitter: 0xFFF2),
        SerialPort(service: 0xFFF0, receiver: 0xFFF1, transmitter: 0xFFF1),
        // OBD-II adapters, and printers.
        SerialPort(service: 0x18F0, receiver: 0x2AF1, transmitter: 0x2AF0),
        SerialPort(service: 0x18F0, receiver: 0x2AF0, transmitter: 0x2AF1),
        // HM-10 and its copies: one characteristic for both directions, or another one for what is written.
        SerialPort(service: 0xFFE0, receiver: 0xFFE1, transmitter: 0xFFE1),
        SerialPort(service: 0xFFE0, receiver: 0xFFE2, transmitter: 0xFFE1),
        SerialPort(service: 0xFFE0, receiver: 0xFFE1, transmitter: 0xFFE2),
    ]

    /// Their services, each once.
    public static let services: [BluetoothUUID] = known.map(\.service).reduce(into: []) { services, service in
        if !services.contains(service) { services.append(service) }
    }
}

extension Profile {
    /// A terminal over a serial service: that of Nordic, or another one that is known.
    public static let uart = Profile(
        name: "uart",
        title: "UART",
        services: SerialPort.services,
        sources: [],
        mode: .serialPort(.nordic)
    )
}
