// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: reads")
struct ServerReadTests {
    @Test("a value is cut to the MTU, and Read Blob gives the rest")
    func readsInParts() throws {
        let long = [UInt8](0..<60)
        var bench = ServerBench(
            try GATTDatabase(services: [
                ServiceDefinition(0x1800, characteristics: [.init(0x2A00, .read, value: .fixed(long))])
            ])
        )
        #expect(bench.send("0a 0300") == ["0b" + Hex.string(long[0..<22])])
        #expect(bench.send("0c 0300 1600") == ["0d" + Hex.string(long[22..<44])])
        #expect(bench.send("0c 0300 2c00") == ["0d" + Hex.string(long[44...])])
        #expect(bench.send("0c 0300 3c00") == ["0d"])
        #expect(bench.send("0c 0300 3d00") == ["010c030007"])
        #expect(bench.send("0c 0300 ffff") == ["010c030007"])
        bench.mtu[ServerBench.second] = 512
        #expect(bench.send("0a 0300", from: ServerBench.second) == ["0b" + Hex.string(long)])
        #expect(bench.send("08 0100 ffff 002a") == ["09150300" + Hex.string(long[0..<19])])
        bench.mtu[ServerBench.first] = 517
        #expect(bench.send("08 0100 ffff 002a") == ["093e0300" + Hex.string(long)])
    }

    @Test("all parts of an application's value come from its first read")
    func readsOneValueInParts() throws {
        let old = [UInt8](0..<60)
        let new = [UInt8](repeating: 7, count: 30)
        var bench = try Small.bench()
        bench.values[0x0008] = .success(old)
        #expect(bench.send("0a 0800") == ["0b" + Hex.string(old[0..<22])])
        bench.values[0x0008] = .success(new)
        #expect(bench.send("0c 0800 1600") == ["0d" + Hex.string(old[22..<44])])
        #expect(bench.send("0c 0800 1600", from: ServerBench.second) == ["0d" + Hex.string(new[22...])])
        #expect(bench.send("0c 0800 2c00") == ["0d" + Hex.string(old[44...])])
        #expect(bench.events.count == 2)
        // The same part again is a part of the present value.
        #expect(bench.send("0c 0800 1600") == ["0d" + Hex.string(new[22...])])
        #expect(bench.events.count == 3)
    }

    @Test("a value whose reading is interrupted is requested again", arguments: ["0a 0500", "08 0100 ffff 002a"])
    func asksAgainAfterAnotherRequest(between: String) throws {
        let new = [UInt8](repeating: 7, count: 30)
        var bench = try Small.bench()
        bench.values[0x0008] = .success([UInt8](0..<60))
        _ = bench.send("0a 0800")
        _ = bench.send(between)
        bench.values[0x0008] = .success(new)
        #expect(bench.send("0c 0800 1600") == ["0d" + Hex.string(new[22...])])
    }

    @Test("after a change of the database, the rest of a value is requested again")
    func asksAgainAfterAChange() throws {
        let new = [UInt8](repeating: 7, count: 30)
        var bench = try Small.bench()
        bench.values[0x0008] = .success([UInt8](0..<60))
        _ = bench.send("0a 0800")
        bench.values[0x0008] = .success(new)
        let attributes = bench.server.database.attributes
        let shorter = try GATTDatabase(attributes: Array(attributes.dropLast()))
        #expect(bench.run(bench.server.replaceDatabase(with: shorter)).isEmpty)
        #expect(bench.send("0c 0800 1600") == ["0d" + Hex.string(new[22...])])
    }

    @Test("a list by type ends before a value of another length, and asks the application for its own")
    func listsByType() throws {
        var bench = try Small.bench()
        #expect(bench.send("08 0100 ffff 012a") == ["0904050001020d000304"])
        #expect(bench.send("08 0e00 ffff 012a") == ["09030f0005"])
        #expect(bench.send("08 0100 ffff 192a") == ["0903080057"])
        bench.values[0x0008] = .failure(ATTRefusal(ATTErrorCode(0x80)))
        #expect(bench.send("08 0100 ffff 192a") == ["0108080080"])
    }

    @Test("a value in a list has 253 octets at most")
    func cutsListedValues() throws {
        let long = [UInt8](repeating: 0x61, count: 300)
        var bench = ServerBench(
            try GATTDatabase(services: [
                ServiceDefinition(0x1800, characteristics: [.init(0x2A00, .read, value: .fixed(long))])
            ])
        )
        bench.mtu[ServerBench.first] = 517
        #expect(bench.send("08 0100 ffff 002a") == ["09ff0300" + Hex.string(long.prefix(253))])
    }

