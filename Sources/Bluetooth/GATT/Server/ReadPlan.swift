// SPDX-License-Identifier: MIT

/// A read request with the values found so far. Permissions are checked before the plan is made.
struct ReadPlan: Sendable {
    enum Kind: Hashable, Sendable {
        case read
        case blob(offset: Int)
        case multiple
        case multipleVariable
        case byType
    }

    let kind: Kind
    let request: ATTRequest
    /// The attributes not read yet.
    private(set) var remaining: ArraySlice<Handle>
    private(set) var entries: [HandleValue] = []

    init(_ kind: Kind, _ request: ATTRequest, handles: [Handle]) {
        self.kind = kind
        self.request = request
        remaining = handles[...]
    }

    /// The offset in octets at which the client reads.
    var offset: Int {
        if case .blob(let offset) = kind { return offset }
        return 0
    }

    /// The next value as one that is read in parts; `nil` if the answer has room for its end, or for several values.
    func begun(_ value: [UInt8], mtu: Int) -> GATTServerBearer.BegunRead? {
        switch kind {
        case .read, .blob: break
        case .multiple, .multipleVariable, .byType: return nil
        }
        // A part that is full may be the last one, which the client finds out by another request.
        guard let handle = remaining.first, value.count >= offset + mtu - 1 else { return nil }
        return GATTServerBearer.BegunRead(handle: handle, value: value, offset: offset)
    }

    /// Takes the next value. A list holds values of one length only, so it ends before a different one, or when it is
    /// full.
    mutating func take(_ value: [UInt8], mtu: Int) {
        guard let handle = remaining.popFirst() else { return }
        guard kind == .byType else {
            entries.append(HandleValue(handle, value))
            return
        }
        let entry = HandleValue(handle, Array(value.prefix(Self.listedLength(mtu: mtu))))
        if let first = entries.first, first.value.count != entry.value.count {
            remaining = []
            return
        }
        entries.append(entry)
        // The opcode and the length take two octets, and each entry has a handle.
        if (entries.count + 1) * (entry.value.count + 2) > mtu - 2 { remaining = [] }
    }

    /// Ends a list before a value that cannot be read. Returns `false` if that is an error, because there is no list.
    mutating func endBeforeNext() -> Bool {
        guard kind == .byType, !entries.isEmpty else { return false }
        remaining = []
        return true
    }

    /// The answer after all values were taken.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4
    func answer(mtu: UInt16) -> ATTAnswer {
        let room = Int(mtu) - 1
        let first = entries.first?.value ?? []
        switch kind {
        case .read:
            return .success(.read(ReadResponse(value: Array(first.prefix(room)))))
        case .blob(let offset):
            // An offset at the end reads no octets, so that a client can find out where the value ends.
            guard offset <= first.count else { return .failure(request.refused(.invalidOffset)) }
            return .success(.readBlob(ReadBlobResponse(value: Array(first[offset...].prefix(room)))))
        case .multiple:
            let values = entries.flatMap(\.value).prefix(room)
            return .success(.readMultiple(ReadMultipleResponse(values: Array(values))))
        case .multipleVariable:
            guard let response = ReadMultipleVariableResponse(values: entries.map(\.value), mtu: mtu) else {
                return .failure(request.refused(.unlikelyError))
            }
            return .success(.readMultipleVariable(response))
        case .byType:
            guard let response = ReadByTypeResponse(entries: entries) else {
                return .failure(request.refused(.attributeNotFound))
            }
            return .success(.readByType(response))
        }
    }

    /// The longest value in a list, in octets: the opcode, the length and the handle take four octets of the PDU.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.2
    static func listedLength(mtu: Int) -> Int { min(mtu - 4, GATTLimits.maximumListedValueLength) }
}
