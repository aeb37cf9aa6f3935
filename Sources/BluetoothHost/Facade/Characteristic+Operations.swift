// SPDX-License-Identifier: MIT

public import Bluetooth

// What an app does with a characteristic. Each operation has a limit of time, and its error says what it was about. The
// functions of the same names without a limit, which throw the causes, are those of this package.

extension Characteristic {
    /// Reads its whole value.
    ///
    /// The first characteristic of a UUID is read by its UUID: one request if the value fits into one answer, and one
    /// more in a given service. Any other has to be found first.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func read(within limit: Duration? = nil) async throws(BluetoothError) -> AttributeValue {
        try await perform("read", "from", within: limit) { try await read() }
    }

    /// Writes its value with a response, in parts if it does not fit into one packet.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - limit: The time limit; `nil` for that of the configuration.
    @discardableResult
    public func write(_ value: [UInt8], within limit: Duration? = nil) async throws(BluetoothError) -> WriteMethod {
        try await perform("write", "to", within: limit) { try await write(value) }
    }

    /// Writes its value, which has to fit into one packet, without a response. Waits until the kernel has taken it.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - limit: The time limit; `nil` for that of the configuration.
    public func writeWithoutResponse(_ value: [UInt8], within limit: Duration? = nil) async throws(BluetoothError) {
        try await perform("write", "to", within: limit) { try await writeWithoutResponse(value) }
    }

    /// Writes octets one part after the other, as the update of a firmware needs it.
    ///
    /// Parts without responses leave as fast as the link takes them: each waits until the kernel has taken the one before.
    ///
    /// - Parameters:
    ///   - octets: The octets.
    ///   - length: The length of a part, at least 1; `nil` for what one packet of the link carries.
    ///   - hasResponses: Whether the device confirms each part.
    ///   - limit: The time limit of each part; `nil` for that of the configuration.
    ///   - onProgress: Called with the number of octets that were written so far, after each part.
    public func write(
        parts octets: [UInt8],
        length: Int? = nil,
        hasResponses: Bool = true,
        within limit: Duration? = nil,
        onProgress: (Int) async -> Void = { _ in }
    ) async throws(BluetoothError) {
        let length = if let length { max(length, 1) } else { Int(try await peripheral.exchangeMTU(within: limit)) - 3 }
        var rest = octets[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(length))
            if hasResponses {
                try await write(part, within: limit)
            } else {
                try await writeWithoutResponse(part, within: limit)
            }
            rest = rest.dropFirst(length)
            await onProgress(octets.count - rest.count)
        }
    }

    /// Its UUID, handles and properties.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func definition(within limit: Duration? = nil) async throws(BluetoothError) -> GATTCharacteristic {
        try await perform("find", "on", within: limit) { try await definition() }
    }

    /// All its descriptors.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func descriptors(within limit: Duration? = nil) async throws(BluetoothError) -> [Descriptor] {
        try await perform("find the descriptors of", "on", within: limit) { try await descriptors() }
    }

    private func perform<Value: Sendable>(
        _ verb: String,
        _ preposition: String,
        within limit: Duration?,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws(BluetoothError) -> Value {
        try await peripheral.perform(verb, within: limit, { error($0, doing: verb, preposition: preposition) }, body)
    }
}

extension Descriptor {
    /// Reads its whole value.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func read(within limit: Duration? = nil) async throws(BluetoothError) -> AttributeValue {
        try await peripheral.perform("read a descriptor", within: limit) { try await read() }
    }

    /// Writes its value with a response, in parts if it does not fit into one packet.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - limit: The time limit; `nil` for that of the configuration.
    @discardableResult
    public func write(_ value: [UInt8], within limit: Duration? = nil) async throws(BluetoothError) -> WriteMethod {
        try await peripheral.perform("write a descriptor", within: limit) { try await write(value) }
    }

    /// Its UUID and handle.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func definition(within limit: Duration? = nil) async throws(BluetoothError) -> GATTDescriptor {
        try await peripheral.perform("find a descriptor", within: limit) { try await definition() }
    }
}

extension Attribute {
    /// Reads its whole value.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func read(within limit: Duration? = nil) async throws(BluetoothError) -> AttributeValue {
        try await peripheral.perform("read handle \(handle)", within: limit) { try await read() }
    }

    /// Writes its value with a response, in parts if it does not fit into one packet.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - limit: The time limit; `nil` for that of the configuration.
    @discardableResult
    public func write(_ value: [UInt8], within limit: Duration? = nil) async throws(BluetoothError) -> WriteMethod {
        try await peripheral.perform("write handle \(handle)", within: limit) { try await write(value) }
    }

    /// Writes its value, which has to fit into one packet, without a response. Waits until the kernel has taken it.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - limit: The time limit; `nil` for that of the configuration.
    public func writeWithoutResponse(_ value: [UInt8], within limit: Duration? = nil) async throws(BluetoothError) {
        try await peripheral.perform("write handle \(handle)", within: limit) { try await writeWithoutResponse(value) }
    }
}

extension Service {
    /// Its UUID and handles.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func definition(within limit: Duration? = nil) async throws(BluetoothError) -> GATTService {
        try await peripheral.perform("find a service", within: limit) { try await definition() }
    }

    /// The services that it includes.
    ///
    /// - Parameter limit: The time limit; `nil` for that of the configuration.
    public func includedServices(within limit: Duration? = nil) async throws(BluetoothError) -> [GATTIncludedService] {
        try await peripheral.perform("find included services", within: limit) { try await includedServices() }
    }

    /// All its characteristics, or those of one UUID.
    ///
    /// - Parameters:
    ///   - uuid: The UUID; `nil` for all.
    ///   - limit: The time limit; `nil` for that of the configuration.
    public func characteristics(
        _ uuid: BluetoothUUID? = nil,
        within limit: Duration? = nil
    ) async throws(BluetoothError) -> [Characteristic] {
        try await peripheral.perform("find characteristics", within: limit) { try await characteristics(uuid) }
    }
}
