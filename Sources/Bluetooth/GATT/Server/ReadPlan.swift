// SPDX-License-Identifier: GPL-2.0-or-later

/// A request that reads, with the values found so far. Permissions were checked before the plan was made.
struct ReadPlan: Sendable {
    /// Which request it is.
    enum Kind: Hashable, Sendable {
        case read
        case blob(offset: Int)
        case multiple
        case multipleVariable
        case byType
    }

    let kind: Kind
    let request: ATTRequest
    /// What is still to be read.
    private(set) var remaining: ArraySlice<Handle>
    /// What was read.
    private(set) var entries: [HandleValue] = []

    init(_ kind: Kind, _ request: ATTRequest, handles: [Handle]) {
        self.kind = kind
        self.request = request
        remaining = handles[...]
    }

    /// From where on the client wants the value.
    var offset: Int {
        if case .blob(let offset) = kind { return offset }
        return 0
    }

    /// Takes the next value; a list of equal lengths ends before one that differs, and where the next would not fit.
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
        if (entries.count + 1) * (entry.value.count + 2) > mtu - 2 { remaining = [] }
    }

    /// The next value cannot be had. Whether the list ends before it and is the answer; an error otherwise.
    mutating func endBeforeNext() -> Bool {
        guard kind == .byType, !entries.isEmpty else { return false }
        remaining = []
        return true
    }

    /// The answer when all values are there.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4
    func answer(mtu: UInt16) -> ATTAnswer {
        let room = Int(mtu) - 1
        let first = entries.first?.value ?? []
        switch kind {
        case .read:
            return .success(.read(ReadResponse(value: Array(first.prefix(room)))))
        case .blob(let offset):
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

    /// The longest value in a list.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.2
    static func listedLength(mtu: Int) -> Int { min(mtu - 4, GATTLimits.maximumListedValueLength) }
}
