// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Writes one value and optionally reads it back, or writes many octets in pieces.
struct WriteOperation: DeviceOperation {
    enum Payload: Sendable {
        /// The whole value of the attribute, written at once.
        case value([UInt8])
        /// Octets in pieces of at most `chunk`, or of the size of a packet. `first` was read from the source already.
        case pieces(of: ByteSource, first: [UInt8], chunk: Int?)
    }

    /// The attribute. A descriptor takes one value with response only.
    let target: AttributeTarget
    let payload: Payload
    /// The text of the value, if it is octets only as long as nothing is known of the attribute at the handle.
    var digits: String?
    var method = WriteOptions.Method.withResponse
    /// Whether one value is read back and compared.
    var isVerified = false
    /// Returns the key and the counter of a signature, given the device and the description of the action; `nil` for an
    /// unsigned write.
    var sign: (@Sendable (ConnectedDevice, String) async throws -> (key: SecurityKey, counter: UInt32))?
    /// The handle for a signed write, if `lookUp` has found it on another link. The device is not asked for it then.
    var provenHandle: Handle?

    func action(on device: DeviceReference) -> String { "write \(target) to \(device.text)" }

    var readsInput: Bool {
        if case .pieces(let source, _, _) = payload { source.isTerminal } else { false }
    }

