// SPDX-License-Identifier: GPL-2.0-or-later

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

    @Test("features are one client's own, bits without a meaning are zero, and none is cleared (GAS/SR/BV-03-C)")
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
        let record = try #require(bench.server.record(of: ServerBench.first))
        _ = bench.server.clientDisconnected(ServerBench.first)
        _ = bench.server.clientConnected(ServerBench.first)
        #expect(bench.send("0a 0600") == ["0b00"])
        _ = bench.server.clientConnected(ServerBench.first, restoring: record)
        #expect(bench.send("0a 0600") == ["0b05"])
    }

    @Test("Service Changed goes to whom it was asked for, with what has changed (GAS/SR/BV-01-C)")
    func indicatesServiceChanged() throws {
        var bench = try makeBench()
        #expect(bench.send("0a 0500", from: ServerBench.second)[0].hasPrefix("0b"))
        #expect(bench.send("12 0400 0200") == ["13"])
        #expect(try change(&bench) == ["1d03000f000f00"])
        #expect(try change(&bench).isEmpty)
    }

    @Test("values that change are no change of the structure")
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

    @Test("a client without robust caching is not bothered")
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

    @Test(
        "discovery and the hash by UUID are allowed; having read the hash, the client knows (GAS/SR/BV-06-C, BV-07-C)"
    )
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

    @Test("none of those makes a client know, but the hash does")
    func wantsMoreThanDiscovery() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(try change(&bench).isEmpty)
        #expect(bench.send("10 0100 ffff 0028")[0].hasPrefix("11"))
        #expect(bench.send("08 0100 ffff 382a")[0].hasPrefix("09"))
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
        // Knowing begins with a request, of whatever kind, behind that: a command is still too early.
        #expect(bench.send("52 0e00 07").isEmpty)
        #expect(bench.server.database[0x000E]?.value == [1])
        #expect(bench.send("02 0002")[0].hasPrefix("03"))
        #expect(bench.send("52 0e00 07").isEmpty)
        #expect(bench.server.database[0x000E]?.value == [7])
    }

    @Test("a change before the client knows of the last one is told anew")
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

    @Test("of two changes the client has to confirm both")
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

    @Test("what a client has prepared is not written when it does not know the database")
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
        "a client that has read the hash knows, whether or not it had robust caching then",
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

        // One that has not, does not.
        #expect(
            bench.run(bench.server.replaceDatabase(with: try GATTDatabase(services: Self.services(extended: false))))
                .isEmpty
        )
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
    }

    @Test("commands of a client that does not know are ignored, and it gets no values (GAS/SR/BV-06-C)")
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

    @Test("a confirmed Service Changed makes a client know, an unconfirmed one does not (GAS/SR/BV-08-C)")
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

    @Test("a bonded client that comes back to another database is told, and does not know until then")
    func remembersTheHash() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0600 01") == ["13"])
        #expect(bench.send("12 0400 0200") == ["13"])
        let record = try #require(bench.server.record(of: ServerBench.first))
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.run(bench.server.clientConnected(ServerBench.first, restoring: record)).isEmpty)
        #expect(bench.send("0a 0b00") == ["0b003c"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(try change(&bench).isEmpty)
        #expect(bench.run(bench.server.clientConnected(ServerBench.first, restoring: record)) == ["1d03000100ffff"])
        #expect(bench.send("0a 0b00") == ["010a0b0012"])
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
        #expect(bench.send("12 0f00 0000", from: ServerBench.second) == ["13"])
        #expect(bench.run(bench.server.notify(values)) == ["1b0b0001", "1b0e000203", "1b0b0001"])
    }
}

@Suite("GATT server: a database that changes under its clients")
struct ServerChangeTests {
    /// Service Changed 0x0003 and its configuration 0x0004, Client Supported Features 0x0006, Database Hash 0x0008.
    private static let rate = ServiceDefinition(
        0x180D,
        characteristics: [CharacteristicDefinition(0x2A37, [.notify, .read], value: .fixed([60]))]
    )
    private static let battery = ServiceDefinition(
        0x180F,
        characteristics: [CharacteristicDefinition(0x2A19, [.notify, .read], value: .fixed([87]))]
    )

    private func database(_ services: ServiceDefinition...) throws -> GATTDatabase {
        try GATTDatabase(services: [.genericAttribute()] + services)
    }

    @Test("a subscription stays with its characteristic, and does not pass to what has its handle now")
    func keepsSubscriptions() throws {
        // Rate 0x000B, 0x000C; battery 0x000F, 0x0010.
        var bench = ServerBench(try database(Self.rate, Self.battery))
        for configuration in ["04000200", "0c000100", "10000100"] {
            #expect(bench.send("12" + configuration) == ["13"])
        }
        let swapped = try database(Self.battery, Self.rate)
        #expect(bench.run(bench.server.replaceDatabase(with: swapped)) == ["1d030009001000"])
        #expect(bench.events.suffix(2) == [0x000B, 0x000F].map { .subscriptionChanged(ServerBench.first, $0, []) })
        #expect(bench.send("0a 0400") == ["0b0200"])
        #expect(bench.send("0a 0c00") == ["0b0000"])
        #expect(bench.run(bench.server.notify([1], of: 0x000B)).isEmpty)
        #expect(bench.send("12 0c00 0100") == ["13"])

        let longer = try database(Self.battery, Self.rate, ServiceDefinition(0x1802))
        #expect(bench.run(bench.server.replaceDatabase(with: longer)) == ["1d030011001100"])
        #expect(bench.send("0a 0c00") == ["0b0100"])
        #expect(bench.run(bench.server.notify([1], of: 0x000B)) == ["1b0b0001"])
    }

