// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import ControllerRadio

@Suite("Answers to signals")
struct SignalResponderTests {
    private static func answer(_ payload: [UInt8], as role: LERole = .central) -> [UInt8]? {
        SignalResponder.reaction(to: payload, as: role).answer?.encoded()
    }

    /// Connection Parameter Update Request with interval, latency and timeout.
    private static func request(_ minimum: UInt16, _ maximum: UInt16, _ latency: UInt16, _ timeout: UInt16) -> [UInt8] {
        var writer = ByteWriter()
        writer.append([0x12, 0x07, 0x08, 0x00])
        for value in [minimum, maximum, latency, timeout] { writer.uint16(value) }
        return writer.bytes
    }

    @Test func `a central grants parameters that are possible`() {
        let reaction = SignalResponder.reaction(to: Self.request(6, 12, 4, 100), as: .central)
        #expect(reaction.answer?.encoded() == [0x13, 0x07, 0x02, 0x00, 0x00, 0x00])
        #expect(
            reaction.parameters
                == LEConnectionParameters(
                    minimumInterval: LEInterval(rawValue: 6),
                    maximumInterval: LEInterval(rawValue: 12),
                    latency: 4,
                    supervisionTimeout: LEInterval(rawValue: 100)
                )
        )
    }

    @Test(
        arguments: [
            (5, 12, 0, 100), (12, 6, 0, 100), (6, 3_201, 0, 3_200), (6, 12, 500, 3_200), (6, 12, 0, 9),
            (6, 12, 0, 3_201),
            // The peripheral may skip 39 events of 15 ms: 40 of them, twice, are 1.2 s.
            (6, 12, 39, 120), (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF),
        ] as [(UInt16, UInt16, UInt16, UInt16)]
    )
    func `a central refuses parameters that no link can have`(
        minimum: UInt16,
        maximum: UInt16,
        latency: UInt16,
        timeout: UInt16
    ) {
        let reaction = SignalResponder.reaction(to: Self.request(minimum, maximum, latency, timeout), as: .central)
        #expect(reaction.answer?.encoded() == [0x13, 0x07, 0x02, 0x00, 0x01, 0x00])
        #expect(reaction.parameters == nil)
    }

    @Test func `the limit of the timeout is exclusive`() {
        #expect(SignalResponder.reaction(to: Self.request(6, 12, 39, 121), as: .central).parameters != nil)
    }

    @Test func `what is not understood is rejected`() {
        let rejected: [UInt8] = [0x01, 0x07, 0x02, 0x00, 0x00, 0x00]
        // Only a central grants parameters; fields are missing; the code is unknown; the lengths differ.
        #expect(Self.answer(Self.request(6, 12, 0, 100), as: .peripheral) == rejected)
        #expect(Self.answer([0x12, 0x07, 0x02, 0x00, 0x06, 0x00]) == rejected)
        #expect(Self.answer([0x77, 0x07, 0x00, 0x00]) == rejected)
        #expect(Self.answer([0x12, 0x07, 0x08, 0x00]) == rejected)
        // A request for five channels, of which this host has none (0x17).
        #expect(Self.answer([0x17, 0x07, 0x0A, 0x00] + [UInt8](repeating: 1, count: 10)) == rejected)
        #expect(Self.answer([0x77, 0x07] + [UInt8](repeating: 0, count: 63)) == [0x01, 0x07, 0x04, 0x00, 1, 0, 64, 0])
    }

    @Test func `responses, credits, and what has no identifier are not answered`() {
        #expect(Self.answer([0x13, 0x07, 0x02, 0x00, 0x00, 0x00]) == nil)
        #expect(SignalResponder.isOfChannels([0x16, 0x07, 0x04, 0x00, 0x40, 0x00, 0x01, 0x00]))
        #expect(!SignalResponder.isOfChannels([0x12, 0x07]) && !SignalResponder.isOfChannels([]))
        #expect(Self.answer([0x12, 0x00, 0x00, 0x00]) == nil)
        #expect(Self.answer([0x12, 0x07]) == nil)
        #expect(Self.answer([]) == nil)
    }
}
