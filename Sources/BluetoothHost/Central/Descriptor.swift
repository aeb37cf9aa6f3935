// SPDX-License-Identifier: MIT

public import Bluetooth

/// A descriptor of a characteristic. No request is sent before an operation needs it.
public struct Descriptor: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// The selection of one of the device's descriptors, so that it is found again on each link.
    public let selector: DescriptorSelector

    /// The UUID.
    public var uuid: BluetoothUUID { selector.uuid }

    package func definition() async throws -> GATTDescriptor {
        let selector = selector
        return try await peripheral.answer { database throws(DiscoveryStep) in try database.descriptor(selector) }.get()
    }

    /// Whether its characteristic has another descriptor of this UUID.
    package func hasTwin() async throws -> Bool {
        var next = selector
        next.index += 1
        do {
            _ = try await Descriptor(peripheral: peripheral, selector: next).definition()
            return true
        } catch MissingAttribute.descriptor {
            return false
        }
    }

    package func read() async throws -> AttributeValue {
        try await peripheral.onAttribute(finding: find) { try await $0.read(at: $1) }
    }

    /// Writes its value with a response, in parts if it does not fit into one packet.
    package func write(_ value: [UInt8]) async throws -> WriteMethod {
        try await peripheral.changeAttribute(finding: find, length: value.count) { try await $0.write(value, to: $1) }
    }

    /// Finds the handle of the descriptor in a database, as far as that is discovered.
    private var find: @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Found<Handle> {
        { [selector] database throws(DiscoveryStep) in try database.descriptor(selector).map(\.handle) }
    }
}

/// An attribute that is known by its handle only.
public struct Attribute: Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// Its handle on the device.
    public let handle: Handle

    package func read() async throws -> AttributeValue {
        let handle = handle
        return try await peripheral.onLink { try await $0.read(at: handle) }
    }

    /// Writes its value with a response, in parts if it does not fit into one packet.
    package func write(_ value: [UInt8]) async throws -> WriteMethod {
        let (peripheral, handle) = (peripheral, handle)
        return try await peripheral.repeatingOnReplacedLink {
            try await peripheral.connection(forWriteOf: value.count).write(value, to: handle)
        }
    }

    /// Writes its value, which has to fit into one packet, without a response. Waits until the kernel has taken it.
    package func writeWithoutResponse(_ value: [UInt8]) async throws {
        let (peripheral, handle) = (peripheral, handle)
        try await peripheral.repeatingOnReplacedLink {
            try await peripheral.connection(forWriteOf: value.count).writeWithoutResponse(value, to: handle)
        }
    }

    /// Writes its value with a signature, see `ATTConnection.writeSigned`. Returns how it was written.
    package func writeSigned(
        _ value: [UInt8],
        taking take: @escaping @Sendable () async throws -> (key: SecurityKey, counter: UInt32)
    ) async throws -> WriteMethod {
        let (peripheral, handle) = (peripheral, handle)
        return try await peripheral.repeatingOnReplacedLink {
            try await peripheral.connection(forWriteOf: value.count).writeSigned(value, to: handle, taking: take)
        }
    }
}