    @Test("what was prepared for an attribute that has changed is not written to what is there now (GAW/SR/BI-41-C)")
    func outdatesWhatWasPrepared() throws {
        func service(_ type: BluetoothUUID) -> ServiceDefinition {
            ServiceDefinition(
                0x180D,
                characteristics: [CharacteristicDefinition(type, [.write, .read], value: .variable([1]))]
            )
        }
        var bench = ServerBench(try database(service(0x2A38), Self.battery))
        #expect(bench.send("16 0b00 0000 05") == ["170b00000005"])
        _ = bench.server.replaceDatabase(with: try database(service(0x2A38), Self.rate))
        #expect(bench.send("18 01") == ["19"])
        #expect(bench.send("0a 0b00") == ["0b05"])

        #expect(bench.send("16 0b00 0000 06") == ["170b00000006"])
        _ = bench.server.replaceDatabase(with: try database(service(0x2A39), Self.rate))
        #expect(bench.send("18 01") == ["01180b0012"])
        #expect(bench.send("0a 0b00") == ["0b01"])
        #expect(bench.send("18 01") == ["19"], "it is told once")
        #expect(bench.send("16 0b00 0000 06") == ["170b00000006"])
        _ = bench.server.replaceDatabase(with: try database(service(0x2A38), Self.rate))
        #expect(bench.send("18 00") == ["19"])
        #expect(bench.send("16 0b00 0000 06") == ["170b00000006"])
        #expect(bench.send("18 01") == ["19"])
    }

    @Test("what is read or written behind a value of the application is what may be when its turn comes")
    func judgesAgain() throws {
        let properties: CharacteristicProperties = [.read, .write, .extendedProperties]
        var open = CharacteristicDefinition(0x2A01, properties, value: .variable([2]))
        open.extendedProperties = .reliableWrite
        var guarded = open
        guarded.permissions = AttributePermissions(read: .encrypted, write: .encrypted)
        var handled = CharacteristicDefinition(0x2A00, properties, value: .application)
        handled.extendedProperties = .reliableWrite
        func service(_ characteristic: CharacteristicDefinition) -> ServiceDefinition {
            ServiceDefinition(0x1800, characteristics: [handled, characteristic])
        }
        // Handled 0x0003, the other 0x0006.
        let (before, after) = (
            try GATTDatabase(services: [service(open)]), try GATTDatabase(services: [service(guarded)])
        )
        var bench = ServerBench(before)
        for (request, answer) in [("0e 0300 0600", "010e060005"), ("20 0300 0600", "0120060005")] {
            #expect(bench.send(request).isEmpty)
            guard case .read(let token, _)? = bench.events.last else {
                Issue.record("nothing was asked")
                return
            }
            _ = bench.server.replaceDatabase(with: after)
            #expect(bench.run(bench.server.readAnswered(token, .success([9]))) == [answer])
            _ = bench.server.replaceDatabase(with: before)
        }
        bench.answersWrites = false
        #expect(bench.send("16 0300 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("16 0600 0000 07")[0].hasPrefix("17"))
        #expect(bench.send("18 01").isEmpty)
        guard case .write(let token, _)? = bench.events.last else {
            Issue.record("nothing was written")
            return
        }
        _ = bench.server.replaceDatabase(with: after)
        #expect(bench.run(bench.server.writeAnswered(token, nil)) == ["0118060012"])
        #expect(bench.server.database[0x0006]?.value == [2])
    }

    @Test("the parts of a value that is not the application's any more are not handed to it")
    func handsOverNoMore() throws {
        func database(_ storage: GATTAttribute.Storage) throws -> GATTDatabase {
            let characteristic = CharacteristicDefinition(0x2A00, [.read, .write], value: storage)
            return try GATTDatabase(services: [ServiceDefinition(0x1800, characteristics: [characteristic])])
        }
        var bench = ServerBench(try database(.application))
        bench.answersWrites = false
        #expect(bench.send("16 0300 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("16 0300 0000 02")[0].hasPrefix("17"))
        #expect(bench.send("18 01").isEmpty)
        guard case .write(let token, _)? = bench.events.last else {
            Issue.record("nothing was written")
            return
        }
        _ = bench.server.replaceDatabase(with: try database(.fixed([1])))
        #expect(bench.run(bench.server.writeAnswered(token, nil)) == ["0118030012"])
    }
}
