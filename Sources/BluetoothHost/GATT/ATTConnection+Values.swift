// SPDX-License-Identifier: MIT

public import Bluetooth

// Values of any length, read and written with as few requests as possible.
extension ATTConnection {
    /// Reads the whole value of a characteristic by its UUID: one request if it fits into one answer.
    ///
    /// Returns `nil` if the device answers that there is none in the range, or that it cannot tell. Only discovery
    /// proves that: the device may have stored the UUID in another form than that of the request.
    public func read(_ uuid: BluetoothUUID, in range: HandleRange = .all) async throws -> AttributeValue? {
        let values: [GATTReadValue]
        do {
            values = try await perform(ReadByUUID(uuid, in: range))
        } catch GATTError.refused(let error) where error.code.deniesSearch {
            return nil
        }
        guard let first = values.first else { return nil }
        guard first.mayBeCut else { return AttributeValue(first, others: values.count - 1) }
        // From the start, because that answer had less room than a Read Response, and a server may refuse an offset in
        // a value that fits into one. A larger MTU first, because it saves requests.
        try await exchangeMTU()
        let whole = try await perform(ReadLongValue(first.handle))
        return AttributeValue(whole, at: first.handle, others: values.count - 1)
    }

    /// Reads the whole value of an attribute by its handle.
    public func read(at handle: Handle) async throws -> AttributeValue {
        let mtu = mtu
        let start = try await perform(ReadValue(handle))
        guard start.mayBeCut else { return AttributeValue(start) }
        // The rest, or with a larger MTU everything, for the same reason as above.
        let isLarger = try await exchangeMTU() > mtu
        return AttributeValue(
            try await perform(ReadLongValue(handle, knowing: isLarger ? [] : start.value)),
            at: handle
        )
    }

    /// Reads several attributes with one request if the device supports that. The rest, and those that do not fit into
    /// the answer, are read one by one. A refused attribute does not affect the others.
    public func read(_ handles: [Handle]) async throws -> [Result<AttributeValue, GATTError>] {
        var values: [Result<AttributeValue, GATTError>] = []
        if handles.count > 1, try await exchangeMTU() > ATTBearer.minimumMTU {
            do {
                values = try await perform(ReadVariableValues(handles)).filter { !$0.mayBeCut }.map {
                    .success(AttributeValue($0))
                }
            } catch let error as GATTError where error.meansOneByOne {
                values = []
            } catch ATTFailure.invalidResponse where end == nil {
                // A device that answers the request wrongly is treated like one that lacks it.
                values = []
            }
        }
        for handle in handles[values.count...] {
            do {
                values.append(.success(try await read(at: handle)))
            } catch let error as GATTError where !error.meansAnotherDatabase {
                values.append(.failure(error))
            }
        }
        return values
    }

    /// Writes a value with a response, in parts if it does not fit into one packet.
    public func write(_ value: [UInt8], to handle: Handle) async throws -> WriteMethod {
        guard value.count <= GATTLimits.maximumValueLength else {
            throw GATTError.valueTooLong(length: value.count, maximum: GATTLimits.maximumValueLength)
        }
        if try await fits(value) {
            try await perform(WriteValue(value, to: handle))
            return .request
        }
        try await perform(WriteLongValue(value, to: handle))
        return .prepared
    }

    /// Writes a value, which has to fit into one packet, without a response. Waits until the kernel has taken it.
    public func writeWithoutResponse(_ value: [UInt8], to handle: Handle) async throws {
        _ = try await fits(value)
        try await send(WriteWithoutResponse(value, to: handle).command(mtu: mtu))
    }

    /// Writes a value with a signature and without a response. On an encrypted link the value is written without a
    /// signature, because the encryption proves more. Returns how it was written.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.2.2; Vol 3, Part G, 4.9.2
    ///
    /// - Parameters:
    ///   - take: Gives the key, and a number that was not used before.
    package func writeSigned(
        _ value: [UInt8],
        to handle: Handle,
        taking take: @Sendable () async throws -> (key: SecurityKey, counter: UInt32)
    ) async throws -> WriteMethod {
        guard !security.isEncrypted else {
            try await writeWithoutResponse(value, to: handle)
            return .command
        }
        if value.count > SignedWrite.maximumLength(mtu: mtu) { try await exchangeMTU() }
        let maximum = SignedWrite.maximumLength(mtu: mtu)
        guard value.count <= maximum else { throw GATTError.valueTooLong(length: value.count, maximum: maximum) }
        // Last, because a number counts as used once it is taken, even if nothing is sent.
        let (key, counter) = try await take()
        try await send(SignedWrite(value, to: handle, signedWith: key, counter: counter).command(mtu: mtu))
        return .signed
    }

    /// Exchanges the MTU if a value that is to be written needs it.
    func prepareWrite(of length: Int) async throws {
        if length > WriteValue.maximumLength(mtu: mtu) { try await exchangeMTU() }
    }

    /// Whether a value fits into one packet. A larger MTU is exchanged if that is necessary.
    private func fits(_ value: [UInt8]) async throws -> Bool {
        if value.count <= WriteValue.maximumLength(mtu: mtu) { return true }
        return value.count <= WriteValue.maximumLength(mtu: try await exchangeMTU())
    }
}

extension GATTError {
    /// Whether several handles, or these, cannot be read with one request. That is also so if the device has answered
    /// with other values than those that were requested.
    fileprivate var meansOneByOne: Bool {
        switch self {
        case .refused: !meansAnotherDatabase
        case .unsuitableHandleCount, .invalidResponse: true
        case .valueTooLong: false
        }
    }

    /// Whether the device says that its database has changed, so that known handles are not valid.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 2.5.2.1
    var meansAnotherDatabase: Bool {
        if case .refused(let error) = self { error.code == .databaseOutOfSync } else { false }
    }
}

extension ATTErrorCode {
    /// Whether it refuses a search, by type or by value, in a way that says nothing about the searched attribute itself.
    /// Some devices use the code 0x00 where nothing was found.
    var deniesSearch: Bool {
        [.attributeNotFound, .requestNotSupported, .invalidHandle, ATTErrorCode(0x00)].contains(self)
    }
}