    var subject: RequestSubject? {
        guard case .value(let value) = payload else { return RequestSubject(target: target) }
        return RequestSubject(
            target: target,
            sentLength: value.count,
            withoutPreparedWrites: method == .reliable
                ? "leave out --reliable" : "--chunk 20 writes it in pieces, as a serial service takes it"
        )
    }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        switch payload {
        case .value(let value): try await write(value, to: device, in: context)
        case .pieces(let source, let first, let chunk):
            try await writePieces(source, first, chunk, to: device, in: context)
        }
    }

    /// Finds the handle of a characteristic on an encrypted link, which proves that the answer is from the bonded
    /// device, and makes the checks that precede the write.
    func lookUp(on device: ConnectedDevice, in context: OperationContext) async throws -> Handle {
        try await describingErrors(on: device) {
            let handle = try await context.withTimeout("find \(target)") { try await valueHandle(on: device) }
            guard await device.peripheral.linkSecurity?.isEncrypted == true else {
                throw BlectlError(
                    .protocolError,
                    cannot: action(on: device.reference),
                    "the link is not encrypted, so that any device could have named the handle for the signed value",
                    hint: "give the handle as TARGET, as in handle:\(handle.rawValue)"
                )
            }
            return handle
        }
    }

    // MARK: - Pieces

    /// The size of a piece without an exchange of the MTU.
    private static let smallestPiece = WriteValue.maximumLength(mtu: MTUExchange.minimum)

    /// Writes octets in pieces, and reports the sum. Verification is not possible, because the pieces are not
    /// one value.
    private func writePieces(
        _ source: ByteSource,
        _ first: [UInt8],
        _ chunk: Int?,
        to device: ConnectedDevice,
        in context: OperationContext
    ) async throws {
        // On a link that may still be replaced; all pieces are written on the same one.
        if first.count > Self.smallestPiece, chunk ?? .max > Self.smallestPiece {
            try await context.withTimeout("exchange the MTU") { _ = try await device.peripheral.exchangeMTU() }
        }
        let handle = try await context.withTimeout("write \(target)") { try await valueHandle(on: device) }
        let write = PiecewiseWrite(
            context: context,
            device: device,
            target: target,
            handle: handle,
            source: source,
            isWithoutResponse: method == .withoutResponse,
            chunk: chunk
        )
        let (octets, pieces) = try await write.run(first: first, describedAs: action(on: device.reference))
        try await context.results.emit(
            .other(
                WriteResult(
                    attribute: await device.attribute(target, handle, lookingUp: .place),
                    length: octets,
                    chunks: pieces,
                    procedure: method == .withoutResponse ? .writeCommand : .writeRequest,
                    isVerified: nil,
                    timestamp: Timestamp(context.time)
                )
            )
        )
    }

    /// The handle that the pieces are written to.
    private func valueHandle(on device: ConnectedDevice) async throws -> Handle {
        switch target.kind {
        case .handle(let handle): return handle
        case .characteristic(let uuid, let service):
            let characteristic = device.peripheral.characteristic(uuid, in: service)
            return try await definition(of: characteristic, on: device).valueHandle
        case .descriptor: throw BlectlError(.usage, cannot: "write \(target)", "a descriptor is written as a whole")
        }
    }

    // MARK: - One value

    /// Writes one value, reports the procedure that was used, and compares the value that is read back.
    ///
    /// Throws after the result was emitted if the value differs or cannot be read back: the write itself has
    /// happened.
    private func write(_ value: [UInt8], to device: ConnectedDevice, in context: OperationContext) async throws {
        try await refuseSecondMeaning(of: value, on: device)
        context.notes.progress("writing \(target) …")
        let (handle, procedure) = try await context.withTimeout("write \(target)") {
            try await send(value, to: device)
        }
        // On an encrypted link a signed write becomes a Write Command. Spec: Core 5.4, Vol 3, Part C, 10.4
        if method == .signed, procedure == .command {
            context.notes.note("the link is encrypted, so that the value was written without a signature")
        }
        let back = isVerified ? try await readBack(handle, of: device, in: context) : nil
        context.notes.clearProgress()
        // A failed read back does not hide that the value was written, so the result comes before the error.
        let readBack = try? back?.get()
        try await context.results.emit(
            .other(
                WriteResult(
                    attribute: await device.attribute(target, handle, lookingUp: .place),
                    length: value.count,
                    chunks: 1,
                    procedure: WriteResult.Procedure(procedure),
                    isVerified: readBack.map { $0 == value },
                    timestamp: Timestamp(context.time)
                )
            )
        )
        switch back {
        case .failure(let error): throw error
        case .success(let back) where back != value:
            // An error is printed with --redact, too, and then has no values.
            let difference =
                context.isRedacted
                ? "does not read as the value that was written"
                : "reads \(ValuePresentation.text(ofOctets: back)) after "
                    + "\(ValuePresentation.text(ofOctets: value)) was written"
            throw BlectlError(.expectationFailed, "\(target) of \(device.reference.text) \(difference)")
        case .success, nil: break
        }
    }

    /// Throws if digits without a mark would be another value in the format of the attribute, as far as the database of
    /// the device is known: what they mean must not depend on what was discovered before.
    private func refuseSecondMeaning(of value: [UInt8], on device: ConnectedDevice) async throws {
        guard let digits, let handle = target.handle else { return }
        let attribute = await device.attribute(target, handle, lookingUp: .format)
        let format =
            if let descriptor = attribute.descriptor {
                DescriptorValue.format(ofDescriptor: descriptor)
            } else if let characteristic = attribute.characteristic {
                await device.formats(for: characteristic).format(of: characteristic)
            } else {
                CharacteristicFormat?.none
            }
        guard let format, (try? TypedValue.octets(ofText: digits, in: format)) != value else { return }
        throw BlectlError(
            .badData,
            cannot: action(on: device.reference),
            "it is \(attribute.characteristicName ?? "an attribute") with a known format, "
                + "so that '\(digits)' can be a value or octets",
            hint: "octets are written 0x\(digits); for a value, name the attribute by its UUID or name"
        )
    }

    /// Reads the written value back. The error of a failed read says that the value was written.
    private func readBack(
        _ handle: Handle,
        of device: ConnectedDevice,
        in context: OperationContext
    ) async throws -> Result<[UInt8], BlectlError> {
        do {
            return .success(
                try await context.withTimeout("read \(target) back") {
                    try await device.peripheral.attribute(at: handle).read().value
                }
            )
        } catch {
            let subject = RequestSubject(target: target)
            guard let failure = await device.described(error, doing: "read it back", about: subject), !Task.isCancelled
            else { throw error }
            return .failure(
                BlectlError(
                    failure.status,
                    "\(target) of \(device.reference.text) was written, but not verified: \(failure.message)",
                    hint: "leave out --verify",
                    attError: failure.attError
                )
            )
        }
    }

    /// Sends the value by the procedure that the target and the method require.
    ///
    /// - Returns: The handle that was written to, and the procedure that was used: a long value needs prepared
    ///   writes.
    private func send(_ value: [UInt8], to device: ConnectedDevice) async throws -> (Handle, WriteMethod) {
        let peripheral = device.peripheral
        switch target.kind {
        case .handle(let handle) where method == .reliable:
            // A reliable write needs the properties of the characteristic.
            return try await send(value, to: peripheral.characteristic(at: handle), on: device)
        case .handle(let handle):
            // The device decides whether the attribute can be written.
            let attribute = peripheral.attribute(at: handle)
            if method == .signed {
                return (handle, try await attribute.writeSigned(value) { try await signature(for: device) })
            }
            guard method == .withoutResponse else { return (handle, try await attribute.write(value)) }
            try await attribute.writeWithoutResponse(value)
            return (handle, .command)
        case .characteristic(let uuid, let service):
            if method == .signed, let handle = provenHandle {
                let attribute = peripheral.attribute(at: handle)
                return (handle, try await attribute.writeSigned(value) { try await signature(for: device) })
            }
            return try await send(value, to: peripheral.characteristic(uuid, in: service), on: device)
        case .descriptor(let uuid, let characteristic, let service):
            guard method == .withResponse else {
                throw BlectlError(.usage, cannot: "write \(target)", "a descriptor is written with a response")
            }
            try await OnlyMatch(target: target, device: device).check()
            let descriptor = peripheral.characteristic(characteristic, in: service).descriptor(uuid)
            return (try await descriptor.definition().handle, try await descriptor.write(value))
        }
    }

    /// Sends the value to a characteristic, after a check that its properties allow it.
    private func send(
        _ value: [UInt8],
        to characteristic: Characteristic,
        on device: ConnectedDevice
    ) async throws -> (Handle, WriteMethod) {
        let handle = try await definition(of: characteristic, on: device).valueHandle
        switch method {
        case .withResponse: return (handle, try await characteristic.write(value))
        case .withoutResponse:
            try await characteristic.writeWithoutResponse(value)
            return (handle, .command)
        case .reliable:
            try await device.peripheral.writeReliably([(characteristic, value)])
            return (handle, .reliable)
        case .signed:
            return (handle, try await characteristic.writeSigned(value) { try await signature(for: device) })
        }
    }

    /// The key for a signature and its number, which is never used again.
    private func signature(for device: ConnectedDevice) async throws -> (key: SecurityKey, counter: UInt32) {
        let action = action(on: device.reference)
        guard let sign else { throw BlectlError(.usage, cannot: action, "there are no keys to sign with") }
        return try await sign(device, action)
    }

    // MARK: - Properties

    /// The declaration of the characteristic. Throws before the write if its properties do not allow the method, or if
    /// it is only one of several that the target can mean.
    private func definition(
        of characteristic: Characteristic,
        on device: ConnectedDevice
    ) async throws -> GATTCharacteristic {
        let definition = try await characteristic.definition()
        // Before the properties: those of the first match say nothing about the others.
        try await OnlyMatch(target: target, device: device).check()
        try check(definition.properties, on: device.reference)
        return definition
    }

    /// Throws if the characteristic cannot be written with the method, or not be read back for `--verify`.
    private func check(_ properties: CharacteristicProperties, on device: DeviceReference) throws(BlectlError) {
        try checkMethod(properties, on: device)
        guard isVerified, !properties.contains(.read) else { return }
        throw refusal(
            "--verify reads the value back, and it accepts only: \(properties)",
            device,
            hint: "leave out --verify"
        )
    }

    /// Throws if the properties exclude the method. A device may drop a command that it does not accept without
    /// an error.
    private func checkMethod(_ properties: CharacteristicProperties, on device: DeviceReference) throws(BlectlError) {
        switch method {
        case .signed:
            guard !properties.contains(.authenticatedSignedWrites) else { return }
            throw refusal("it accepts no signed write, only: \(properties)", device, hint: "leave out --signed")
        case .reliable:
            // The other write properties do not matter. Spec: Core 5.4, Vol 3, Part G, 3.3.3.1
            guard !properties.contains(.extendedProperties) else { return }
            throw refusal("it accepts no reliable write, only: \(properties)", device, hint: "leave out --reliable")
        case .withoutResponse:
            guard !properties.contains(.writeWithoutResponse) else { return }
            throw refusal(
                "it accepts no write without response, only: \(properties)",
                device,
                hint: "leave out --no-response"
            )
        case .withResponse:
            guard !properties.contains(.write), properties.contains(.writeWithoutResponse) else { return }
            throw refusal("it accepts only writes without response", device, hint: "use --no-response")
        }
    }

    private func refusal(_ reason: String, _ device: DeviceReference, hint: String) -> BlectlError {
        BlectlError(.protocolError, cannot: action(on: device), reason, hint: hint)
    }
}

extension WriteResult.Procedure {
    fileprivate init(_ method: WriteMethod) {
        switch method {
        case .request: self = .writeRequest
        case .command: self = .writeCommand
        case .prepared: self = .longWrite
        case .reliable: self = .reliableWrite
        case .signed: self = .signedWriteCommand
        }
    }
}
