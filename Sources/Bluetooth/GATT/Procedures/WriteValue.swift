// SPDX-License-Identifier: MIT

/// Writes a characteristic's value or a descriptor with one request. A value that does not fit fails before anything is
/// sent.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.9.3 and 4.12.3
public struct WriteValue: GATTProcedure {
    private let handle: Handle
    private let value: [UInt8]

    /// Writes the attribute with that handle.
    public init(_ value: [UInt8], to handle: Handle) {
        self.handle = handle
        self.value = value
    }

    /// Subscribes to a characteristic or unsubscribes from it, through its Client Characteristic Configuration.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 4.10 and 4.11
    public init(_ configuration: ClientConfiguration, toDescriptor handle: Handle) {
        self.init(configuration.encoded, to: handle)
    }

    /// The longest value in octets that one request carries: the opcode and the handle take three octets of the MTU.
    public static func maximumLength(mtu: UInt16) -> Int { min(Int(mtu) - 3, GATTLimits.maximumValueLength) }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<Void> {
        let maximum = Self.maximumLength(mtu: mtu)
        guard value.count <= maximum else { return .failed(.valueTooLong(length: value.count, maximum: maximum)) }
        return .send(.write(WriteRequest(handle: handle, value: value)))
    }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<Void> {
        switch answer {
        case .success(.write): .done(())
        case .success(let response): .failed(.invalidResponse(.unexpected(response.opcode)))
        case .failure(let error): .failed(.refused(error))
        }
    }
}
