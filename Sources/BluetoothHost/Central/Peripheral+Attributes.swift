// SPDX-License-Identifier: MIT

public import Bluetooth

// The attributes of a device, and operations on several of them. Each operation connects first if necessary, and runs
// on one link from its beginning to its end, because on the next link the same handles may mean something else.
extension Peripheral {
    // MARK: - Objects

    /// A service of the device.
    public nonisolated func service(_ uuid: BluetoothUUID, index: Int? = nil) -> Service {
        Service(peripheral: self, selector: .uuid(uuid, index: index))
    }

    /// All its services, the primary ones first, or the primary ones of one UUID.
    package func services(_ uuid: BluetoothUUID? = nil) async throws -> [Service] {
        if let uuid {
            let count = try await answer { database throws(DiscoveryStep) in try database.services(uuid).count }
            return (0..<count).map { service(uuid, index: $0) }
        }
        let all = try await answer { database throws(DiscoveryStep) in try database.allServices() }
        let primary = all.filter(\.isPrimary).numbered(by: \.uuid).map { service($0.uuid, index: $0.index) }
        let secondary = all.filter { !$0.isPrimary }
            .map { Service(peripheral: self, selector: .handle($0.range.start)) }
        return primary + secondary
    }

    /// A characteristic, in whichever service it is.
    public nonisolated func characteristic(_ uuid: BluetoothUUID, index: Int = 0) -> Characteristic {
        Characteristic(peripheral: self, selector: .uuid(uuid, index: index, service: nil))
    }

    /// The characteristic that has its value, or its declaration, at a handle.
    public nonisolated func characteristic(at handle: Handle) -> Characteristic {
        Characteristic(peripheral: self, selector: .handle(handle))
    }

    /// An attribute by its handle.
    public nonisolated func attribute(at handle: Handle) -> Attribute {
        Attribute(peripheral: self, handle: handle)
    }

    /// The whole database of the device.
    package func tree() async throws -> AttributeTree {
        let database = database
        return try await onLink { try await database.tree(on: $0) }
    }

    /// The service that contains a handle; `nil` if none does.
    package func service(containing handle: Handle, within limit: Duration) async throws -> GATTService? {
        try await withDeadline(time.now + limit, time, operation: "look up the service") {
            try await self.answer { database throws(DiscoveryStep) in
                try database.allServices().last { $0.range.contains(handle) }
            }
        }
    }

    /// The value of the Presentation Format descriptor of the characteristic that has its value at a handle, if it is
    /// known from this link or from the store. This does not read the descriptor; a stored value is confirmed by one
    /// request on each link. Without a link the result is `nil`, because a format does not justify a connection.
    public func presentationFormat(of handle: Handle) async throws -> [UInt8]? {
        guard let link = lifecycle.link, link.end == nil else { return nil }
        return try await database.presentationFormat(of: handle, on: link)
    }

    /// What the attribute at a handle is, if it is known from this link or from the store; without a link `nil`.
    ///
    /// - Parameter confirming: Whether a stored database may be confirmed by one request. Otherwise only what this
    ///   link has told already counts.
    package func place(of handle: Handle, confirming: Bool = true) async throws -> GATTPlace? {
        guard let link = lifecycle.link, link.end == nil else { return nil }
        guard confirming else { return await database.knownPlace(of: handle, on: link) }
        return try await database.place(of: handle, on: link)
    }

    /// Keeps the value of a Presentation Format descriptor with the database, by the handle of its characteristic's
    /// value.
    public func learned(format: [UInt8], of handle: Handle) async {
        await database.learned(format: format, of: handle)
    }

    // MARK: - Operations on several

    /// Exchanges the MTU, once for each connection. With a device that does not support this it remains 23.
    @discardableResult
    package func exchangeMTU() async throws -> UInt16 {
        try await onLink { try await $0.exchangeMTU() }
    }

    /// Reads several values, with one request if the device supports it and the answer has room. A value that is
    /// missing or refused does not affect the others.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.8.5
    package func read(_ characteristics: [Characteristic]) async throws -> [Result<AttributeValue, any Error>] {
        let selectors = characteristics.map(\.selector)
        let database = database
        return try await onLink { link in
            try await inSync {
                let found = try await database.values(of: selectors, on: link)
                var values = try await link.read(found.compactMap { try? $0.get() })[...]
                return found.map { found in
                    switch found {
                    case .failure(let missing): .failure(missing)
                    case .success: values.removeFirst().mapError { $0 }
                    }
                }
            }
        }
    }

