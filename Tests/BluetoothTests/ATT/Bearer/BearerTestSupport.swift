// SPDX-License-Identifier: MIT

public import Bluetooth
import Testing

extension Instant {
    /// A time of a test, in seconds from its start.
    static func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
}

extension ATTTransactionID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt64) { self.init(rawValue: value) }
}

extension ATTRequest {
    /// `0A`
    static func reading(_ handle: Handle) -> ATTRequest { .read(ReadRequest(handle: handle)) }

    /// `12`
    static func writing(_ handle: Handle, _ value: [UInt8]) -> ATTRequest {
        .write(WriteRequest(handle: handle, value: value))
    }

    /// `02`
    static func offeringMTU(_ size: UInt16) -> ATTRequest { .exchangeMTU(ExchangeMTURequest(clientRxMTU: size)) }

    /// `10`, primary services of the whole database.
    static let discovering = ATTRequest.readByGroupType(ReadByGroupTypeRequest(range: .all, groupType: 0x2800))
}

extension ATTBearer.Action {
    /// The action that sends the octets.
    static func sends(_ hex: String) -> ATTBearer.Action { .send(octets(hex)) }

    /// The action that completes a read with a value.
    static func completedRead(_ id: ATTTransactionID, _ hex: String) -> ATTBearer.Action {
        .completed(id, .success(.read(ReadResponse(value: octets(hex)))))
    }

    /// The action that fails a request or an indication.
    static func failed(_ id: ATTTransactionID, _ failure: ATTFailure) -> ATTBearer.Action {
        .completed(id, .failure(failure))
    }
}

extension ATTBearer {
    /// Receives a PDU in hexadecimal.
    mutating func received(_ hex: String, at now: Instant = .zero) -> [Action] {
        pduReceived(octets(hex), now: now)
    }

    /// A bearer whose client has exchanged the MTU at time zero.
    static func exchanged(_ mtu: UInt16, server: Server = .none) -> ATTBearer {
        var bearer = ATTBearer(server: server)
        _ = bearer.submit(.offeringMTU(517), id: 1000, now: .zero)
        _ = bearer.pduReceived(ExchangeMTUResponse(serverRxMTU: mtu).encoded(), now: .zero)
        return bearer
    }
}
