// SPDX-License-Identifier: MIT

/// A value as one answer contains it.
public struct GATTReadValue: Hashable, Sendable {
    /// The attribute's handle.
    public let handle: Handle
    /// The value, or its first part.
    public let value: [UInt8]
    /// Whether the answer has its maximum length, so that the value may continue. `ReadLongValue` reads the rest.
    public let mayBeCut: Bool

    /// Creates the value of the attribute with that handle.
    public init(handle: Handle, value: [UInt8], mayBeCut: Bool) {
        self.handle = handle
        self.value = value
        self.mayBeCut = mayBeCut
    }
}

/// Reads a characteristic's value or a descriptor with one request.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.8.1 and 4.12.1
public struct ReadValue: GATTProcedure {
    private let handle: Handle

    /// Reads the attribute with that handle.
    public init(_ handle: Handle) { self.handle = handle }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<GATTReadValue> {
        .send(.read(ReadRequest(handle: handle)))
    }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<GATTReadValue> {
        switch answer {
        case .success(.read(let response)):
            let mayBeCut = response.value.count >= Int(mtu) - 1
            return .done(GATTReadValue(handle: handle, value: response.value, mayBeCut: mayBeCut))
        case .success(let response):
            return .failed(.invalidResponse(.unexpected(response.opcode)))
        case .failure(let error):
            return .failed(.refused(error))
        }
    }
}
