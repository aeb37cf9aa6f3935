// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

/// The whole server, with channel and bearer, against every opcode with every length.
@Suite("GATT server: every opcode and every length, through the bearer", .timeLimit(.minutes(15)))
struct ServerOpcodeTests {
    /// The expected answer.
    private enum Due: Equatable {
        case nothing
        case exactly([UInt8])
        /// This response, or an error that does not concern the form of the PDU.
        case answer(ATTOpcode)
    }

    /// The valid lengths of each request. Written by hand, from Core 5.4, Vol 3, Part F, 3.4.
    private static let lengths: [UInt8: @Sendable (Int) -> Bool] = [
        0x02: { $0 == 3 }, 0x04: { $0 == 5 }, 0x06: { $0 >= 7 }, 0x08: { $0 == 7 || $0 == 21 }, 0x0A: { $0 == 3 },
        0x0C: { $0 == 5 }, 0x0E: { $0 >= 5 && $0 % 2 == 1 }, 0x10: { $0 == 7 || $0 == 21 }, 0x12: { $0 >= 3 },
        0x16: { $0 >= 5 }, 0x18: { $0 == 2 }, 0x20: { $0 >= 5 && $0 % 2 == 1 },
    ]

    private static func due(_ pdu: [UInt8]) -> Due {
        guard let opcode = pdu.first else { return .nothing }
        if let isLength = lengths[opcode] {
            // Invalid flags of Execute Write are refused like an invalid length.
            let isGood = isLength(pdu.count) && !(opcode == 0x18 && pdu[1] > 1)
            return isGood ? .answer(ATTOpcode(opcode + 1)) : .exactly([0x01, opcode, 0x00, 0x00, 0x04])
        }
        switch opcode {
        // Responses without a request, a confirmation without an indication, and notifications.
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1E, 0x21, 0x23:
            return .nothing
        // An indication, which every recipient confirms.
        case 0x1D: return .exactly([0x1E])
        // Commands, known or not.
        case _ where opcode & 0x40 != 0: return .nothing
        default: return .exactly([0x01, opcode, 0x00, 0x00, 0x06])
        }
    }

    private static func isDue(_ answer: [UInt8], _ due: Due, to pdu: [UInt8]) -> Bool {
        switch due {
        case .nothing: return false
        case .exactly(let expected): return answer == expected
        case .answer(let response):
            if answer.first == response.rawValue { return true }
            // A Prepare Write Request is refused if its echo would not fit into a PDU.
            let isEcho = pdu[0] == 0x16 && pdu.count > 23
            return answer.count == 5 && answer[0] == 0x01 && answer[1] == pdu[0]
                && !(answer[4] == 0x04 && !isEcho) && answer[4] != 0x06
        }
    }

    @Test(
        "requests get a response or the right error, other PDUs get no answer",
        arguments: [(.memory, 0x00), (.memory, 0x01), (.memory, 0xFF), (.socketPair, 0x01)] as [(Wire, UInt8)]
    )
    func answersEverything(over wire: Wire, filling: UInt8) async throws {
        try await serving(try BehaviourDevice.definition(), over: wire) { served in
            var wrong: [String] = []
            for opcode in UInt8.min...UInt8.max {
                for count in 0...23 {
                    let pdu = [opcode] + [UInt8](repeating: filling, count: count)
                    if try await !Self.isAnswered(pdu, served.client) { wrong.append(Hex.string(pdu)) }
                }
            }
            #expect(wrong == [])
        }
    }

    @Test("every PDU of two octets, and the empty one")
    func answersTwoOctets() async throws {
        try await serving(try BehaviourDevice.definition(), over: .memory) { served in
            var wrong: [String] = []
            for first in UInt8.min...UInt8.max {
                for second in UInt8.min...UInt8.max where try await !Self.isAnswered([first, second], served.client) {
                    wrong.append(Hex.string([first, second]))
                }
            }
            #expect(wrong == [])
            try served.client.send([])
            try await served.expectNothingMore()
        }
    }

    /// The answer to a request that nothing has, which follows each PDU.
    private static let farewell: [UInt8] = [0x01, 0x0A, 0x00, 0x00, 0x01]

    /// Sends a PDU, then a request with a known answer. The PDUs before that answer belong to the first PDU.
    private static func isAnswered(_ pdu: [UInt8], _ client: any OtherEnd) async throws -> Bool {
        try client.send(pdu)
        try client.send([0x0A, 0x00, 0x00])
        let due = due(pdu)
        let first = try await client.receive()
        guard due != .nothing else { return first == farewell }
        let second = try await client.receive()
        return isDue(first, due, to: pdu) && second == farewell
    }
}
