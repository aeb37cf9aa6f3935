// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

/// Requirements of the test suite for servers that no public transcript contains.
@Suite("GATT server behaviour", .timeLimit(.minutes(15)))
struct ServerBehaviourTests {
    private func serve(over wire: Wire, _ body: @escaping @Sendable (Served) async throws -> Void) async throws {
        try await serving(try BehaviourDevice.definition(), over: wire, body)
    }

    @Test(
        "a second request before the first response is answered after it (GAR/SR/BI-45)",
        arguments: Wire.allCases
    )
    func answersPipelinedRequests(over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect("0a 0d00", "0a 1700", answers: ["0b 11", "0b 22"])
            try await served.expect(
                "0a 0d00",
                "0a 9900",
                "12 0d00 33",
                "0a 0d00",
                answers: ["0b 11", "01 0a 9900 01", "13", "0b 33"]
            )
            // And the device accepts another connection.
            served.client.close()
            try await served.expect("0a 0d00", answers: ["0b 33"], from: try served.connect())
        }
    }

    @Test("a value too long is refused by its length (GAW/SR/BI-32, BI-33)", arguments: Wire.allCases)
    func refusesLongValues(over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect("12 0d00 3344", answers: ["01 12 0d00 0d"])
            try await served.expect("16 0d00 0000 3344", answers: ["17 0d00 0000 3344"])
            try await served.expect("18 01", answers: ["01 18 0d00 0d"])
            try await served.expect("16 0d00 0000 33", answers: ["17 0d00 0000 33"])
            try await served.expect("16 0d00 0100 44", answers: ["17 0d00 0100 44"])
            try await served.expect("18 01", answers: ["01 18 0d00 0d"])
            try await served.expect("0a 0d00", answers: ["0b 11"])
        }
    }

    @Test(
        "a value too long in a command changes nothing, and gets no response (GAW/SR/BI-39, BI-40)",
        arguments: ["52 0d00 3344", "52 0d00", "d2 0d00 3344 00000000 0102030405060708"],
        Wire.allCases
    )
    func ignoresLongValuesInCommands(command: String, over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect(command, answers: [])
            try await served.expect("0a 0d00", answers: ["0b 11"])
            // The same request with one octet succeeds if the attribute is writable.
            guard command.hasPrefix("52") else { return }
            try await served.expect("52 0d00 33", "0a 0d00", answers: ["0b 33"])
        }
    }

    @Test("a signature that cannot be checked is ignored (GAW/SR/BI-01)", arguments: Wire.allCases)
    func ignoresSignatures(over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect("d2 0d00 33 00000000 0102030405060708", answers: [])
            try await served.expect("0a 0d00", answers: ["0b 11"])
        }
    }

    @Test("an attribute removed between Prepare and Execute is out of sync (GAW/SR/BI-41)", arguments: Wire.allCases)
    func noticesRemovedAttributes(over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect("16 1700 0000 33", answers: ["17 1700 0000 33"])
            try await served.expect("12 0b00 01", answers: ["13"])
            try await served.expect("18 01", answers: ["01 18 1700 12"])
            try await served.expect("12 0b00 00", answers: ["13"])
            try await served.expect("18 01", answers: ["19"])
            try await served.expect("0a 1700", answers: ["0b 22"])
        }
    }

    /// Prepares a client with robust caching, and a change of the database by another client.
    private func serveUnaware(
        subscribed isSubscribed: Bool = false,
        over wire: Wire,
        _ body: @escaping @Sendable (Served) async throws -> Void
    ) async throws {
        try await serve(over: wire) { served in
            try await served.expect("12 0600 01", answers: ["13"])
            if isSubscribed { try await served.expect("12 0400 0200", answers: ["13"]) }
            let other = try served.connect()
            try await served.expect("12 0b00 01", answers: ["13"], from: other)
            try await body(served)
        }
    }

    @Test(
        "the first request by handle after a change is out of sync, the next is not (GAS/SR/BV-05)",
        arguments: Wire.allCases
    )
    func tellsOfAChangeOnce(over wire: Wire) async throws {
        try await serveUnaware(over: wire) { served in
            try served.client.send(octets("0a 0d00"))
            #expect(Hex.string(try await served.client.receive()) == "010a0d0012")
            try await served.expect("0a 0d00", answers: ["0b 11"])
        }
    }

    @Test("commands of a client that is not aware are ignored (GAS/SR/BV-06)", arguments: Wire.allCases)
    func ignoresCommandsOfTheUnaware(over wire: Wire) async throws {
        try await serveUnaware(over: wire) { served in
            try served.client.send(octets("52 0d00 33"))
            try served.client.send(octets("0a 0d00"))
            #expect(Hex.string(try await served.client.receive()) == "010a0d0012")
            try await served.expect("0a 0d00", answers: ["0b 11"])
            try await served.expect("52 0d00 33", "0a 0d00", answers: ["0b 33"])
        }
    }

    @Test("an enabled feature stays enabled (GAS/SR/BV-07)", arguments: Wire.allCases)
    func keepsClaimedFeatures(over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect("12 0600 05", answers: ["13"])
            for cleared in ["00", "01", "04"] {
                try await served.expect("12 0600 \(cleared)", answers: ["01 12 0600 13"])
            }
            try await served.expect("0a 0600", answers: ["0b 05"])
        }
    }

    @Test(
        "reading the hash by UUID makes a client aware, by handle it is out of sync (GAS/SR/BV-07)",
        arguments: Wire.allCases
    )
    func knowsByTheHash(over wire: Wire) async throws {
        try await serveUnaware(over: wire) { served in
            try served.client.send(octets("08 0100 ffff 2a2b"))
            let hash = Hex.string(try await served.client.receive())
            #expect(hash.hasPrefix("09120800") && hash.count == 2 * 20)
            try await served.expect("0a 0d00", answers: ["0b 11"])
        }
        try await serveUnaware(over: wire) { served in
            try served.client.send(octets("0a 0800"))
            #expect(Hex.string(try await served.client.receive()) == "010a080012")
        }
    }

    @Test(
        "Service Changed makes a client aware when it is confirmed (GAS/SR/BV-01, BV-08)",
        arguments: Wire.allCases
    )
    func knowsByServiceChanged(over wire: Wire) async throws {
        for isConfirmed in [true, false] {
            try await serveUnaware(subscribed: true, over: wire) { served in
                #expect(Hex.string(try await served.client.receive()) == "1d030015001700")
                if isConfirmed { try served.client.send([0x1E]) }
                try served.client.send(octets("0a 0d00"))
                #expect(Hex.string(try await served.client.receive()) == (isConfirmed ? "0b11" : "010a0d0012"))
            }
        }
    }

    @Test(
        "values are notified or indicated as the client has subscribed (GAN/SR/BV-01, GAI/SR/BV-01)",
        arguments: Wire.allCases
    )
    func tellsValues(over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect("12 0f00 aa", answers: ["13"])
            try await served.expect("12 1000 0100", answers: ["13"])
            try await served.expect("12 0f00 bb", answers: ["13", "1b 0f00 bb"])
            try await served.expect("12 1000 0200", answers: ["13"])
            // The second one waits until the first is confirmed.
            try await served.expect("12 0f00 cc", answers: ["13", "1d 0f00 cc"])
            try await served.expect("12 0f00 dd", answers: ["13"])
            try await served.expect("1e", answers: ["1d 0f00 dd"])
            try await served.expect("1e", answers: [])
        }
    }

    @Test("the presentation format of a value can be read (GPA/SR/BV-11, BV-12)", arguments: Wire.allCases)
    func showsFormats(over wire: Wire) async throws {
        try await serve(over: wire) { served in
            try await served.expect("04 1300 1400", answers: ["05 01 1300 0429 1400 0529"])
            try await served.expect("0a 1300", answers: ["0b 0efbac27010000"])
            try await served.expect("0a 1400", answers: ["0b 1300"])
        }
    }

    @Test(
        "unknown requests are not supported, unknown commands are ignored (UNS/SR/BI-01, BI-02)",
        arguments: Wire.allCases
    )
    func answersUnknownOpcodes(over wire: Wire) async throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        try await serve(over: wire) { served in
            var random = SeededGenerator(seed: seed)
            for opcode in UInt8.min...UInt8.max where ATTCatalog.format(of: ATTOpcode(opcode)) == nil {
                for count in [0, 1, 2, 4, 12, 21] {
                    let pdu = [opcode] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    let isCommand = opcode & 0x40 != 0
                    let answers = isCommand ? [] : ["01 \(Hex.string([opcode])) 0000 06"]
                    try await served.expect(Hex.string(pdu), answers: answers)
                }
            }
        }
    }
}
