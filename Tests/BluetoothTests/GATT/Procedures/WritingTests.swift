// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("Write a value (Vol 3, Part G, 4.9.3)")
struct WriteValueTests {
    private func isDone(_ result: Result<Void, GATTError>) -> Bool {
        if case .success = result { return true }
        return false
    }

    @Test(
        "a value that fits is written, and no part of a longer one",
        arguments: [(23, 20), (517, 512), (600, 512)] as [(UInt16, Int)]
    )
    func writesWhatFits(mtu: UInt16, maximum: Int) throws {
        let value = [UInt8](repeating: 1, count: maximum)
        let done = try ProcedureScript.run(WriteValue(value, to: 7), mtu: mtu, ["12 0700" + Hex.string(value), "13"])
        #expect(isDone(done))
        let error = GATTError.valueTooLong(length: maximum + 1, maximum: maximum)
        guard case .failure(error) = try ProcedureScript.run(WriteValue(value + [1], to: 7), mtu: mtu, []) else {
            Issue.record("another end")
            return
        }
        #expect(throws: error) { try WriteWithoutResponse(value + [1], to: 7).command(mtu: mtu) }
        let command = try WriteWithoutResponse(value, to: 7).command(mtu: mtu)
        #expect(Hex.string(command.encoded()) == "520700" + Hex.string(value))
    }

    @Test("subscribes by writing the two octets of the descriptor")
    func subscribes() throws {
        let both: ClientConfiguration = [.notification, .indication]
        for (wanted, octets) in [
            (ClientConfiguration.notification, "0100"), (.indication, "0200"), (both, "0300"), ([], "0000"),
        ] {
            let done = try ProcedureScript.run(WriteValue(wanted, toDescriptor: 9), ["12 0900 \(octets)", "13"])
            #expect(isDone(done))
        }
    }

    @Test("a signed command needs room for its signature and a whole key")
    func signs() throws {
        let key = [UInt8](repeating: 1, count: 16)
        #expect(SignedWrite([1], to: 7, key: [1], counter: 0) == nil)
        let eight = try #require(SignedWrite([UInt8](repeating: 1, count: 8), to: 7, key: key, counter: 1))
        #expect(try eight.command(mtu: 23).encoded().count == 23)
        let nine = try #require(SignedWrite([UInt8](repeating: 1, count: 9), to: 7, key: key, counter: 1))
        #expect(throws: GATTError.valueTooLong(length: 9, maximum: 8)) { try nine.command(mtu: 23) }
    }

    @Test("two counters give two signatures")
    func signsAnew() throws {
        let key = [UInt8](repeating: 1, count: 16)
        let first = try #require(SignedWrite([1], to: 7, key: key, counter: 1)).command(mtu: 23)
        let second = try #require(SignedWrite([1], to: 7, key: key, counter: 2)).command(mtu: 23)
        #expect(first.encoded().suffix(8) != second.encoded().suffix(8))
    }
}

@Suite("Write a long value and write reliably (Vol 3, Part G, 4.9.4 and 4.9.5)")
struct PreparedWriteTests {
    private let value = [UInt8](0..<20)
    private static let first = "0700 0000 000102030405060708090a0b0c0d0e0f1011"
    private static let second = "0700 1200 1213"

    private func long(_ pdus: String...) throws -> GATTError? {
        switch try ProcedureScript.run(WriteLongValue(value, to: 7), pdus) {
        case .success: nil
        case .failure(let error): error
        }
    }

    @Test("prepares part after part, then executes")
    func writesInParts() throws {
        let error = try long(
            "16\(Self.first)",
            "17\(Self.first)",
            "16\(Self.second)",
            "17\(Self.second)",
            "18 01",
            "19"
        )
        #expect(error == nil)
    }

    @Test("an empty value is one empty part")
    func writesNothing() throws {
        let result = try ProcedureScript.run(
            WriteLongValue([], to: 7),
            ["16 0700 0000", "17 0700 0000", "18 01", "19"]
        )
        #expect(throws: Never.self) { try result.get() }
    }