    /// Writes several values, all or none. Each is checked by the device's echo first.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.9.5
    package func writeReliably(_ writes: [(characteristic: Characteristic, value: [UInt8])]) async throws {
        guard !writes.isEmpty else { return }
        let selectors = writes.map(\.characteristic.selector)
        let values = writes.map(\.value)
        let database = database
        try await repeatingOnReplacedLink {
            // Only the discovery may be repeated after the loss of the link: the device may have carried out the write.
            let link = try await onLink { link in
                _ = try await database.values(of: selectors, on: link)
                try await link.exchangeMTU()
                return link
            }
            try await inSync {
                let handles = try await database.values(of: selectors, on: link).map { try $0.get() }
                try await link.perform(ReliableWrite(zip(handles, values).map { HandleValue($0, $1) }))
            }
        }
    }

    // MARK: - For the objects

    /// Answers a question about the device's database, see `RemoteDatabase`.
    func answer<Answer: Sendable>(
        _ question: @escaping @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Answer
    ) async throws -> Answer {
        let database = database
        return try await onLink { try await database.answer(on: $0, question) }
    }

    /// Reads the first characteristic of a UUID by its UUID, without finding it first. Discovery confirms that there is
    /// none, and finds it where the device has stored the UUID in another form.
    func read(_ uuid: BluetoothUUID, in selector: ServiceSelector?) async throws -> AttributeValue {
        let database = database
        let characteristic = CharacteristicSelector.uuid(uuid, index: 0, service: selector)
        return try await onLink { link in
            try await inSync {
                let value: AttributeValue?
                if let selector {
                    value = try await database.read(uuid, in: selector, on: link)
                } else {
                    value = try await link.read(uuid)
                }
                if let value { return value }
                let found = try await database.answer(on: link) { database throws(DiscoveryStep) in
                    try database.characteristic(characteristic)
                }
                return try await link.read(at: try found.get().valueHandle)
            }
        }
    }

    /// Finds an attribute and runs an operation on it that may be repeated.
    func onAttribute<Value: Sendable>(
        finding find: @escaping @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Found<Handle>,
        _ operation: @escaping @Sendable (ATTConnection, Handle) async throws -> Value
    ) async throws -> Value {
        let database = database
        return try await onLink { link in
            try await inSync { try await operation(link, try await database.answer(on: link, find).get()) }
        }
    }

    /// Finds an attribute and runs an operation on it once. It is repeated only if the device has refused it because
    /// its database has changed.
    ///
    /// - Parameter length: The number of octets that the operation writes.
    func changeAttribute<Value: Sendable>(
        finding find: @escaping @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Found<Handle>,
        length: Int,
        _ operation: @escaping @Sendable (ATTConnection, Handle) async throws -> Value
    ) async throws -> Value {
        let database = database
        return try await repeatingOnReplacedLink {
            // Only the discovery may be repeated after the loss of the link, not the operation.
            let link = try await onLink { link in
                _ = try await database.answer(on: link, find).get()
                try await link.prepareWrite(of: length)
                return link
            }
            return try await inSync { try await operation(link, try await database.answer(on: link, find).get()) }
        }
    }

    /// Runs an operation on handles. If the device refuses because its database has changed, it has not executed the
    /// operation, which is repeated with newly discovered handles.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1
    private func inSync<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch let error as GATTError where error.meansAnotherDatabase {
            // The error does not say which part has changed.
            await database.changed(in: .all)
            return try await operation()
        }
    }
}

extension RemoteDatabase {
    fileprivate func values(
        of selectors: [CharacteristicSelector],
        on link: ATTConnection
    ) async throws -> [Found<Handle>] {
        var handles: [Found<Handle>] = []
        for selector in selectors {
            handles.append(
                try await answer(on: link) { database throws(DiscoveryStep) in
                    try database.characteristic(selector).map(\.valueHandle)
                }
            )
        }
        return handles
    }

    /// Reads the first characteristic of a UUID that a service has, service by service. Returns `nil` if the device
    /// answers that none has one.
    fileprivate func read(
        _ uuid: BluetoothUUID,
        in selector: ServiceSelector,
        on link: ATTConnection
    ) async throws -> AttributeValue? {
        var index = 0
        while true {
            var place = selector
            if case .uuid(let service, nil) = selector { place = .uuid(service, index: index) }
            let found = try await answer(on: link, isCheap: true) { [place] database throws(DiscoveryStep) in
                try database.service(place)
            }
            switch found {
            case .failure(let missing):
                // If another service of the same UUID exists, the characteristic is missing and not the service.
                guard index > 0 else { throw missing }
                return nil
            case .success(let service):
                // A characteristic takes at least two handles, and a device may have many services without one.
                if let contents = service.contents, contents.start < contents.end,
                    let value = try await link.read(uuid, in: service.range)
                {
                    return value
                }
            }
            guard place != selector else { return nil }
            index += 1
        }
    }
}

extension Peripheral {
    /// The primary services of the device, each once.
    package func primaryServices() async throws -> [BluetoothUUID] {
        let all = try await answer { database throws(DiscoveryStep) in try database.allServices() }
        var seen: Set<BluetoothUUID> = []
        return all.filter { $0.isPrimary && seen.insert($0.uuid).inserted }.map(\.uuid)
    }
}
