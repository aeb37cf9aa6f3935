// SPDX-License-Identifier: MIT

/// A value as far as a server gives it, read in one or more parts.
public struct GATTLongValue: Hashable, Sendable {
    /// The octets from the first one on, 0 to 512.
    public let value: [UInt8]
    /// Whether octets may be missing, because the server offers more than the 512 octets that a value can have, or does
    /// not let values be read in parts.
    public let isCut: Bool

    /// Creates a value of at most 512 octets.
    public init(value: [UInt8], isCut: Bool) {
        self.value = value
        self.isCut = isCut
    }
}

/// Reads a value of any length: the first part with Read, the rest with Read Blob, until a part is shorter than it
/// could be. It can also continue after a first part that another procedure has read.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.8.3 and 4.12.2
public struct ReadLongValue: GATTProcedure {
    private let handle: Handle
    private var value: [UInt8]

    /// Reads the attribute with that handle, after the octets that are known.
    ///
    /// The known octets must come from a Read with the same MTU. A server may refuse to continue a value that fits into
    /// one Read Response (Attribute Not Long), even if another procedure or a smaller MTU has cut it.
    public init(_ handle: Handle, knowing value: [UInt8] = []) {
        self.handle = handle
        self.value = value
    }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<GATTLongValue> {
        if value.isEmpty { return .send(.read(ReadRequest(handle: handle))) }
        return step()
    }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<GATTLongValue> {
        switch answer {
        case .success(.read(let response)) where value.isEmpty:
            return take(response.value, mtu: mtu)
        case .success(.readBlob(let response)) where !value.isEmpty:
            return take(response.value, mtu: mtu)
        case .success(let response):
            return .failed(.invalidResponse(.unexpected(response.opcode)))
        case .failure(let error):
            guard !value.isEmpty else { return .failed(.refused(error)) }
            switch error.code {
            // The last part was as long as it could be, and the value ends with it.
            case .invalidOffset, .attributeNotLong: return .done(GATTLongValue(value: value, isCut: false))
            // A server without Read Blob does not show whether the value goes on.
            case .requestNotSupported: return .done(GATTLongValue(value: value, isCut: true))
            default: return .failed(.refused(error))
            }
        }
    }

    /// A part may be longer than the MTU allows, because a server may keep to an MTU that another program agreed on.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.4 and 3.4.4.6
    private mutating func take(_ part: [UInt8], mtu: UInt16) -> GATTStep<GATTLongValue> {
        let longest = max(1, Int(mtu) - 1)
        value += part
        let isLast = part.count < longest
        return isLast && value.count <= GATTLimits.maximumValueLength
            ? .done(GATTLongValue(value: value, isCut: false)) : step()
    }

    /// Spec: Core 5.4, Vol 3, Part F, 3.2.9: no value is longer than 512 octets.
    private func step() -> GATTStep<GATTLongValue> {
        guard value.count < GATTLimits.maximumValueLength else {
            let isCut = value.count > GATTLimits.maximumValueLength
            return .done(GATTLongValue(value: Array(value.prefix(GATTLimits.maximumValueLength)), isCut: isCut))
        }
        return .send(.readBlob(ReadBlobRequest(handle: handle, offset: UInt16(value.count))))
    }
}