    @Test(
        "an echo that differs cancels what was prepared",
        arguments: [
            "17 0700 0000 000102030405060708090a0b0c0d0e0f1012", "17 0700 0100 000102030405060708090a0b0c0d0e0f1011",
            "17 0800 0000 000102030405060708090a0b0c0d0e0f1011", "17 0700 0000 00", "17 0700 0000",
            "17 0700 0000 000102030405060708090a0b0c0d0e0f101112",
        ]
    )
    func cancelsOnEcho(echo: String) throws {
        let error = try long("16\(Self.first)", echo, "18 00", "19")
        #expect(error == .invalidResponse(.echoDiffers(7, offset: 0)))
    }

    @Test(
        "an error at any part cancels, and is the failure for any result of the cancellation",
        arguments: ["19", "01 18 0000 0e", "13"]
    )
    func cancelsOnError(end: String) throws {
        let refused = ATTErrorResponse(requestOpcode: .prepareWriteRequest, handle: 7, code: .prepareQueueFull)
        let error = try long(
            "16\(Self.first)",
            "17\(Self.first)",
            "16\(Self.second)",
            "01 16 0700 09",
            "18 00",
            end
        )
        #expect(error == .refused(refused))
        let other = try long("16\(Self.first)", "13", "18 00", end)
        #expect(other == .invalidResponse(.unexpected(.writeResponse)))
    }

    @Test("an error on executing is the failure, and the queue is gone with it")
    func failsOnExecute() throws {
        let error = try long(
            "16\(Self.first)",
            "17\(Self.first)",
            "16\(Self.second)",
            "17\(Self.second)",
            "18 01",
            "01 18 0700 0d"
        )
        let refused = ATTErrorResponse(
            requestOpcode: .executeWriteRequest,
            handle: 7,
            code: .invalidAttributeValueLength
        )
        #expect(error == .refused(refused))
    }

    @Test("a value that no attribute can have is refused before anything is sent")
    func refusesTooLongValues() throws {
        let tooLong = [UInt8](repeating: 0, count: 513)
        guard case .failure(let error) = try ProcedureScript.run(WriteLongValue(tooLong, to: 7), []) else {
            Issue.record("another end")
            return
        }
        #expect(error == .valueTooLong(length: 513, maximum: 512))
        guard case .failure(let behind) = try ProcedureScript.run(WriteLongValue([1, 2], to: 7, offset: 511), []) else {
            Issue.record("another end")
            return
        }
        #expect(behind == .valueTooLong(length: 2, maximum: 1))
    }

    @Test("several values are prepared in their order and executed at once")
    func writesReliably() throws {
        let result = try ProcedureScript.run(
            ReliableWrite([HandleValue(7, [1]), HandleValue(9, value)]),
            [
                "16 0700 0000 01", "17 0700 0000 01",
                "16 0900 0000 000102030405060708090a0b0c0d0e0f1011",
                "17 0900 0000 000102030405060708090a0b0c0d0e0f1011",
                "16 0900 1200 1213", "17 0900 1200 1213", "18 01", "19",
            ]
        )
        #expect(throws: Never.self) { try result.get() }
    }

    @Test("an abandoned write needs a cancellation only between its first request and its last response")
    func saysWhatAbortNeeds() throws {
        var procedure = WriteLongValue(value, to: 7)
        #expect(procedure.abort() == nil)
        let cancel = ATTRequest.executeWrite(ExecuteWriteRequest(flags: .cancel))
        var step = procedure.start(mtu: 23)
        #expect(procedure.abort() == cancel)
        while case .send(.prepareWrite(let part)) = step {
            #expect(procedure.abort() == cancel)
            let echo = PrepareWriteResponse(handle: part.handle, offset: part.offset, value: part.value)
            step = procedure.received(.success(.prepareWrite(echo)), mtu: 23)
        }
        guard case .send(.executeWrite) = step else {
            Issue.record("another end")
            return
        }
        #expect(procedure.abort() == cancel)
        _ = procedure.received(.success(.executeWrite(ExecuteWriteResponse())), mtu: 23)
        #expect(procedure.abort() == nil)
    }
}
