// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Toolkit

/// The two characteristics of a serial port on a device; they may be the same one.
struct SerialLine: Sendable {
    /// The characteristic that is written to.
    let receiver: AttributeTarget
    /// The characteristic that sends.
    let transmitter: AttributeTarget

    /// Those that the options name: one of them alone is for both directions. Otherwise the first known port that the
    /// device has.
    ///
    /// Throws a `BlectlError` if there is none.
    init(_ options: SerialOptions, on device: ConnectedDevice, doing action: String) async throws {
        if let only = options.receiver ?? options.transmitter {
            receiver = options.receiver ?? only
            transmitter = options.transmitter ?? only
            return
        }
        for service in SerialPort.services {
            guard let port = try await Self.port(of: service, on: device) else { continue }
            receiver = try AttributeTarget("\(service)/\(port.receiver)")
            transmitter = try AttributeTarget("\(service)/\(port.transmitter)")
            return
        }
        throw BlectlError(
            .notFound,
            cannot: action,
            "the device has no serial port that blectl knows",
            hint: "--rx and --tx name its characteristics; what it has: blectl inspect\(device.reference.option)"
        )
    }

    /// The port of a service that fits the properties of the device's characteristics; `nil` if there is none.
    private static func port(of service: BluetoothUUID, on device: ConnectedDevice) async throws -> SerialPort? {
        do {
            _ = try await device.peripheral.service(service).definition()
        } catch MissingAttribute.service {
            return nil
        }
        let ports = SerialPort.known.filter { $0.service == service }
        guard ports.count > 1 else { return ports.first }
        var properties: [BluetoothUUID: CharacteristicProperties] = [:]
        for characteristic in try await device.peripheral.service(service).characteristics() {
            let definition = try await characteristic.definition()
            properties[definition.uuid] = properties[definition.uuid] ?? definition.properties
        }
        return ports.first { port in
            guard let receiver = properties[port.receiver], let transmitter = properties[port.transmitter] else {
                return false
            }
            return !receiver.isDisjoint(with: [.write, .writeWithoutResponse])
                && !transmitter.isDisjoint(with: [.notify, .indicate])
        }
    }
}
