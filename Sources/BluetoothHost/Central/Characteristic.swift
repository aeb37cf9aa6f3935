// SPDX-License-Identifier: MIT

public import Bluetooth

/// A characteristic of a device. No request is sent before an operation needs it.
public struct Characteristic: Hashable, Sendable {
    /// The device.
    public let peripheral: Peripheral
    /// The selection of one of the device's characteristics, so that it is found again on each link.
    public let selector: CharacteristicSelector

    /// The UUID; `nil` if the characteristic was chosen by its handle.
    public var uuid: BluetoothUUID? {
        if case .uuid(let uuid, _, _) = selector { uuid } else { nil }
    }

    /// Its UUID, handles and properties.
    package func definition() async throws -> GATTCharacteristic {
        let selector = selector
        return try await peripheral.answer { database throws(DiscoveryStep) in
            try database.characteristic(selector)
        }.get()
    }

    /// A descriptor of it.
    public func descriptor(_ uuid: BluetoothUUID, index: Int = 0) -> Descriptor {
        Descriptor(peripheral: peripheral, selector: DescriptorSelector(uuid, index: index, of: selector))
    }

    package func descriptors() async throws -> [Descriptor] {
        let characteristic = try await definition()
        let found = try await peripheral.answer { database throws(DiscoveryStep) in
            try database.descriptors(of: characteristic)
        }
        return found.numbered(by: \.uuid).map { descriptor($0.uuid, index: $0.index) }
    }

    /// Whether the selector also fits another characteristic, so that this one is only the first of several.
    ///
    /// Takes one request if no other match is known yet: the values after this one are read by their UUID, and the
    /// device answers that there are none. Any other answer means that there may be one, which is then searched for, as
    /// it is on a device that stores the UUID in another form than that of the request. If the database is kept, the
    /// rest of it is discovered at once instead, so that the next time takes no request.
    package func hasTwin() async throws -> Bool {
        guard case .uuid(let uuid, let index, let service) = selector else { return false }
        let next = CharacteristicSelector.uuid(uuid, index: index + 1, service: service)
        let definition = try await definition()
        let handle = definition.valueHandle
        // Declared with 128 bits, a short UUID may be stored so as well, and is not found by its short form.
        let isFoundByType = definition.uuid.width != .bits128 || definition.uuid.short16 == nil
        let database = peripheral.database
        return try await peripheral.onLink { link in
            // Without a request, if the next characteristic is known, or is known not to exist.
            let known = await database.known { database throws(DiscoveryStep) in try database.characteristic(next) }
            if let known { return known.isSuccess }
            guard let start = handle.next else { return false }
            if isFoundByType, await !database.isKept {
                // Only "attribute not found" answers the question. After another GATT error, the discovery below does.
                do {
                    _ = try await link.perform(ReadByUUID(uuid, in: HandleRange(start, .last)))
                } catch GATTError.refused(let error) where error.code == .attributeNotFound {
                    return false
                } catch is GATTError {}
            }
            return try await database.answer(on: link) { database throws(DiscoveryStep) in
                try database.characteristic(next)
            }.isSuccess
        }
    }

    /// Reads its whole value.
    ///
    /// The first characteristic of a UUID is read by its UUID: one request if the value fits into one answer, and one
    /// more in a given service. Any other has to be found first.
    package func read() async throws -> AttributeValue {
        switch selector {
        case .uuid(let uuid, index: 0, let service):
            return try await peripheral.read(uuid, in: service)
        case .uuid:
            return try await peripheral.onAttribute(finding: find) { try await $0.read(at: $1) }
        case .handle(let handle):
            return try await peripheral.attribute(at: handle).read()
        }
    }

    /// Writes its value with a response, in parts if it does not fit into one packet.
    package func write(_ value: [UInt8]) async throws -> WriteMethod {
        try await peripheral.changeAttribute(finding: find, length: value.count) { try await $0.write(value, to: $1) }
    }

    /// Writes its value, which has to fit into one packet, without a response. Waits until the kernel has taken it.
    package func writeWithoutResponse(_ value: [UInt8]) async throws {
        try await peripheral.changeAttribute(finding: find, length: value.count) {
            try await $0.writeWithoutResponse(value, to: $1)
        }
    }

    /// Writes its value with a signature, see `ATTConnection.writeSigned`. Returns how it was written.
    package func writeSigned(
        _ value: [UInt8],
        taking take: @escaping @Sendable () async throws -> (key: SecurityKey, counter: UInt32)
    ) async throws -> WriteMethod {
        try await peripheral.changeAttribute(finding: find, length: value.count) {
            try await $0.writeSigned(value, to: $1, taking: take)
        }
    }

    /// Observes the values that the device sends unasked from now on.
    ///
    /// - Parameter limit: The number of events that wait for a slow reader; older values are dropped and counted.
    package func observe(limit: Int = Observation.defaultLimit) async throws -> Observation {
        // The observation exists before the subscription, so that the first value is not missed.
        let observation = await peripheral.observation(limit: limit)
        do {
            try await observation.subscribe(to: self)
        } catch {
            await observation.end()
            throw error
        }
        return observation
    }

    /// Finds the handle of the value in a database, as far as that is discovered.
    private var find: @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Found<Handle> {
        { [selector] database throws(DiscoveryStep) in try database.characteristic(selector).map(\.valueHandle) }
    }

    /// The same characteristic of the same device, whatever its handle is on the present link.
    public static func == (left: Self, right: Self) -> Bool {
        left.peripheral === right.peripheral && left.selector == right.selector
    }

    /// Consistent with `==`; devices are rarely mixed in one set.
    public func hash(into hasher: inout Hasher) { hasher.combine(selector) }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
