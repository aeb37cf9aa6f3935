// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// `blectl write`: reads the octets, before it connects, and writes them.
struct WriteCommand {
    let options: WriteOptions
    let device: DeviceOptions
    let context: CommandContext

    init(_ options: WriteOptions, on device: DeviceOptions, _ context: CommandContext) {
        self.options = options
        self.device = device
        self.context = context
    }

    func run() async throws {
        // Encryption would make the signature superfluous: a signed write is for links without it. Spec: Core
        // 5.4, Vol 3, Part C, 10.4
        var device = device
        let signer = WriteSigner(bonds: context.bonds)
        if options.method == .signed, device.connection.security.level == .low {
            device.connection.encryptsBonded = false
        }
        let operation = WriteOperation(
            target: options.target,
            payload: options.isPiecewise ? try await pieces() : .value(try value()),
            method: options.method,
            isVerified: options.isVerified,
            sign: { try await signer.signature(for: $0, doing: $1) }
        )
        try await context.run(operation, on: device)
    }

    private func pieces() async throws -> WriteOperation.Payload {
        let source =
            switch options.source {
            case .octets(let octets): ByteSource(octets)
            case .file(let path): try ByteSource(path: path, blocking: context.blocking)
            }
        // Reads before connecting, so that the device does not wait for a user who has not begun to type.
        return .pieces(of: source, first: try await source.next(after: 0), chunk: options.chunk)
    }

    /// The whole value, which must fit into one attribute. It is read before the connection is made.
    private func value() throws(BlectlError) -> [UInt8] {
        let limit = GATTLimits.maximumValueLength
        let value =
            switch options.source {
            case .octets(let octets): octets
            case .file(let path): try StandardStreams.read(path, limit: limit)
            }
        guard value.count <= limit else {
            throw BlectlError(
                .badData,
                "cannot write \(options.target): the value has more than the \(limit) octets that an attribute can hold",
                hint: "--chunk \(limit) writes it in pieces, as a serial service takes it"
            )
        }
        return value
    }
}
