// SPDX-License-Identifier: MIT

/// A write, or an executed queue of prepared writes, while the application processes it.
struct WritePlan: Sendable {
    /// A value that the server stores after all parts were accepted.
    struct Commit: Hashable, Sendable {
        var attribute: GATTAttribute
        var value: [UInt8]
    }

    /// The request to answer; `nil` for a command.
    let request: ATTRequest?
    let kind: GATTServer.WriteContext.Kind
    /// The parts that the application has not accepted yet.
    var remaining: ArraySlice<PreparedWrites.Part> = []
    /// The values that the server will store, one for each attribute.
    private(set) var commits: [Commit] = []

    init(_ kind: GATTServer.WriteContext.Kind, answering request: ATTRequest?) {
        self.kind = kind
        self.request = request
    }

    /// The response after all parts were accepted.
    var success: ATTResponse {
        kind == .prepared ? .executeWrite(ExecuteWriteResponse()) : .write(WriteResponse())
    }
}

extension WritePlan {
    /// Adds a part of a value. Returns an error if the client may not write there, or the part lies outside of the
    /// value's possible length.
    mutating func add(
        _ part: PreparedWrites.Part,
        in server: GATTServer,
        from client: GATTServer.ClientID
    ) -> ATTErrorCode? {
        guard let attribute = server.database[part.handle] else {
            // An attribute that existed when the part was prepared has been removed meanwhile.
            return kind == .prepared ? .databaseOutOfSync : .invalidHandle
        }
        if let error = server.writeRefusal(of: part.handle, from: client) { return error }
        if case .handler = attribute.storage {
            let longest = attribute.lengths.upperBound
            guard part.offset <= longest else { return .invalidOffset }
            guard part.offset + part.value.count <= longest else { return .invalidAttributeValueLength }
            remaining.append(part)
            return nil
        }
        guard kind == .prepared else {
            commits.append(Commit(attribute: attribute, value: part.value))
            return nil
        }
        let index = commits.firstIndex { $0.attribute.handle == part.handle }
        let before = index.map { commits[$0].value } ?? server.ownValue(of: attribute, for: client) ?? []
        switch part.spliced(into: before, lengths: attribute.lengths) {
        case .failure(let refusal):
            return refusal.code
        case .success(let value):
            if let index {
                commits[index].value = value
            } else {
                commits.append(Commit(attribute: attribute, value: value))
            }
            return nil
        }
    }

    /// The first value that its attribute cannot have, with the error.
    func refusal(in server: GATTServer, from client: GATTServer.ClientID) -> (Handle, ATTErrorCode)? {
        for commit in commits {
            guard let error = commit.refusal(in: server, from: client) else { continue }
            return (commit.attribute.handle, error)
        }
        return nil
    }
}

extension WritePlan.Commit {
    fileprivate func refusal(in server: GATTServer, from client: GATTServer.ClientID) -> ATTErrorCode? {
        guard attribute.lengths.contains(value.count) else { return .invalidAttributeValueLength }
        switch attribute.storage {
        case .stored, .handler:
            return nil
        case .clientConfiguration(_, let supported):
            return ClientConfiguration(decoding: value).isSubset(of: supported) ? nil : .valueNotAllowed
        case .clientSupportedFeatures:
            // A bit that was set stays set. Spec: Core 5.4, Vol 3, Part G, 7.2
            let old = server.clients[client]?.features ?? []
            return old.isSubset(of: ClientFeatures(decoding: value)) ? nil : .valueNotAllowed
        case .fixed, .databaseHash:
            return .writeNotPermitted
        }
    }
}

extension GATTAttribute {
    /// The permitted lengths of a written value, in octets.
    var lengths: ClosedRange<Int> {
        switch storage {
        case .stored(_, let lengths): lengths.clamped(to: 0...GATTLimits.maximumValueLength)
        case .handler(let maximum): 0...max(0, min(maximum, GATTLimits.maximumValueLength))
        case .clientConfiguration: 2...2
        // The value is an array of octets, of which a later version may define more.
        case .clientSupportedFeatures: 1...GATTLimits.maximumValueLength
        case .fixed, .databaseHash: 0...GATTLimits.maximumValueLength
        }
    }
}

extension ClientConfiguration {
    /// Decodes a written descriptor; bits without a meaning are ignored.
    init(decoding value: [UInt8]) {
        self = ClientConfiguration(rawValue: UInt16(value.first ?? 0)).intersection([.notification, .indication])
    }
}

extension ClientFeatures {
    /// Decodes a written value; bits without a meaning are ignored.
    init(decoding value: [UInt8]) {
        self = ClientFeatures(rawValue: value.first ?? 0).intersection(.known)
    }
}
