// SPDX-License-Identifier: MIT

extension GATTServer {
    /// Checks that the client may read all of the attributes; the error names the first one that it may not read.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.3, 3.4.4.5, 3.4.4.7 and 3.4.4.11
    func readPlan(
        _ kind: ReadPlan.Kind,
        _ request: ATTRequest,
        _ handles: [Handle],
        for client: ClientID
    ) -> Result<ReadPlan, ATTErrorResponse> {
        // All handles are checked before the application is asked for any value.
        for handle in handles {
            guard let attribute = database[handle] else { return .failure(request.refused(.invalidHandle, at: handle)) }
            if let refusal = readRefusal(of: attribute, for: client) {
                return .failure(request.refused(refusal, at: handle))
            }
        }
        return .success(ReadPlan(kind, request, handles: handles))
    }

    /// Finds the attributes of a type that the client may read; fails if it may not read the first one.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.1
    func readByTypePlan(
        _ parameters: ReadByTypeRequest,
        _ request: ATTRequest,
        for bearer: BearerID
    ) -> Result<ReadPlan, ATTErrorResponse> {
        guard parameters.range.isValid else { return .failure(request.refused(.invalidHandle)) }
        // An entry has at least two octets, those of its handle.
        let mostEntries = (mtu(of: bearer) - 2) / 2
        var handles: [Handle] = []
        for attribute in database.attributes(in: parameters.range) where attribute.type == parameters.attributeType {
            if let refusal = readRefusal(of: attribute, for: bearer.client) {
                if handles.isEmpty { return .failure(request.refused(refusal, at: attribute.handle)) }
                break
            }
            handles.append(attribute.handle)
            if handles.count == mostEntries { break }
        }
        if handles.isEmpty { return .failure(request.refused(.attributeNotFound)) }
        return .success(ReadPlan(.byType, request, handles: handles))
    }

    /// The error for a client that may not read the attribute; `nil` if it may.
    func readRefusal(of attribute: GATTAttribute, for client: ClientID) -> ATTErrorCode? {
        attribute.permissions.readRefusal(of: clients[client]?.security ?? .none)
    }

    /// Reads until all values are there, or until the application must be asked for one.
    mutating func advance(_ start: ReadPlan, for bearer: BearerID) -> [Action] {
        var plan = start
        while let handle = plan.remaining.first {
            // The database may have changed while the application was asked.
            guard let attribute = database[handle] else {
                // A response with fewer values is valid; the error is sent only if there is no value at all.
                if plan.endBeforeNext() { break }
                return finish(bearer, .failure(plan.request.refused(.databaseOutOfSync, at: handle)))
            }
            if let refusal = readRefusal(of: attribute, for: bearer.client) {
                if plan.endBeforeNext() { break }
                return finish(bearer, .failure(plan.request.refused(refusal, at: handle)))
            }
            if let value = ownValue(of: attribute, for: bearer.client) {
                plan.take(value, mtu: mtu(of: bearer))
            } else if let value = begunValue(of: handle, at: plan.offset, for: bearer) {
                plan.take(value, mtu: mtu(of: bearer))
            } else {
                let token = makeToken()
                bearers[bearer]?.pending = .reading(token, plan)
                let context = ReadContext(
                    client: bearer.client,
                    handle: handle,
                    type: attribute.type,
                    offset: plan.offset
                )
                return [.read(token, context)]
            }
        }
        return finish(bearer, plan.answer(mtu: UInt16(mtu(of: bearer))))
    }

    /// The value of the application that the client has begun to read; `nil` unless a later part of it is read now.
    ///
    /// The application may have another value by now. Parts of different values would make a value that never existed.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.8.3
    private mutating func begunValue(of handle: Handle, at offset: Int, for bearer: BearerID) -> [UInt8]? {
        guard let begun = bearers[bearer]?.begunRead, begun.handle == handle, offset > begun.offset else { return nil }
        bearers[bearer]?.begunRead?.offset = offset
        return begun.value
    }

    /// The value that a client sees; `nil` if only the application knows it.
    func ownValue(of attribute: GATTAttribute, for client: ClientID) -> [UInt8]? {
        switch attribute.storage {
        case .fixed(let value), .stored(let value, _): value
        case .handler: nil
        case .clientConfiguration: (clients[client]?.configurations[attribute.handle] ?? []).encoded
        case .clientSupportedFeatures: [clients[client]?.features.rawValue ?? 0]
        case .databaseHash: databaseHash.value
        }
    }
}
