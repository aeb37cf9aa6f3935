// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("MTU exchange (Vol 3, Part G, 4.3.1)")
struct MTUExchangeTests {
    @Test(
        "the smaller MTU of both applies, and never less than 23",
        arguments: [("0502", 517), ("0002", 512), ("1700", 23), ("1600", 23), ("0000", 23), ("ffff", 517)]
            as [(String, UInt16)]
    )
    func agrees(server: String, mtu: UInt16) throws {
        #expect(try ProcedureScript.run(MTUExchange(offering: 517), ["02 0502", "03 \(server)"]).get() == mtu)
    }

    @Test("never offers less than 23")
    func offersEnough() throws {
        #expect(try ProcedureScript.run(MTUExchange(offering: 5), ["02 1700", "03 0002"]).get() == 23)
    }

    @Test("after a refusal for any reason, the earlier MTU still applies", arguments: ["04", "06", "0e", "80"])
    func acceptsServersThatRefuse(code: String) throws {
        let script = ["02 0502", "01 02 0000 \(code)"]
        #expect(try ProcedureScript.run(MTUExchange(offering: 517), script).get() == 23)
        #expect(try ProcedureScript.run(MTUExchange(offering: 517), mtu: 100, script).get() == 100)
    }

    @Test("a response to another request is a failure")
    func refusesOtherAnswers() throws {
        let other = try ProcedureScript.run(MTUExchange(offering: 517), ["02 0502", "13"])
        #expect(other == .failure(.invalidResponse(.unexpected(.writeResponse))))
    }
}

@Suite("Read a value (Vol 3, Part G, 4.8.1)")
struct ReadValueTests {
    @Test("reports whether the value may be longer", arguments: [(21, false), (22, true), (0, false)])
    func tellsCutValues(length: Int, mayBeCut: Bool) throws {
        let value = [UInt8](repeating: 7, count: length)
        let read = try ProcedureScript.run(ReadValue(0x18), ["0a 1800", "0b" + Hex.string(value)]).get()
        #expect(read == GATTReadValue(handle: 0x18, value: value, mayBeCut: mayBeCut))
    }
}

