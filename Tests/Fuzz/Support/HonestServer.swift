// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth

/// A device that answers correctly and at once. The peers of the client targets use its answers, which the input may
/// change.
struct HonestServer {
    private(set) var server = RichDatabase.server
    private var bearer: ATTBearer
    private let client = GATTServer.ClientID(0)

    /// The value that the application returns for all reads.
    static let applicationValue: [UInt8] = [1, 2, 3]

    init(maximumMTU: UInt16 = 517) {
        bearer = ATTBearer(maximumMTU: maximumMTU, server: .attached)
        _ = server.clientConnected(client)
    }

    /// The PDUs that it sends in answer to a PDU.
    mutating func answers(to pdu: [UInt8]) -> [[UInt8]] { perform(bearer.pduReceived(pdu, now: .zero)) }

    /// The PDUs that it sends when a value has changed.
    mutating func notify(_ value: [UInt8], of handle: Handle) -> [[UInt8]] { perform(server.notify(value, of: handle)) }

    /// The PDUs that it sends when its database has changed.
    mutating func become(_ database: GATTDatabase) -> [[UInt8]] { perform(server.replaceDatabase(with: database)) }

    private mutating func perform(_ actions: [ATTBearer.Action]) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for action in actions {
            switch action {
            case .send(let bytes): sent.append(bytes)
            case .serve(let pdu):
                sent += perform(server.requestReceived(pdu, from: .init(client), mtu: bearer.mtu, security: .none))
            case .indicationConfirmed: sent += perform(server.confirmationReceived(from: client))
            case .completed, .indicationFailed, .received, .close, .report: break
            }
        }
        return sent
    }

    private mutating func perform(_ actions: [GATTServer.Action]) -> [[UInt8]] {
        var sent: [[UInt8]] = []
        for action in actions {
            switch action {
            case .respond(_, let answer): sent += perform(bearer.respond(answer))
            case .read(let token, _):
                sent += perform(server.readAnswered(token, .success(Self.applicationValue)))
            case .write(let token, _): sent += perform(server.writeAnswered(token, nil))
            case .notify(_, let value):
                sent += perform((try? bearer.submitNotification(value)) ?? [])
            case .notifySeveral(_, let values):
                sent += perform((try? bearer.submitNotification(values)) ?? [])
            case .indicate(_, let indication):
                sent += perform(bearer.submitIndication(indication, id: ATTTransactionID(rawValue: 0), now: .zero))
            case .valueWritten, .subscriptionChanged, .indicationConfirmed, .indicationDropped:
                break
            }
        }
        return sent
    }
}

/// An answer changed by the input: pairs of an index and an octet, and at the end the number of octets to add or
/// remove.
func changed(_ answer: [UInt8], by changes: [UInt8]) -> [UInt8] {
    var answer = answer
    var rest = changes[...]
    while !answer.isEmpty, rest.count >= 2, let index = rest.popFirst(), let octet = rest.popFirst() {
        answer[Int(index) % answer.count] = octet
    }
    if let last = rest.popFirst() {
        if last & 0x80 == 0 {
            answer.removeLast(min(answer.count, Int(last & 0x1F)))
        } else {
            answer += answer.suffix(Int(last & 0x3F))
        }
    }
    return answer
}
