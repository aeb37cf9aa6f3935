// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: caching (Vol 3, Part G, 2.5.2 and 7)")
struct ServerCachingTests {
    /// Service Changed 0x0003 and its configuration 0x0004, Client Supported Features 0x0006, Database Hash 0x0008, then
    /// heart rate 0x000B and its configuration 0x000C, body sensor location 0x000E.
    private static func services(extended: Bool) -> [ServiceDefinition] {
        let heartRate = ServiceDefinition(
            0x180D,
            characteristics: [
                CharacteristicDefinition(0x2A37, [.notify, .read], value: .fixed([0, 60])),
                CharacteristicDefinition(0x2A38, [.read, .write], value: .variable([1])),
            ]
        )
        return [.genericAttribute(), heartRate] + (extended ? [ServiceDefinition(0x180F)] : [])
    }

    private func makeBench() throws -> ServerBench {
        ServerBench(try GATTDatabase(services: Self.services(extended: false)))
    }

    private func change(_ bench: inout ServerBench) throws -> [String] {
        bench.run(bench.server.replaceDatabase(with: try GATTDatabase(services: Self.services(extended: true))))
    }

    @Test("the hash is read by type and by handle, and changes with the structure (GAS/SR/BV-02-C)")
    func tellsTheHash() throws {
        var bench = try makeBench()
        let before = Hex.string(bench.server.database.hash)
        #expect(bench.send("0a 0800") == ["0b" + before])
        #expect(bench.send("08 0100 ffff 2a2b") == ["09120800" + before])
        #expect(bench.send("12 0800 00") == ["0112080003"])
        #expect(try change(&bench).isEmpty)
        #expect(bench.send("0a 0800") != ["0b" + before])
        #expect(bench.send("0a 0800") == ["0b" + Hex.string(bench.server.database.hash)])
    }

    @Test("a server has the characteristic of its features only if it has any")
    func tellsItsFeatures() throws {
        var bench = ServerBench(try GATTDatabase(services: [.genericAttribute(features: .enhancedATTBearer)]))
        #expect(bench.send("08 0100 ffff 3a2b") == ["09030a0001"])
        bench = try makeBench()
        #expect(bench.send("08 0100 ffff 3a2b") == ["010801000a"])
    }

    @Test("features belong to one client, undefined bits are zero, and no bit is cleared (GAS/SR/BV-03-C)")
    func keepsFeatures() throws {
        var bench = try makeBench()
        #expect(bench.send("0a 0600") == ["0b00"])
        #expect(bench.send("12 0600 f9") == ["13"])
        #expect(bench.send("0a 0600") == ["0b01"])
        #expect(bench.send("0a 0600", from: ServerBench.second) == ["0b00"])
        #expect(bench.send("12 0600 00") == ["0112060013"])
        #expect(bench.send("12 0600 04") == ["0112060013"])
        #expect(bench.send("12 0600") == ["011206000d"])
        #expect(bench.send("12 0600 0500") == ["13"])
        #expect(bench.send("0a 0600") == ["0b05"])
    }