@Suite("Read using the characteristic's UUID (Vol 3, Part G, 4.8.2)")
struct ReadByUUIDTests {
    @Test("one request returns the values and their handles")
    func readsTheFirstAnswer() throws {
        let script = ["08 0100 ffff 192a", "09 03 1800 57 2800 58"]
        let found = try ProcedureScript.run(ReadByUUID(0x2A19), script).get()
        #expect(
            found == [
                GATTReadValue(handle: 0x18, value: [0x57], mayBeCut: false),
                GATTReadValue(handle: 0x28, value: [0x58], mayBeCut: false),
            ]
        )
    }

    @Test("reads all values on request, to the end of the range or of the matches")
    func readsAll() throws {
        let found = try ProcedureScript.run(
            ReadByUUID(0x2A19, in: HandleRange(1, 0x30), .all),
            ["08 0100 3000 192a", "09 03 1800 57", "08 1900 3000 192a", "09 04 3000 5859"]
        ).get()
        #expect(found.map(\.handle) == [0x18, 0x30])
        let some = try ProcedureScript.run(
            ReadByUUID(0x2A19, .all),
            ["08 0100 ffff 192a", "09 03 1800 57", "08 1900 ffff 192a", "01 08 1900 0a"]
        ).get()
        #expect(some.map(\.handle) == [0x18])
    }

    @Test(
        "a value as long as a list can carry may be longer",
        arguments: [(23, 19), (185, 181), (517, 253)] as [(UInt16, Int)]
    )
    func tellsCutValues(mtu: UInt16, longest: Int) throws {
        for length in [longest - 1, longest] {
            let size = Hex.string(length + 2, minimumDigits: 2)
            let value = String(repeating: "61", count: length)
            let script = ["08 0100 ffff 002a", "09 \(size) 0300 \(value)"]
            let found = try ProcedureScript.run(ReadByUUID(0x2A00), mtu: mtu, script).get()
            #expect(found.map(\.mayBeCut) == [length == longest])
        }
    }

    @Test("if nothing is found, the server's error is the result", arguments: ["0a", "05", "06", "00"])
    func failsWhereNothingIs(code: String) throws {
        let result = try ProcedureScript.run(ReadByUUID(0x2A19), ["08 0100 ffff 192a", "01 08 0100 \(code)"])
        guard case .failure(.refused(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(Hex.string([error.code.rawValue]) == code)
    }

    @Test(
        "handles that make no progress end it",
        arguments: ["09 03 0000 57", "09 03 1800 57 1800 57", "09 03 1800 57 1700 57"]
    )
    func refusesNoProgress(answer: String) throws {
        let result = try ProcedureScript.run(ReadByUUID(0x2A19), ["08 0100 ffff 192a", answer])
        guard case .failure(.invalidResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }
}

@Suite("Read a long value (Vol 3, Part G, 4.8.3)")
struct ReadLongValueTests {
    private static let part = String(repeating: "61", count: 22)

    private func run(_ pdus: String...) throws -> Result<GATTLongValue, GATTError> {
        try ProcedureScript.run(ReadLongValue(0x18), pdus)
    }

    @Test("a part that is not full is the last")
    func endsAtAShortPart() throws {
        #expect(try run("0a 1800", "0b 0102").get() == GATTLongValue(value: [1, 2], isCut: false))
        let value = try run("0a 1800", "0b\(Self.part)", "0c 1800 1600", "0d\(Self.part)", "0c 1800 2c00", "0d").get()
        #expect(value == GATTLongValue(value: [UInt8](repeating: 0x61, count: 44), isCut: false))
    }

    @Test("an offset behind the end, or an attribute that is not long, is the end", arguments: ["07", "0b"])
    func endsAtAnError(code: String) throws {
        let value = try run("0a 1800", "0b\(Self.part)", "0c 1800 1600", "01 0c 1800 \(code)").get()
        #expect(value == GATTLongValue(value: [UInt8](repeating: 0x61, count: 22), isCut: false))
    }

    @Test("without Read Blob the result is the first part, marked as cut")
    func tellsWhatCannotBeHad() throws {
        let value = try run("0a 1800", "0b\(Self.part)", "0c 1800 1600", "01 0c 1800 06").get()
        #expect(value == GATTLongValue(value: [UInt8](repeating: 0x61, count: 22), isCut: true))
    }

    @Test(
        "other errors are failures, and so is any error at the first part",
        arguments: ["01", "02", "05", "08", "0c", "0e", "80"]
    )
    func failsWithOtherErrors(code: String) throws {
        guard case .failure(.refused) = try run("0a 1800", "01 0a 1800 \(code)") else {
            Issue.record("another end")
            return
        }
        let later = try run("0a 1800", "0b\(Self.part)", "0c 1800 1600", "01 0c 1800 \(code)")
        guard case .failure(.refused(let error)) = later else {
            Issue.record("another end")
            return
        }
        #expect(error.requestOpcode == .readBlobRequest)
    }

    @Test(
        "a value whose parts are always full ends at 512 octets, marked as cut",
        arguments: [23, 24, 185, 517] as [UInt16]
    )
    func endsAtTheLongestValue(mtu: UInt16) {
        var procedure = ReadLongValue(0x18)
        var step = procedure.start(mtu: mtu)
        var requests = 0
        while case .send(let request) = step, requests < 600 {
            requests += 1
            let part = [UInt8](repeating: 0x61, count: Int(mtu) - 1)
            let answer: ATTResponse =
                request.opcode == .readRequest
                ? .read(ReadResponse(value: part)) : .readBlob(ReadBlobResponse(value: part))
            step = procedure.received(.success(answer), mtu: mtu)
        }
        #expect(step == .done(GATTLongValue(value: [UInt8](repeating: 0x61, count: 512), isCut: true)))
        #expect(requests == (512 + Int(mtu) - 2) / (Int(mtu) - 1))
    }

    @Test("a part that is longer than the MTU allows is accepted")
    func takesLongerParts() throws {
        let long = [UInt8](repeating: 0x61, count: 64)
        for end in ["01 0c 1800 0b", "01 0c 1800 07", "0d"] {
            let value = try ProcedureScript.run(
                ReadLongValue(0x18),
                ["0a 1800", "0b" + Hex.string(long), "0c 1800 4000", end]
            ).get()
            #expect(value == GATTLongValue(value: long, isCut: false))
        }
    }

    @Test("512 octets in full parts are a whole value")
    func readsTheLongestValue() throws {
        // 32 parts of 16 octets.
        var script = ["0a 1800", "0b" + String(repeating: "61", count: 16)]
        for offset in stride(from: 16, to: 512, by: 16) {
            script.append("0c 1800 \(Hex.string([UInt8(offset & 0xFF), UInt8(offset >> 8)]))")
            script.append("0d" + String(repeating: "61", count: 16))
        }
        let value = try ProcedureScript.run(ReadLongValue(0x18), mtu: 17, script).get()
        #expect(value.value.count == 512 && !value.isCut)
    }

    @Test("continues after octets that were read before, and keeps them if there are no more")
    func goesOn() throws {
        let known = [UInt8](repeating: 0x61, count: 22)
        let procedure = ReadLongValue(0x18, knowing: known)
        let whole = try ProcedureScript.run(procedure, ["0c 1800 1600", "0d 6262"]).get()
        #expect(whole == GATTLongValue(value: known + [0x62, 0x62], isCut: false))
        for code in ["07", "0b"] {
            let same = try ProcedureScript.run(procedure, ["0c 1800 1600", "01 0c 1800 \(code)"]).get()
            #expect(same == GATTLongValue(value: known, isCut: false))
        }
    }

    @Test("a response to another request ends it")
    func refusesOtherAnswers() throws {
        #expect(try run("0a 1800", "0d 01") == .failure(.invalidResponse(.unexpected(.readBlobResponse))))
        let later = try run("0a 1800", "0b\(Self.part)", "0c 1800 1600", "0b 01")
        #expect(later == .failure(.invalidResponse(.unexpected(.readResponse))))
    }
}

@Suite("Read multiple values (Vol 3, Part G, 4.8.4 and 4.8.5)")
struct ReadMultipleTests {
    @Test("several values of known lengths arrive in one piece")
    func readsMultiple() throws {
        let read = try ProcedureScript.run(ReadMultipleValues([3, 7]), ["0e 0300 0700", "0f 010203"]).get()
        #expect(read == ReadMultipleValues.Output(values: [1, 2, 3], mayBeCut: false))
        let full = String(repeating: "00", count: 22)
        #expect(try ProcedureScript.run(ReadMultipleValues([3, 7]), ["0e 0300 0700", "0f\(full)"]).get().mayBeCut)
    }

    @Test("an invalid request is refused before it is sent", arguments: [0, 1, 12])
    func refusesCounts(count: Int) throws {
        let handles = [Handle](repeating: 3, count: count)
        let expected = GATTError.unsuitableHandleCount(count)
        #expect(try ProcedureScript.run(ReadMultipleValues(handles), []) == .failure(expected))
        #expect(try ProcedureScript.run(ReadVariableValues(handles), []) == .failure(expected))
    }

    private func variable(_ answer: String, mtu: UInt16 = 23) throws -> Result<[GATTReadValue], GATTError> {
        try ProcedureScript.run(ReadVariableValues([3, 7]), mtu: mtu, ["20 0300 0700", answer])
    }

    @Test("values with their lengths are separated")
    func readsVariable() throws {
        let read = try variable("21 0200 0102 0000").get()
        #expect(
            read == [
                GATTReadValue(handle: 3, value: [1, 2], mayBeCut: false),
                GATTReadValue(handle: 7, value: [], mayBeCut: false),
            ]
        )
    }

    @Test("a value that the MTU cut is marked, and values that it left out are absent")
    func tellsCutValues() throws {
        let whole = String(repeating: "61", count: 17)
        let cut = try variable("21 1100 \(whole) 0500 62").get()
        #expect(cut.map(\.mayBeCut) == [false, true])
        #expect(cut.map(\.value.count) == [17, 1])
        let missing = try variable("21 1400 \(String(repeating: "61", count: 20))").get()
        #expect(missing.map(\.handle) == [3])
        #expect(missing.map(\.mayBeCut) == [true])
    }

    @Test("the last value of a full answer may be cut, because some servers send the length of what fits")
    func suspectsTheLastOfAFullAnswer() throws {
        for (length, mayBeCut) in [(16, false), (17, true)] {
            let value = String(repeating: "61", count: length)
            let read = try variable("21 0100 01 \(Hex.string([UInt8(length)]))00 \(value)").get()
            #expect(read.map(\.mayBeCut) == [false, mayBeCut])
            #expect(read.map(\.value.count) == [1, length])
        }
    }

    @Test("more values than requested, or fewer with room left, are a failure")
    func refusesOtherCounts() throws {
        #expect(try variable("21 0000 0000 0000") == .failure(.invalidResponse(.valueCount(3, asked: 2))))
        #expect(try variable("21 0100 01") == .failure(.invalidResponse(.valueCount(1, asked: 2))))
    }
}
