// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Toolkit

/// `blectl write`: reads the octets, before it connects, and writes them.
struct WriteRun {
    let options: WriteOptions
    let device: DeviceOptions
    let context: CommandContext

    func run() async throws {
        let signer = WriteSigner(bonds: context.stores.bonds)
        let operation = WriteOperation(
            target: options.target,
            payload: options.isPiecewise ? try await pieces() : .value(try await value()),
            digits: options.digits,
            method: options.method,
            isVerified: options.isVerified,
            sign: { try await signer.signature(for: $0, doing: $1) }
        )
        // The link that a script or a shell holds stays as it is.
        // --security asks for an encrypted link, on which a signed write becomes a Write Command in any case.
        guard options.method == .signed, device.connection.security.level == .low, context.caller.held == nil else {
            return try await context.run(operation, on: device)
        }
        try await runSigned(operation)
    }

    /// Writes over a link without encryption, because encryption would make the signature superfluous. A device proves
    /// nothing on such a link, so the handle of a bonded device is looked up on an encrypted link first.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.4
    private func runSigned(_ operation: WriteOperation) async throws {
        var operation = operation
        var provider = try await context.connection(for: device)
        let reference = try await provider.reference()
        provider.found = reference
        if case .characteristic = options.target.kind, provider.connector.keepsBond(of: reference) {
            operation.provenHandle = try await provenHandle(for: operation, over: provider)
        }
        // The connector otherwise encrypts the link to a bonded device, and the signature is left out.
        provider.connector.options.encryptsBonded = false
        provider.announcesDevice = !context.output.writesRecords
        let presenter = ResultPresenter(output: context.output, diagnostics: context.diagnostics, isRaw: false)
        try await context.run(operation, with: provider, presenter)
    }

    /// Looks the handle up on an encrypted link, and ends that link unless other programs share it.
    private func provenHandle(for operation: WriteOperation, over provider: OneTimeConnection) async throws -> Handle {
        var provider = provider
        // The times are those of the link for the value.
        provider.connector.timing = nil
        let sharesLink = provider.connector.sharesLink
        let presenter = ResultPresenter(output: context.output, diagnostics: context.diagnostics, isRaw: false)
        let environment = OperationContext(
            time: context.time,
            scope: context.scope,
            timeout: context.options.timeout,
            results: presenter,
            notes: context.diagnostics
        )
        return try await provider.withDevice { device in
            let handle = try await operation.lookUp(on: device, in: environment)
            // Otherwise the next connection could be over the same link.
            if !sharesLink { await device.peripheral.abandonLink() }
            return handle
        }
    }

    private func pieces() async throws -> WriteOperation.Payload {
        let source =
            switch options.source {
            case .octets(let octets): ByteSource(octets)
            case .file(let path): try ByteSource(path: path, blocking: context.process.blocking)
            }
        // Reads before connecting, so that the device does not wait for a user who has not begun to type.
        return .pieces(of: source, first: try await source.next(after: 0), chunk: options.chunk)
    }

    /// The whole value, which must fit into one attribute. It is read before the connection is made.
    private func value() async throws -> [UInt8] {
        let limit = GATTLimits.maximumValueLength
        let value =
            switch options.source {
            case .octets(let octets): octets
            case .file(let path): try await context.reading(path) { try StandardStreams.read(path, limit: limit) }
            }
        guard value.count <= limit else {
            throw BlectlError(
                .badData,
                "cannot write \(options.target): the value has more than the \(limit) octets that an attribute can hold",
                hint: "--chunk \(limit) writes it in pieces, as a serial service takes it"
            )
        }
        if case .file = options.source, let format = options.format {
            try StandardStreams.check(value, in: format, doing: "write \(options.target)")
        }
        return value
    }
}
