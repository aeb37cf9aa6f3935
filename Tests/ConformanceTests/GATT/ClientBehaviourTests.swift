// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

/// Requirements of the test suite for clients that no public transcript contains.
@Suite("GATT client behaviour", .timeLimit(.minutes(15)))
struct ClientBehaviourTests {
    /// Connects a client to a wire, with the test at its other end.
    private func connect(
        over wire: Wire,
        _ body: @escaping @Sendable (ATTConnection, any OtherEnd) async throws -> Void
    ) async throws {
        let (ours, theirs) = try wire.connect(mtu: 64)
        try await withTaskScope { scope in
            let connection = ATTConnection.start(ours, scope: scope, time: PatientTime())
            defer {
                connection.close()
                theirs.close()
            }
            try await body(connection, theirs)
        }
    }

    /// Expects requests at the other end, and answers them.
    private static func answer(_ server: any OtherEnd, _ turns: [(request: String, answer: String)]) async throws {
        for turn in turns {
            #expect(Hex.string(try await server.receive()) == Hex.string(octets(turn.request)))
            try server.send(octets(turn.answer))
        }
    }

    private static func text(_ event: ValueEvent) -> String {
        "\(event.kind) \(event.handle) \(Hex.string(event.value))"
    }

    @Test("after the exchange a part of a long write fills the MTU (GAC/CL/BV-01)", arguments: Wire.allCases)
    func fillsTheMTU(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            let value = [UInt8](repeating: 7, count: 80)
            async let refused = Self.refusal { try await connection.perform(WriteLongValue(value, to: 3)) }
            // Before the exchange the MTU is 23, and a part has 18 octets.
            let first = try await server.receive()
            #expect(first.count == 23)
            try server.send([0x01, 0x16, 0x03, 0x00, 0x03])
            try await Self.answer(server, [("18 00", "19")])
            let code = await refused
            #expect(code == "03")

            async let exchanged = connection.exchangeMTU()
            try await Self.answer(server, [("02 4000", "03 3000")])
            let mtu = try await exchanged
            #expect(mtu == 0x30)
            async let again: Void = connection.perform(WriteLongValue(value, to: 3))
            let part = Hex.string(value.prefix(0x30 - 5))
            let rest = Hex.string(value.dropFirst(0x30 - 5))
            try await Self.answer(
                server,
                [
                    ("16 0300 0000 \(part)", "17 0300 0000 \(part)"), ("16 0300 2b00 \(rest)", "17 0300 2b00 \(rest)"),
                    ("18 01", "19"),
                ]
            )
            try await again
        }
    }

    @Test("two indications at a time are both taken, and both confirmed (GAI/CL/BI-01)", arguments: Wire.allCases)
    func confirmsEveryIndication(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            let values = await connection.values()
            try server.send(octets("1d 0300 01"))
            try server.send(octets("1d 0300 02"))
            try server.send(octets("1d 0300 03"))
            for _ in 0..<3 { #expect(Hex.string(try await server.receive()) == "1e") }
            var told: [String] = []
            for _ in 0..<3 { told.append(Self.text(try await values.next())) }
            #expect(told == ["indication 0x0003 01", "indication 0x0003 02", "indication 0x0003 03"])
            // The client has sent nothing else, and further requests work.
            async let read = connection.perform(ReadValue(3)).value
            try await Self.answer(server, [("0a 0300", "0b 07")])
            let value = try await read
            #expect(value == [7])
        }
    }

    @Test(
        "values come by notification, by indication, and several at once (GAN/CL/BV-01, BV-02, GAI/CL/BV-01)",
        arguments: Wire.allCases
    )
    func takesValues(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            let values = await connection.values()
            async let on: Void = connection.perform(WriteValue([1, 0], to: 4))
            try await Self.answer(server, [("12 0400 0100", "13")])
            try await on
            try server.send(octets("1b 0300 0102"))
            try server.send(octets("23 0300 0100 aa 0600 0200 bbcc 0900 0000"))
            try server.send(octets("1d 0600 03"))
            var told: [String] = []
            for _ in 0..<5 { told.append(Self.text(try await values.next())) }
            #expect(
                told == [
                    "notification 0x0003 0102", "notification 0x0003 aa", "notification 0x0006 bbcc",
                    "notification 0x0009 ", "indication 0x0006 03",
                ]
            )
            #expect(Hex.string(try await server.receive()) == "1e")
        }
    }

    @Test("Service Changed is confirmed (GAS/CL/BV-01)", arguments: Wire.allCases)
    func confirmsServiceChanged(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            // During another procedure, and without a request.
            async let read = connection.perform(ReadValue(3)).value
            #expect(Hex.string(try await server.receive()) == "0a0300")
            try server.send(octets("1d 0300 0a00 ffff"))
            #expect(Hex.string(try await server.receive()) == "1e")
            try server.send(octets("0b 07"))
            let value = try await read
            #expect(value == [7])
        }
    }

    @Test("the hash is read by its UUID over all handles (GAS/CL/BV-02)", arguments: Wire.allCases)
    func readsTheHash(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            async let hash = connection.perform(ReadByUUID(.databaseHash)).first?.value
            let value = "000102030405060708090a0b0c0d0e0f"
            try await Self.answer(server, [("08 0100 ffff 2a2b", "09 12 0800 \(value)")])
            let read = try await hash
            #expect(read.map { Hex.string($0) } == value)
        }
    }

    @Test(
        "several values of different lengths are read at once (GAR/CL/BV-08, BI-36 and others)",
        arguments: Wire.allCases
    )
    func readsVariableValues(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            async let values = connection.perform(ReadVariableValues([3, 5]))
            try await Self.answer(server, [("20 0300 0500", "21 0200 aabb 0100 cc")])
            let read = try await values
            #expect(read.map(\.value) == [[0xAA, 0xBB], [0xCC]])
            for code in ["02", "01", "08", "05", "0c"] {
                async let refused = connection.perform(ReadVariableValues([3, 5]))
                try await Self.answer(server, [("20 0300 0500", "01 20 0500 \(code)")])
                do {
                    _ = try await refused
                    Issue.record("it ought to be refused")
                } catch GATTError.refused(let error) {
                    #expect(error.handle == 5 && Hex.string([error.code.rawValue]) == code)
                }
            }
        }
    }

    /// The errors for each operation that a server can send. The transcripts contain only some.
    private static let refusals:
        [(cases: String, request: String, codes: [String], run: @Sendable (ATTConnection) async throws -> Void)] = [
            ("GAR/CL/BI-01…05", "0a 0300", ["02", "01", "08", "05", "0c"], { _ = try await $0.perform(ReadValue(3)) }),
            (
                "GAR/CL/BI-06, 07, 09…11", "08 0100 ffff 002a", ["02", "0a", "01", "08", "05", "0c"],
                { _ = try await $0.perform(ReadByUUID(0x2A00)) }
            ),
            (
                "GAR/CL/BI-12…17", "0c 0300 1600", ["02", "01", "08", "05", "0c"],
                { _ = try await $0.perform(ReadLongValue(3, knowing: [UInt8](repeating: 7, count: 22))) }
            ),
            (
                "GAR/CL/BI-18…22", "0e 0300 0500", ["02", "01", "08", "05", "0c"],
                { _ = try await $0.perform(ReadMultipleValues([3, 5])) }
            ),
            ("GAR/CL/BI-34, 35", "0a 0300", ["80", "9f", "fc", "fd"], { _ = try await $0.perform(ReadValue(3)) }),
            (
                "GAW/CL/BI-02…06", "12 0300 07", ["01", "03", "08", "05", "0c"],
                { try await $0.perform(WriteValue([7], to: 3)) }
            ),
        ]

    @Test("every refusal fails its operation, with its code", arguments: refusals.indices, Wire.allCases)
    func tellsRefusals(row: Int, over wire: Wire) async throws {
        let (_, request, codes, run) = Self.refusals[row]
        try await connect(over: wire) { connection, server in
            for code in codes {
                async let outcome = Self.refusal { try await run(connection) }
                let opcode = request.prefix(2)
                try await Self.answer(server, [(request, "01 \(opcode) 0300 \(code)")])
                let refused = await outcome
                #expect(refused == code, "\(request)")
            }
        }
    }

    @Test(
        "every refusal ends a long write, and nothing stays prepared (GAW/CL/BI-07…13, 14…19)",
        arguments: Wire.allCases
    )
    func tellsRefusalsOfLongWrites(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            for code in ["01", "03", "07", "08", "05", "0c"] {
                for isReliable in [false, true] {
                    async let outcome = Self.refusal { try await Self.write([7], reliably: isReliable, on: connection) }
                    try await Self.answer(server, [("16 0300 0000 07", "01 16 0300 \(code)"), ("18 00", "19")])
                    let refused = await outcome
                    #expect(refused == code)
                    async let executed = Self.refusal {
                        try await Self.write([7], reliably: isReliable, on: connection)
                    }
                    try await Self.answer(
                        server,
                        [("16 0300 0000 07", "17 0300 0000 07"), ("18 01", "01 18 0300 \(code)")]
                    )
                    let refusedAtLast = await executed
                    #expect(refusedAtLast == code)
                }
            }
        }
    }

    @Test("an echo that differs cancels a reliable write (GAW/CL/BI-32)", arguments: Wire.allCases)
    func cancelsReliableWrites(over wire: Wire) async throws {
        try await connect(over: wire) { connection, server in
            async let outcome: Void = Self.write([7], reliably: true, on: connection)
            try await Self.answer(server, [("16 0300 0000 07", "17 0300 0000 08"), ("18 00", "19")])
            do {
                try await outcome
                Issue.record("the echo ought to be noticed")
            } catch GATTError.invalidResponse(.echoDiffers(let handle, let offset)) {
                #expect(handle == 3 && offset == 0)
            }
        }
    }

    private static func write(_ value: [UInt8], reliably isReliable: Bool, on connection: ATTConnection) async throws {
        if isReliable {
            try await connection.perform(ReliableWrite([HandleValue(3, value)]))
        } else {
            try await connection.perform(WriteLongValue(value, to: 3))
        }
    }

    /// The code with which an operation is refused; `nil` if it succeeds.
    private static func refusal(_ operation: @Sendable () async throws -> Void) async -> String? {
        do {
            try await operation()
        } catch GATTError.refused(let error) {
            return Hex.string([error.code.rawValue])
        } catch {
            Issue.record(error)
        }
        return nil
    }
}
