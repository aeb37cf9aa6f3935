// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

// What a device has, and operations that concern several of its attributes. Each connects first where needed, and runs on
// one link from its beginning to its end: on the next one the same handles may mean something else.
extension Peripheral {
    // MARK: - Objects

    /// A service of it.
    public nonisolated func service(_ uuid: BluetoothUUID, index: Int? = nil) -> Service {
        Service(peripheral: self, selector: .uuid(uuid, index: index))
    }

    /// All its services, the primary ones first, or the primary ones of one UUID.
    public func services(_ uuid: BluetoothUUID? = nil) async throws -> [Service] {
        if let uuid {
            var found: [Service] = []
            while true {
                let index = found.count
                let next = try await answer { database throws(DiscoveryStep) in try database.service(uuid, index) }
                guard next != nil else { return found }
                found.append(service(uuid, index: index))
            }
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

    /// All that the device has.
    public func tree() async throws -> AttributeTree {
        let database = database
        return try await onLink { try await database.tree(on: $0) }
    }

    // MARK: - Operations on several

    /// Exchanges the MTU, once a connection; a device that cannot keeps 23.
    @discardableResult
    public func exchangeMTU() async throws -> UInt16 {
        try await onLink { try await $0.exchangeMTU() }
    }

    /// Reads several values with one request, in its place where they do not fit into one answer.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.8.5
    public func read(_ characteristics: [Characteristic]) async throws -> [AttributeValue] {
        let selectors = characteristics.map(\.selector)
        let database = database
        return try await onLink { link in
            var handles: [Handle] = []
            for selector in selectors {
                let found = try await database.answer(on: link) { database throws(DiscoveryStep) in
                    try database.characteristic(selector)
                }
                handles.append(try found.get().valueHandle)
            }
            return try await link.read(handles)
        }
    }

    /// Writes several values, each checked by the device's echo, and all of them or none.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.9.5
    public func writeReliably(_ writes: [(characteristic: Characteristic, value: [UInt8])]) async throws {
        let selectors = writes.map(\.characteristic.selector)
        let database = database
        let (link, handles) = try await onLink { link in
            var handles: [Handle] = []
            for selector in selectors {
                let found = try await database.answer(on: link) { database throws(DiscoveryStep) in
                    try database.characteristic(selector)
                }
                handles.append(try found.get().valueHandle)
            }
            return (link, handles)
        }
        try await link.exchangeMTU()
        try await link.perform(ReliableWrite(zip(handles, writes).map { HandleValue($0, $1.value) }))
    }

    // MARK: - For the objects

    /// Answers a question about the device's database, see `RemoteDatabase`.
    func answer<Answer: Sendable>(
        _ question: @escaping @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Answer
    ) async throws -> Answer {
        let database = database
        return try await onLink { try await database.answer(on: $0, question) }
    }

    /// Reads the first characteristic of a UUID by that: it need not be found first.
    func read(_ uuid: BluetoothUUID, in selector: ServiceSelector?) async throws -> AttributeValue {
        let database = database
        return try await onLink { link in
            guard let selector else {
                guard let value = try await link.read(uuid) else {
                    throw MissingAttribute.characteristic(uuid, service: nil)
                }
                return value
            }
            let services = ServiceSequence(selector)
            for selector in services {
                let found = try await database.answer(on: link, isCheap: true) { database throws(DiscoveryStep) in
                    try database.service(selector)
                }
                switch found {
                case .failure(let missing):
                    throw selector == services.first
                        ? missing : MissingAttribute.characteristic(uuid, service: selector.uuid)
                case .success(let service):
                    if let value = try await link.read(uuid, in: service.range) { return value }
                }
            }
            throw MissingAttribute.characteristic(uuid, service: selector.uuid)
        }
    }

    /// Finds an attribute and does something with it that may be repeated: once more where the device has changed its
    /// database in between.
    func onAttribute<Value: Sendable>(
        finding find: @escaping @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Found<Handle>,
        _ operation: @escaping @Sendable (ATTConnection, Handle) async throws -> Value
    ) async throws -> Value {
        let database = database
        return try await onLink { link in
            let handle = try await database.answer(on: link, find).get()
            do {
                return try await operation(link, handle)
            } catch let error as GATTError where error.meansAnotherDatabase {
                await database.changed(in: .all)
                return try await operation(link, try await database.answer(on: link, find).get())
            }
        }
    }

    /// Finds an attribute and does something with it that is done once; again only where the device has refused it because
    /// its database is another one.
    func changeAttribute<Value: Sendable>(
        finding find: @escaping @Sendable (DiscoveredDatabase) throws(DiscoveryStep) -> Found<Handle>,
        _ operation: @escaping @Sendable (ATTConnection, Handle) async throws -> Value
    ) async throws -> Value {
        let database = database
        let (link, handle) = try await onLink { link in (link, try await database.answer(on: link, find).get()) }
        do {
            return try await operation(link, handle)
        } catch let error as GATTError where error.meansAnotherDatabase {
            await database.changed(in: .all)
            return try await operation(link, try await database.answer(on: link, find).get())
        }
    }
}

extension GATTError {
    /// Whether the device tells us that we do not know its database any more.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1
    var meansAnotherDatabase: Bool {
        if case .refused(let error) = self { error.code == .databaseOutOfSync } else { false }
    }
}
