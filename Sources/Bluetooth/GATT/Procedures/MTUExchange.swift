// SPDX-License-Identifier: MIT

/// Agrees on the maximum length of PDUs: the smaller of the two sides' limits, and at least 23 octets.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.3.1
public struct MTUExchange: GATTProcedure {
    /// The MTU of every LE bearer before the exchange, in octets.
    public static let minimum: UInt16 = ATTBearer.minimumMTU

    private let offered: UInt16

    /// Offers the largest MTU that this side can receive, in octets; less than 23 counts as 23.
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
        // Every error leaves the MTU in force. A server may refuse because it has agreed on one already, with another
        // program that used the link before.
        case .failure:
            return .done(max(Self.minimum, mtu))
        }
    }
}
