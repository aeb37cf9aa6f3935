// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: writes")
struct ServerWriteTests {
    @Test("a write replaces the value and is reported; a refused one changes nothing")
    func writes() throws {
        var bench = try Small.bench()
        #expect(bench.send("12 0300 6869") == ["13"])
        #expect(bench.events == [.valueWritten(ServerBench.first, 0x0003)])
        #expect(bench.send("0a 0300") == ["0b6869"])
        #expect(bench.send("12 0500 00") == ["0112050003"])
        #expect(bench.send("12 0200 00") == ["0112020003"])
        #expect(bench.send("12 9900 00") == ["0112990001"])
        #expect(bench.send("12 1100 000000") == ["011211000d"])
        #expect(bench.send("12 1100 01020304") == ["13"])
        #expect(bench.send("0a 1100") == ["0b01020304"])
    }

    @Test("a value longer than 512 octets is of invalid length (GAW/SR/BI-32-C)")
    func refusesLongValues() throws {
        var bench = try Small.bench()
        bench.mtu[ServerBench.first] = 517
        #expect(bench.send("12 0300" + String(repeating: "00", count: 512)) == ["13"])
        #expect(bench.send("12 0300" + String(repeating: "01", count: 513)) == ["011203000d"])
        #expect(bench.send("0c 0300 ff01") == ["0d00"])
    }

    @Test("a command gets no response, and an invalid one changes nothing (GAW/SR/BI-39-C, BI-40-C)")
    func commandsAreSilent() throws {
        var bench = try Small.bench()
        bench.mtu[ServerBench.first] = 517
        #expect(bench.send("52 0300 68").isEmpty)
        #expect(bench.send("0a 0300") == ["0b68"])
        #expect(bench.send("52 0300" + String(repeating: "00", count: 514)).isEmpty)
        #expect(bench.send("52 1100 00").isEmpty)
        #expect(bench.send("52 0500 00").isEmpty)
        #expect(bench.send("52 9900 00").isEmpty)
        #expect(bench.send("52 00").isEmpty)
        #expect(bench.send("52").isEmpty)
        #expect(bench.send("d2 0300 69 000000000000000000000000").isEmpty)
        #expect(bench.send("d2 0300" + String(repeating: "00", count: 512)).isEmpty)
        #expect(bench.send("0a 0300") == ["0b68"])
        #expect(bench.send("0a 1100") == ["0b00000000"])
    }

    @Test("the application accepts or refuses its own values, and need not answer commands")
    func asksTheApplication() throws {
        var bench = try Small.bench()
        #expect(bench.send("12 0b00 0102") == ["13"])
        guard case .write(_, let context)? = bench.events.last else {
            Issue.record("nothing was written")
            return
        }
        #expect(context.value == [1, 2] && context.kind == .request && context.offset == 0 && context.type == 0x2A39)
        bench.refusals[0x000B] = .outOfRange
        #expect(bench.send("12 0b00 0102") == ["01120b00ff"])
        #expect(bench.send("12 0b00 0102030405") == ["01120b000d"])
        #expect(bench.send("52 0b00 0102").isEmpty)
        guard case .write(let token, let command)? = bench.events.last else {
            Issue.record("nothing was written")
            return
        }
        #expect(command.kind == .command)
        #expect(bench.run(bench.server.writeAnswered(token, nil)).isEmpty)
        #expect(bench.send("0a 0500") == ["0b0102"])
    }
}

