// SPDX-License-Identifier: MIT

/// Reads several values of known lengths at once; the answer does not separate them.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.8.4
public struct ReadMultipleValues: GATTProcedure {
    /// The values in the order of the handles.
    public struct Output: Hashable, Sendable {
        /// The octets of all values, concatenated.
        public let values: [UInt8]
        /// Whether the answer has its maximum length, so that the last values may be cut.
        public let mayBeCut: Bool
    }

    private let handles: [Handle]

    /// Reads the attributes with those handles: two at least, and no more than a request has room for.
    public init(_ handles: [Handle]) { self.handles = handles }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<Output> {
        // The opcode takes one octet of the request, each handle two.
        guard handles.count <= (Int(mtu) - 1) / 2, let request = ReadMultipleRequest(handles: handles) else {
            return .failed(.unsuitableHandleCount(handles.count))
        }
        return .send(.readMultiple(request))
    }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Output> {
        switch answer {
        case .success(.readMultiple(let response)):
            return .done(Output(values: response.values, mayBeCut: response.values.count >= Int(mtu) - 1))
        case .success(let response):
            return .failed(.invalidResponse(.unexpected(response.opcode)))
        case .failure(let error):
            return .failed(.refused(error))
        }
    }
}

/// Reads several values of any length at once.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.8.5; Vol 3, Part F, 3.4.4.11 and 3.4.4.12
public struct ReadVariableValues: GATTProcedure {
    private let handles: [Handle]

    /// Reads the attributes with those handles: two at least, and no more than a request has room for.
    public init(_ handles: [Handle]) { self.handles = handles }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<[GATTReadValue]> {
        // The opcode takes one octet of the request, each handle two.
        guard handles.count <= (Int(mtu) - 1) / 2, let request = ReadMultipleVariableRequest(handles: handles) else {
            return .failed(.unsuitableHandleCount(handles.count))
        }
        return .send(.readMultipleVariable(request))
    }

    /// The complete values, then the received part of the one that the MTU cut. The values after that one are missing.
    ///
    /// A server that cuts a value may send the length of the part in place of the length of the value. The last value
    /// of a full answer may therefore be cut, although it seems to be complete.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<[GATTReadValue]> {
        switch answer {
        case .success(.readMultipleVariable(let response)):
            let count = response.values.count + (response.isCut ? 1 : 0)
            let octets = response.encoded().count
            let mayBeShort = response.isCut || octets >= Int(mtu) - 1
            guard count == handles.count || (count < handles.count && mayBeShort) else {
                return .failed(.invalidResponse(.valueCount(count, asked: handles.count)))
            }
            var values = zip(handles, response.values).map { GATTReadValue(handle: $0, value: $1, mayBeCut: false) }
            if !response.isCut, octets >= Int(mtu), let last = values.popLast() {
                values.append(GATTReadValue(handle: last.handle, value: last.value, mayBeCut: true))
            }
            if response.isCut {
                // The length may be cut as well: then there is no octet of the value.
                let rest = Array(response.cutTuple.dropFirst(2))
                values.append(GATTReadValue(handle: handles[values.count], value: rest, mayBeCut: true))
            }
            return .done(values)
        case .success(let response):
            return .failed(.invalidResponse(.unexpected(response.opcode)))
        case .failure(let error):
            return .failed(.refused(error))
        }
    }
}
