// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// `blectl write`: one value, checked before the first octet is sent.
struct WriteCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        let target = try context.target(context.arguments[WriteSpec.target], of: WriteSpec.target)
        let value = try self.value()
        guard value.count <= GATTLimits.maximumValueLength else {
            throw BlectlError(
                .badData,
                "cannot write \(target): the value has more than the \(GATTLimits.maximumValueLength) octets that an attribute can hold"
            )
        }
        try await context.withDevice(for: [target], mayChange: true) { device in
            do {
                try await write(value, to: target, of: device)
            } catch {
                throw BlectlError(describing: error, doing: "write \(target) to \(device.reference.text)") ?? error
            }
        }
    }

    private func value() throws -> [UInt8] {
        let text = context.arguments[WriteSpec.value]
        let limit = GATTLimits.maximumValueLength
        if text == "-" { return try StandardStreams.read("-", limit: limit) }
        if text.hasPrefix("@") { return try StandardStreams.read(String(text.dropFirst()), limit: limit) }
        return try ValueFormat.encode(text)
    }

    private func write(_ value: [UInt8], to target: AttributeTarget, of device: ConnectedDevice) async throws {
        let object = target.object(of: device.peripheral)
        let withoutResponse = context.arguments[WriteSpec.noResponse]
        let (handle, method) = try await context.withTimeout("write \(target)") {
            switch object {
            case .attribute(let attribute):
                guard withoutResponse else { return (attribute.handle, try await attribute.write(value)) }
                try await attribute.writeWithoutResponse(value)
                return (attribute.handle, .command)
            case .descriptor(let descriptor):
                // Only values can be written without a response.
                return (try await descriptor.definition().handle, try await descriptor.write(value))
            case .characteristic(let characteristic):
                let definition = try await characteristic.definition()
                try check(definition, target, withoutResponse: withoutResponse)
                await context.noteOthers(of: target, on: device)
                guard withoutResponse else { return (definition.valueHandle, try await characteristic.write(value)) }
                try await characteristic.writeWithoutResponse(value)
                return (definition.valueHandle, .command)
            }
        }
        var back: [UInt8]?
        if context.arguments[WriteSpec.verify] {
            back = try await context.withTimeout("read \(target) back") {
                try await device.peripheral.attribute(at: handle).read().value
            }
        }
        try context.output.emit(
            WriteResult(
                attribute: device.attribute(target, handle),
                length: value.count,
                procedure: WriteResult.Procedure(method),
                isVerified: back.map { $0 == value },
                timestamp: Timestamp(context.time)
            )
        )
        if let back, back != value {
            throw BlectlError(
                .expectationFailed,
                "\(target) of \(device.reference.text) reads \(Hex.string(back)) after \(Hex.string(value)) was written"
            )
        }
    }

    /// Says so before anything is sent where the device does not take such a write.
    private func check(
        _ characteristic: GATTCharacteristic,
        _ target: AttributeTarget,
        withoutResponse: Bool
    ) throws {
        let properties = characteristic.properties
        if withoutResponse, !properties.contains(.writeWithoutResponse) {
            throw BlectlError(
                .protocolError,
                "cannot write \(target): it takes no write without response, only: \(properties)",
                hint: "leave out --no-response"
            )
        }
        if !withoutResponse, !properties.contains(.write), properties.contains(.writeWithoutResponse) {
            throw BlectlError(
                .protocolError,
                "cannot write \(target): it takes writes without response only",
                hint: "use --no-response"
            )
        }
    }
}

extension WriteResult.Procedure {
    fileprivate init(_ method: WriteMethod) {
        switch method {
        case .request: self = .writeRequest
        case .command: self = .writeCommand
        case .prepared: self = .longWrite
        }
    }
}