@Suite("GATT server: prepared writes")
struct ServerPreparedWriteTests {
    @Test("parts are joined on execution, not before")
    func executes() throws {
        var bench = try Small.bench()
        #expect(bench.send("16 0300 0800 6a6b") == ["17030008006a6b"])
        #expect(bench.send("16 0300 0a00 6c") == ["1703000a006c"])
        #expect(bench.send("0a 0300") == ["0b6162636465666768"])
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.send("0a 0300") == ["0b61626364656667686a6b6c"])
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.send("0a 0300") == ["0b61626364656667686a6b6c"])
    }

    @Test("cancelling and the end of the connection discard prepared parts")
    func cancels() throws {
        var bench = try Small.bench()
        #expect(bench.send("16 0300 0000 7a") == ["17030000007a"])
        #expect(bench.send("18 00") == ["19"])
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.send("16 0300 0000 7a") == ["17030000007a"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.send("0a 0300") == ["0b6162636465666768"])
        #expect(bench.send("18 02") == ["0118000004"])
    }

    @Test("a part that is too long for its echo is refused, and not executed")
    func refusesWhatItCannotEcho() throws {
        var bench = try Small.bench()
        let fits = String(repeating: "7a", count: 18)
        #expect(bench.send("16 0300 0000" + fits + "7a") == ["0116030004"])
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.send("0a 0300") == ["0b6162636465666768"])
        #expect(bench.send("16 0300 0000" + fits) == ["1703000000" + fits])
    }

    @Test("offset and length are checked on execution, and an error writes nothing")
    func judgesAtTheEnd() throws {
        for (parts, code) in [
            (["16 0300 0900 7a"], "07"), (["16 0300 ff01 7a7a"], "07"), (["16 1100 0000 0000000000"], "0d"),
            (["16 1100 0500 00"], "07"), (["16 1100 0300 0000"], "0d"), (["16 0b00 0500 00"], "07"),
            (["16 0b00 0400 00"], "0d"),
        ] {
            var bench = ServerBench(try Small.reliableDatabase())
            #expect(bench.send("16 0400 0000 00") == ["0116040003"])
            #expect(bench.send("16 0300 0000 7a") == ["17030000007a"])
            for part in parts { #expect(bench.send(part)[0].hasPrefix("17")) }
            #expect(bench.send("18 01")[0].hasSuffix(code), "\(parts)")
            #expect(bench.send("0a 0300") == ["0b6162636465666768"])
            #expect(bench.events.isEmpty)
            #expect(bench.send("18 01") == ["19"])
        }
    }

    @Test("a value too long by its parts is of invalid length (GAW/SR/BI-33-C)")
    func refusesLongValues() throws {
        var bench = try Small.bench()
        bench.mtu[ServerBench.first] = 517
        let part = String(repeating: "00", count: 256)
        #expect(bench.send("16 0300 0000 \(part)")[0].hasPrefix("17"))
        #expect(bench.send("16 0300 0001 \(part)")[0].hasPrefix("17"))
        #expect(bench.send("16 0300 0002 00")[0].hasPrefix("17"))
        #expect(bench.send("18 01") == ["011803000d"])
    }

    @Test("several values are written together only if all of them permit it")
    func wantsReliableWrites() throws {
        var bench = ServerBench(try Small.reliableDatabase())
        #expect(bench.send("16 0300 0000 7a")[0].hasPrefix("17"))
        #expect(bench.send("16 1100 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("16 0300 0100 7a")[0].hasPrefix("17"))
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.send("0a 0300") == ["0b7a7a"])
        #expect(bench.send("0a 1100") == ["0b01000000"])

        // Other extended properties do not permit it.
        bench = ServerBench(try Small.reliableDatabase(.writableAuxiliaries))
        #expect(bench.send("16 0300 0000 7a")[0].hasPrefix("17"))
        #expect(bench.send("16 1100 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("18 01") == ["0118030006"])

        bench = try Small.bench()
        #expect(bench.send("16 1100 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("16 0900 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("18 01") == ["0118110006"])
        #expect(bench.send("0a 1100") == ["0b00000000"])
        #expect(bench.send("18 01") == ["19"])
        // Parts of one value are a long write, even if they are not contiguous.
        #expect(bench.send("16 0300 0100 7a")[0].hasPrefix("17"))
        #expect(bench.send("16 0300 0000 7a")[0].hasPrefix("17"))
        #expect(bench.send("18 01") == ["19"])
    }

    @Test("an attribute removed between preparing and executing is out of sync (GAW/SR/BI-41-C)")
    func noticesChanges() throws {
        var bench = try Small.bench()
        #expect(bench.send("16 0300 0000 7a") == ["17030000007a"])
        _ = bench.server.replaceDatabase(with: try GATTDatabase(services: [ServiceDefinition(0x1800)]))
        #expect(bench.send("18 01") == ["0118030012"])
    }

    @Test("the queue of each client is bounded in entries and in octets")
    func boundsTheQueue() throws {
        var bench = try Small.bench()
        for _ in 0..<64 { #expect(bench.send("16 0300 0000 7a")[0].hasPrefix("17")) }
        #expect(bench.send("16 0300 0000 7a") == ["0116030009"])
        #expect(bench.send("16 0300 0000 7a", from: ServerBench.second) == ["17030000007a"])
        #expect(bench.send("18 00") == ["19"])
        bench.mtu[ServerBench.first] = 517
        let part = String(repeating: "00", count: 512)
        for _ in 0..<8 { #expect(bench.send("16 0300 0000 \(part)")[0].hasPrefix("17")) }
        #expect(bench.send("16 0300 0000 00") == ["0116030009"])
    }

    @Test("offsets up to 64 KiB do not wrap around")
    func doesNotWrap() throws {
        var bench = try Small.bench()
        #expect(bench.send("16 0300 ffff 7a7a") == ["170300ffff7a7a"])
        #expect(bench.send("18 01") == ["0118030007"])
        #expect(bench.send("0a 0300") == ["0b6162636465666768"])
    }

    @Test("the application gets parts joined, one write after the other, until it refuses one")
    func asksTheApplication() throws {
        var bench = ServerBench(try Small.reliableDatabase())
        #expect(bench.send("16 0b00 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("16 0b00 0100 02")[0].hasPrefix("17"))
        #expect(bench.send("16 0b00 0000 03")[0].hasPrefix("17"))
        #expect(bench.send("16 0300 0000 7a")[0].hasPrefix("17"))
        bench.answersWrites = false
        #expect(bench.send("18 01").isEmpty)
        guard case .write(let token, let first)? = bench.events.last else {
            Issue.record("nothing was written")
            return
        }
        #expect(first.value == [1, 2] && first.offset == 0 && first.kind == .prepared)
        #expect(bench.run(bench.server.writeAnswered(token, nil)).isEmpty)
        guard case .write(let next, let second)? = bench.events.last else {
            Issue.record("nothing was written")
            return
        }
        #expect(second.value == [3])
        #expect(bench.run(bench.server.writeAnswered(next, ATTRefusal(.outOfRange))) == ["01180b00ff"])
        #expect(bench.send("0a 0300") == ["0b6162636465666768"])
    }
}
