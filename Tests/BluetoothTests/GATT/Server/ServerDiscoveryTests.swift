// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: discovery requests")
struct ServerDiscoveryTests {
    @Test(
        "a range that begins at 0x0000 or ends before it begins is an invalid handle",
        arguments: ["0000ffff", "05000400"]
    )
    func refusesRanges(range: String) throws {
        var bench = try Small.bench()
        let start = range.prefix(4)
        #expect(bench.send("04\(range)") == ["0104\(start)01"])
        #expect(bench.send("06\(range)00280018") == ["0106\(start)01"])
        #expect(bench.send("08\(range)0028") == ["0108\(start)01"])
        #expect(bench.send("10\(range)0028") == ["0110\(start)01"])
    }

    @Test("nothing in the range is not found")
    func findsNothing() throws {
        var bench = try Small.bench()
        #expect(bench.send("04 2000 ffff") == ["010420000a"])
        #expect(bench.send("06 0100 ffff 0028 0118") == ["010601000a"])
        #expect(bench.send("06 0100 ffff 0329 0118") == ["010601000a"])
        #expect(bench.send("08 0100 ffff ff2a") == ["010801000a"])
        #expect(bench.send("10 0100 ffff 0128") == ["011001000a"])
    }

    @Test("Find By Type Value compares what this client reads, including its own configuration")
    func findsWhatTheClientReads() throws {
        var bench = try Small.bench()
        #expect(bench.send("06 0100 ffff 012a 0102") == ["0705000500"])
        #expect(bench.send("06 0100 ffff 0229 0000") == ["0709000900"])
        #expect(bench.send("12 0900 0100") == ["13"])
        #expect(bench.send("06 0100 ffff 0229 0000") == ["010601000a"])
        #expect(bench.send("06 0100 ffff 0229 0100") == ["0709000900"])
        #expect(bench.send("06 0100 ffff 192a 0100") == ["010601000a"], "the application is not asked")
    }

    @Test("only services are groups", arguments: ["0328", "0228", "002a"])
    func refusesOtherGroups(type: String) throws {
        var bench = try Small.bench()
        #expect(bench.send("10 0100 ffff \(type)") == ["0110010010"])
    }

    @Test("a list of services ends before a UUID of another width")
    func endsAtAnotherWidth() throws {
        var bench = ServerBench(try GATTDatabase(services: GATTDatabaseTests.services))
        bench.mtu[ServerBench.first] = 185
        #expect(bench.send("10 0100 ffff 0128") == ["110618001b000f18"])
        #expect(bench.send("10 1900 ffff 0128") == ["1114000100019ecadc240ee5a9e093f3a3b50100406e"])
    }

    @Test("a UUID of 128 bits finds what has its short form")
    func acceptsLongForms() throws {
        var bench = try Small.bench()
        #expect(
            bench.send("10 0100 ffff fb349b5f8000 0080 0010 0000 00280000") == [
                "110601000500001806001100 0f18".filter { $0 != " " }
            ]
        )
    }

    @Test("lists hold as many entries as the MTU carries, and no half ones")
    func fillsTheMTU() throws {
        var bench = try Small.bench()
        #expect(
            bench.send("04 0100 ffff") == ["050101000028020003280300002a04000328 0500012a".filter { $0 != " " }]
        )
        bench.mtu[ServerBench.first] = 25
        #expect(bench.send("04 0100 ffff")[0].count == 2 * 22)
        bench.mtu[ServerBench.first] = 26
        #expect(bench.send("04 0100 ffff")[0].count == 2 * 26)
    }
}

@Suite("GATT server: unknown requests and commands")
struct ServerUnknownTests {
    @Test("an unknown request is not supported, an unknown command is ignored (UNS/SR/BI-01-C, BI-02-C)")
    func refusesUnknownRequests() throws {
        var bench = try Small.bench()
        #expect(bench.send("2c 010203") == ["012c000006"])
        #expect(bench.send("bf 00") == ["01bf000006"])
        #expect(bench.send("6c 010203").isEmpty)
        #expect(bench.send("ff").isEmpty)
        #expect(bench.send("ec 000000000000000000000000").isEmpty)
    }

    @Test("each MTU exchange states what the server can receive")
    func tellsItsMTU() throws {
        var bench = try Small.bench()
        #expect(bench.send("02 1700") == ["030502"])
        #expect(bench.send("02 0000") == ["030502"])
    }
}