    @Test("features are kept for a bonded client, and for no other (GAS/SR/BV-04-C)", arguments: [true, false])
    func keepsFeaturesOfBonded(isBonded: Bool) throws {
        var bench = try makeBench()
        bench.security = isBonded ? .bonded : LinkSecurity(isEncrypted: true, keySize: 16)
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0600 05") == ["13"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.comes(ServerBench.second, as: .tablet).isEmpty)
        #expect(bench.send("0a 0600", from: ServerBench.second) == ["0b00"])
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("0a 0600") == [isBonded ? "0b05" : "0b00"])
    }

    @Test("Service Changed goes to its subscribers, with the changed range (GAS/SR/BV-01-C)")
    func indicatesServiceChanged() throws {
        var bench = try makeBench()
        #expect(bench.send("0a 0500", from: ServerBench.second)[0].hasPrefix("0b"))
        #expect(bench.send("12 0400 0200") == ["13"])
        #expect(try change(&bench) == ["1d03000f000f00"])
        #expect(try change(&bench).isEmpty)
    }

    @Test("a changed value is not a change of the structure")
    func ignoresValues() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0400 0200") == ["13"])
        #expect(bench.run(bench.server.replaceDatabase(with: bench.server.database)).isEmpty)
        bench.server.setValue([9], of: 0x000E)
        var services = Self.services(extended: false)
        services[1].characteristics[1].value = .variable([2])
        #expect(bench.run(bench.server.replaceDatabase(with: try GATTDatabase(services: services))).isEmpty)
        #expect(bench.send("0a 0e00") == ["0b02"])
    }

    @Test("a client without robust caching gets no error")
    func sparesOldClients() throws {
        var bench = try makeBench()
        #expect(bench.send("0a 0b00") == ["0b003c"])
        #expect(try change(&bench).isEmpty)
        #expect(bench.send("0a 0b00") == ["0b003c"])
    }

    @Test(
        "the first request by handle is out of sync, the next is not (GAS/SR/BV-05-C)",
        arguments: [
            "0a 0b00", "0c 0b00 0000", "0e 0b00 0e00", "20 0b00 0e00", "12 0e00 05", "16 0e00 0000 05",
            "08 0a00 0f00 372a", "08 0100 0f00 2a2b", "0a 0800",
        ]
    )
    func tellsOnce(request: String) throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(try change(&bench).isEmpty)
        let answer = bench.send(request)
        #expect(answer.count == 1 && answer[0].hasPrefix("01\(request.prefix(2))") && answer[0].hasSuffix("12"))
        #expect(bench.server.database[0x000E]?.value == [1])
        #expect(bench.send(request).allSatisfy { !$0.hasPrefix("01") })
    }

    @Test("discovery is allowed, and reading the hash makes the client aware (GAS/SR/BV-06-C, BV-07-C)")
    func allowsDiscovery() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(try change(&bench).isEmpty)
        for request in [
            "04 0100 ffff", "06 0100 ffff 0028 0118", "08 0100 0f00 0328", "10 0100 ffff 0028", "02 0002", "18 00",
            "18 01", "08 0100 ffff 382a",
        ] {
            #expect(bench.send(request).allSatisfy { !$0.hasPrefix("01") }, "\(request)")
        }
        #expect(bench.send("08 0100 ffff 2a2b")[0].hasPrefix("0912"))
        #expect(bench.send("0a 0b00") == ["0b003c"])
    }

    @Test("discovery does not make a client aware")
    func wantsMoreThanDiscovery() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(try change(&bench).isEmpty)
        #expect(bench.send("10 0100 ffff 0028")[0].hasPrefix("11"))
        #expect(bench.send("08 0100 ffff 382a")[0].hasPrefix("09"))
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
        // The error makes the client change-aware with its next request of any kind. A command is not a request.
        #expect(bench.send("52 0e00 07").isEmpty)
        #expect(bench.server.database[0x000E]?.value == [1])
        #expect(bench.send("02 0002")[0].hasPrefix("03"))
        #expect(bench.send("52 0e00 07").isEmpty)
        #expect(bench.server.database[0x000E]?.value == [7])
    }

    @Test("a change before the client is aware of the last one is indicated again")
    func tellsOfEachChange() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(try change(&bench).isEmpty)
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
        let original = try GATTDatabase(services: Self.services(extended: false))
        #expect(bench.run(bench.server.replaceDatabase(with: original)).isEmpty)
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
        #expect(bench.send("0a 0b00") == ["0b003c"])
    }

    @Test("a client has to confirm both of two changes")
    func wantsEveryConfirmation() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(bench.send("12 0400 0200") == ["13"])
        let original = bench.server.database
        #expect(try change(&bench) == ["1d03000f000f00"])
        #expect(bench.run(bench.server.replaceDatabase(with: original)) == ["1d03000f000f00"])
        #expect(bench.send("1e").isEmpty)
        #expect(bench.send("52 0e00 07").isEmpty)
        #expect(bench.server.database[0x000E]?.value == [1])
        #expect(bench.send("1e").isEmpty)
        #expect(bench.send("0a 0b00") == ["0b003c"])
    }

    @Test("prepared writes of a client that is not aware of a change are not executed")
    func forgetsWhatWasPrepared() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(bench.send("16 0e00 0000 07")[0].hasPrefix("17"))
        #expect(try change(&bench).isEmpty)
        #expect(bench.send("18 01") == ["0118000012"])
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.server.database[0x000E]?.value == [1])
    }

    @Test(
        "reading the hash makes a client aware, even before it enables robust caching",
        arguments: [
            "08 0100 ffff 2a2b", "0a 0800",
        ]
    )
    func countsTheHashAlways(request: String) throws {
        var bench = try makeBench()
        #expect(bench.send("0a 0b00") == ["0b003c"])
        #expect(try change(&bench).isEmpty)
        #expect(bench.send(request).allSatisfy { !$0.hasPrefix("01") })
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(bench.send("0a 0b00") == ["0b003c"])

        // Without the request the client stays unaware.
        #expect(
            bench.run(bench.server.replaceDatabase(with: try GATTDatabase(services: Self.services(extended: false))))
                .isEmpty
        )
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
    }

    @Test("commands of a client that is not aware are ignored, and it gets no values (GAS/SR/BV-06-C)")
    func ignoresCommands() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(bench.send("12 0c00 0100") == ["13"])
        #expect(bench.run(bench.server.notify([0, 61], of: 0x000B)) == ["1b0b00003d"])
        #expect(try change(&bench).isEmpty)
        #expect(bench.send("52 0e00 07").isEmpty)
        #expect(bench.server.database[0x000E]?.value == [1])
        #expect(bench.run(bench.server.notify([0, 61], of: 0x000B)).isEmpty)
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
        #expect(bench.send("0a 0b00") == ["0b003c"])
        #expect(bench.run(bench.server.notify([0, 61], of: 0x000B)) == ["1b0b00003d"])
        #expect(bench.send("52 0e00 07").isEmpty)
        #expect(bench.server.database[0x000E]?.value == [7])
    }

    @Test("a confirmed Service Changed makes a client aware, an unconfirmed one does not (GAS/SR/BV-08-C)")
    func confirmationMakesAware() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(bench.send("12 0400 0200") == ["13"])
        #expect(try change(&bench) == ["1d03000f000f00"])
        #expect(bench.send("1e").isEmpty)
        #expect(bench.send("0a 0b00") == ["0b003c"])

        let original = try GATTDatabase(services: Self.services(extended: false))
        #expect(bench.run(bench.server.replaceDatabase(with: original)) == ["1d03000f000f00"])
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
    }

    @Test("a bonded client that returns to another database gets Service Changed, and is not aware before")
    func remembersTheHash() throws {
        var bench = try makeBench()
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(bench.send("12 0400 0200") == ["13"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("0a 0b00") == ["0b003c"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(try change(&bench).isEmpty)
        #expect(bench.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
        #expect(bench.send("0a 0b00") == ["010a0b0012"])

        // The client was informed, but disconnected before it showed that it was aware.
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
        #expect(bench.send("1e").isEmpty)
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("0a 0b00") == ["0b003c"])
    }

    @Test("several values at once go only to clients that understand them (GAN/SR/BV-02-C)")
    func notifiesSeveral() throws {
        let services = [
            ServiceDefinition.genericAttribute(),
            ServiceDefinition(
                0x180D,
                characteristics: [
                    CharacteristicDefinition(0x2A37, .notify, value: .application),
                    CharacteristicDefinition(0x2A38, .notify, value: .application),
                ]
            ),
        ]
        var bench = ServerBench(try GATTDatabase(services: services))
        for client in [ServerBench.first, ServerBench.second] {
            #expect(bench.send("12 0c00 0100", from: client) == ["13"])
            #expect(bench.send("12 0f00 0100", from: client) == ["13"])
        }
        #expect(bench.send("12 0600 04", from: ServerBench.second) == ["13"])
        let values = [HandleValue(0x000B, [1]), HandleValue(0x000E, [2, 3])]
        #expect(bench.run(bench.server.notify(values)) == ["1b0b0001", "1b0e000203", "230b000100010e0002000203"])
        // These values fill a PDU exactly. With one octet more they are sent one by one.
        let long = [UInt8](repeating: 7, count: 13)
        #expect(
            bench.run(bench.server.notify([HandleValue(0x000B, [1]), HandleValue(0x000E, long)])).suffix(1) == [
                "230b000100010e000d00" + Hex.string(long)
            ]
        )
        #expect(
            bench.run(bench.server.notify([HandleValue(0x000B, [1]), HandleValue(0x000E, long + [7])])).suffix(2) == [
                "1b0b0001", "1b0e00" + Hex.string(long + [7]),
            ]
        )
        #expect(bench.send("12 0f00 0000", from: ServerBench.second) == ["13"])
        #expect(bench.run(bench.server.notify(values)) == ["1b0b0001", "1b0e000203", "1b0b0001"])
    }
}