    @Test("several values: the first handle that fails is named, and the end is cut to the MTU")
    func readsMultiple() throws {
        var bench = try Small.bench()
        #expect(bench.send("0e 0500 0800 0d00") == ["0f0102570304"])
        #expect(bench.send("0e 0500 9900 9800") == ["010e990001"])
        #expect(bench.send("0e 0500 0b00 9800") == ["010e0b0002"])
        #expect(bench.send("0e 0300 0300 0300") == ["0f61626364656667686162636465666768616263646566"])
        #expect(bench.send("20 0500 0800 0f00") == ["21020001020100570100 05".filter { $0 != " " }])
        #expect(bench.send("20 0500 9900") == ["0120990001"])
        #expect(bench.send("20 0300 0300 0300") == ["2108006162636465666768080061626364656667680800"])
        #expect(bench.send("0e 0500") == ["010e000004"])
        #expect(bench.send("20 0500 05") == ["0120000004"])
        bench.values[0x0008] = .failure(ATTRefusal(.unlikelyError))
        #expect(bench.send("0e 0500 0800") == ["010e08000e"])
    }

    @Test("Read Multiple Variable fills every MTU to the octet", arguments: 23...64 as ClosedRange<UInt16>)
    func fillsVariableLists(mtu: UInt16) throws {
        var bench = try Small.bench()
        bench.mtu[ServerBench.first] = mtu
        let answer = bench.send("20" + String(repeating: "0300", count: 11))
        #expect(answer.first.map { $0.count / 2 } == Int(mtu))
    }

    @Test("a value that is too long for an attribute is cut")
    func boundsTheApplication() throws {
        var bench = try Small.bench()
        bench.mtu[ServerBench.first] = 600
        bench.values[0x0008] = .success([UInt8](repeating: 1, count: 1000))
        #expect(bench.send("0a 0800") == ["0b" + String(repeating: "01", count: 512)])
    }
}

@Suite("GATT server: delayed answers")
struct ServerDeferralTests {
    @Test("other requests of the client wait in order, other clients and commands do not")
    func waits() throws {
        var bench = try Small.bench()
        bench.values[0x0008] = nil
        #expect(bench.send("0a 0800").isEmpty)
        #expect(bench.send("0a 0500").isEmpty)
        #expect(bench.send("0a 9900").isEmpty)
        #expect(bench.send("0a 0500", from: ServerBench.second) == ["0b0102"])
        guard case .read(let token, let context)? = bench.events.last else {
            Issue.record("nothing was asked")
            return
        }
        #expect(context.handle == 0x0008 && context.type == 0x2A19 && context.offset == 0)
        #expect(bench.run(bench.server.readAnswered(token, .success([9]))) == ["0b09", "0b0102", "010a990001"])
        #expect(bench.run(bench.server.readAnswered(token, .success([9]))).isEmpty)
        #expect(bench.send("0a 0500") == ["0b0102"])
    }

    @Test("the number of waiting requests is limited; further ones are refused at once")
    func boundsWhatWaits() throws {
        var bench = try Small.bench()
        bench.values[0x0008] = nil
        #expect(bench.send("0a 0800").isEmpty)
        for _ in 0..<8 { #expect(bench.send("0a 0500").isEmpty) }
        #expect(bench.send("0a 0500") == ["010a050011"])
    }

    @Test("an answer for a client that has gone changes nothing")
    func forgetsTheGone() throws {
        var bench = try Small.bench()
        bench.values[0x0008] = nil
        #expect(bench.send("0a 0800").isEmpty)
        guard case .read(let token, _)? = bench.events.last else {
            Issue.record("nothing was asked")
            return
        }
        #expect(bench.run(bench.server.clientDisconnected(ServerBench.first)).isEmpty)
        #expect(bench.send("0a 0500") == ["0b0102"])
        #expect(bench.run(bench.server.readAnswered(token, .success([9]))).isEmpty)
        #expect(bench.run(bench.server.writeAnswered(token, nil)).isEmpty)
    }

    @Test("an attribute that disappears before the application answers is out of sync")
    func noticesChanges() throws {
        var bench = try Small.bench()
        bench.values[0x0008] = nil
        #expect(bench.send("0e 0800 0d00").isEmpty)
        guard case .read(let token, _)? = bench.events.last else {
            Issue.record("nothing was asked")
            return
        }
        _ = bench.server.replaceDatabase(with: try GATTDatabase(services: [ServiceDefinition(0x1800)]))
        #expect(bench.run(bench.server.readAnswered(token, .success([9]))) == ["010e0d0012"])
    }
}
