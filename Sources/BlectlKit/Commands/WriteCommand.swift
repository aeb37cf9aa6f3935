// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// `blectl write`: one value, checked before the first octet is sent; or many octets, piece by piece.
struct WriteCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        let target = try context.target(context.arguments[WriteSpec.target], of: WriteSpec.target)
        if isPiecewise { return try await writePieces(to: target) }
        let value = try self.value()
        guard value.count <= GATTLimits.maximumValueLength else {
            throw BlectlError(
                .badData,
                "cannot write \(target): the value has more than the \(GATTLimits.maximumValueLength) octets that an attribute can hold",
                hint: "--chunk \(GATTLimits.maximumValueLength) writes it in pieces, as a serial service takes it"
            )
        }
        try await context.withDevice(for: [target], mayChange: true) { device in
            do {
                try await write(value, to: target, of: device)
            } catch {
                let action = "write \(target) to \(device.reference.text)"
                throw BlectlError(describing: error, doing: action, to: device.reference) ?? error
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

    // MARK: - Pieces

    /// Whether the octets are written piece by piece: where that is asked for, and of a file or standard input without
    /// response, where there is no other way for what is longer than a packet.
    private var isPiecewise: Bool {
        if context.arguments[WriteSpec.chunk] != nil { return true }
        return path != nil && isWithoutResponse && !context.arguments[WriteSpec.verify]
    }

    /// Where the octets come from, if not from the command line.
    private var path: String? {
        let text = context.arguments[WriteSpec.value]
        return text == "-" ? text : text.hasPrefix("@") ? String(text.dropFirst()) : nil
    }

    private func writePieces(to target: AttributeTarget) async throws {
        let source = try path.map { try ByteSource(path: $0, blocking: context.blocking) }
        let bytes = try source ?? ByteSource(ValueFormat.encode(context.arguments[WriteSpec.value]))
        // The device is not kept waiting by somebody who has not begun to type.
        let first = try await bytes.next(after: 0)
        try await context.withDevice(for: [target], mayChange: true) { device in
            let handle = try await handle(of: target, on: device)
            let write = PiecewiseWrite(
                context: context,
                device: device,
                target: target,
                handle: handle,
                source: bytes,
                isWithoutResponse: isWithoutResponse,
                chunk: context.arguments[WriteSpec.chunk]
            )
            let (octets, pieces) = try await write.run(first: first)
            try await context.output.emit(
                WriteResult(
                    attribute: device.attribute(target, handle),
                    length: octets,
                    chunks: pieces,
                    procedure: isWithoutResponse ? .writeCommand : .writeRequest,
                    isVerified: nil,
                    timestamp: Timestamp(context.time)
                )
            )
        }
    }

    private func handle(of target: AttributeTarget, on device: ConnectedDevice) async throws -> Handle {
        do {
            return try await context.withTimeout("write \(target)") {
                switch target.object(of: device.peripheral) {
                case .attribute(let attribute): return attribute.handle
                case .characteristic(let characteristic):
                    let definition = try await characteristic.definition()
                    try check(definition, target)
                    await context.noteOthers(of: target, on: device)
                    return definition.valueHandle
                case .descriptor:
                    throw BlectlError(
                        .usage,
                        "cannot write \(target): a descriptor is written as a whole",
                        hint: "leave out \(isWithoutResponse ? "--no-response" : "--chunk")"
                    )
                }
            }
        } catch {
            let action = "write \(target) to \(device.reference.text)"
            throw BlectlError(describing: error, doing: action, to: device.reference) ?? error
        }
    }

    // MARK: - One value

    private func write(_ value: [UInt8], to target: AttributeTarget, of device: ConnectedDevice) async throws {
        let (handle, method) = try await context.withTimeout("write \(target)") {
            try await send(value, to: target, of: device)
        }
        var back: [UInt8]?
        if context.arguments[WriteSpec.verify] {
            back = try await context.withTimeout("read \(target) back") {
                try await device.peripheral.attribute(at: handle).read().value
            }
        }
        try await context.output.emit(
            WriteResult(
                attribute: device.attribute(target, handle),
                length: value.count,
                chunks: 1,
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

    private func send(
        _ value: [UInt8],
        to target: AttributeTarget,
        of device: ConnectedDevice
    ) async throws -> (Handle, WriteMethod) {
        switch target.object(of: device.peripheral) {
        case .attribute(let attribute):
            // Whether a handle is that of a value is for the device to say, but for a reliable write.
            if isReliable {
                let characteristic = device.peripheral.characteristic(at: attribute.handle)
                return try await send(value, to: characteristic, target, of: device)
            }
            guard isWithoutResponse else { return (attribute.handle, try await attribute.write(value)) }
            try await attribute.writeWithoutResponse(value)
            return (attribute.handle, .command)
        case .descriptor(let descriptor):
            guard !isWithoutResponse, !isReliable else {
                throw BlectlError(
                    .usage,
                    "cannot write \(target): a descriptor is written with a response, and in no other way",
                    hint: "leave out \(isReliable ? "--reliable" : "--no-response")"
                )
            }
            return (try await descriptor.definition().handle, try await descriptor.write(value))
        case .characteristic(let characteristic):
            return try await send(value, to: characteristic, target, of: device)
        }
    }

    private func send(
        _ value: [UInt8],
        to characteristic: Characteristic,
        _ target: AttributeTarget,
        of device: ConnectedDevice
    ) async throws -> (Handle, WriteMethod) {
        let definition = try await characteristic.definition()
        try check(definition, target)
        await context.noteOthers(of: target, on: device)
        if isReliable {
            try await characteristic.peripheral.writeReliably([(characteristic, value)])
            return (definition.valueHandle, .reliable)
        }
        guard isWithoutResponse else { return (definition.valueHandle, try await characteristic.write(value)) }
        try await characteristic.writeWithoutResponse(value)
        return (definition.valueHandle, .command)
    }

    private var isWithoutResponse: Bool { context.arguments[WriteSpec.noResponse] }
    private var isReliable: Bool { context.arguments[WriteSpec.reliable] }

    /// Says so before anything is sent where the device does not take such a write.
    private func check(_ characteristic: GATTCharacteristic, _ target: AttributeTarget) throws {
        let properties = characteristic.properties
        if isReliable {
            // Whether it may be written otherwise is another matter. Spec: Core 5.4, Vol 3, Part G, 3.3.3.1
            guard !properties.contains(.extendedProperties) else { return }
            throw BlectlError(
                .protocolError,
                "cannot write \(target): it takes no reliable write, only: \(properties)",
                hint: "leave out --reliable"
            )
        }
        if isWithoutResponse, !properties.contains(.writeWithoutResponse) {
            throw BlectlError(
                .protocolError,
                "cannot write \(target): it takes no write without response, only: \(properties)",
                hint: "leave out --no-response"
            )
        }
        if !isWithoutResponse, !properties.contains(.write), properties.contains(.writeWithoutResponse) {
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
        case .reliable: self = .reliableWrite
        }
    }
}
