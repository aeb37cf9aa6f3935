// SPDX-License-Identifier: GPL-2.0-or-later

/// Agrees on the length of PDUs: the smaller of what both can receive, and never below 23.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.3.1
public struct MTUExchange: GATTProcedure {
    /// The length that every LE bearer begins with.
    public static let minimum: UInt16 = 23

    private let offered: UInt16

    /// Offers the largest MTU that this side can receive.
    public init(offering offered: UInt16) { self.offered = max(Self.minimum, offered) }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<UInt16> {
        .send(.exchangeMTU(ExchangeMTURequest(clientRxMTU: offered)))
    }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<UInt16> {
        switch answer {
        case .success(.exchangeMTU(let response)):
            return .done(max(Self.minimum, min(offered, response.serverRxMTU)))
        case .success(let response):
            return .failed(.invalidResponse(.unexpected(response.opcode)))
        // Whatever the reason, what held goes on to hold. A server may refuse because it has agreed already, with another
        // program that had the link before.
        case .failure:
            return .done(max(Self.minimum, mtu))
        }
    }
}
