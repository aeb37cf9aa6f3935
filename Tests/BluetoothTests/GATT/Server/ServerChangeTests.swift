// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

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

    @Test("a subscription stays with its characteristic, and does not pass to the new owner of its handle")
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

    @Test("a write prepared for a replaced attribute does not reach its successor (GAW/SR/BI-41-C)")
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

    @Test("access after an application's value is checked again when its turn comes")
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
        // `handled` has the value handle 0x0003, the other characteristic 0x0006.
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

    @Test("the application gets no parts of a value that no longer belongs to it")
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

    @Test("each value for the application is checked again when its turn comes")
    func judgesEachPart() throws {
        func database(_ permissions: AttributePermissions) throws -> GATTDatabase {
            let characteristics = ([0x2A00, 0x2A01] as [BluetoothUUID]).map { uuid in
                var handled = CharacteristicDefinition(
                    uuid,
                    [.read, .write, .extendedProperties],
                    value: .application
                )
                handled.extendedProperties = .reliableWrite
                handled.permissions = permissions
                return handled
            }
            return try GATTDatabase(services: [ServiceDefinition(0x1800, characteristics: characteristics)])
        }
        // 0x0003 and 0x0006.
        var bench = ServerBench(try database(.readWrite))
        bench.answersWrites = false
        #expect(bench.send("16 0300 0000 01")[0].hasPrefix("17"))
        #expect(bench.send("16 0600 0000 02")[0].hasPrefix("17"))
        #expect(bench.send("18 01").isEmpty)
        guard case .write(let token, _)? = bench.events.last else {
            Issue.record("nothing was written")
            return
        }
        let guarded = AttributePermissions(read: .encrypted, write: .encrypted)
        _ = bench.server.replaceDatabase(with: try database(guarded))
        #expect(bench.run(bench.server.writeAnswered(token, nil)) == ["0118060005"])
    }

    @Test("a change within a service covers the whole service")
    func wholeServices() throws {
        var longer = Self.battery
        longer.characteristics.append(CharacteristicDefinition(0x2A1A, .read, value: .fixed([1])))
        // Rate 0x0009 to 0x000C, battery 0x000D to 0x0010, or 0x0012.
        var bench = ServerBench(try database(Self.rate, Self.battery))
        #expect(bench.send("12 0400 0200") == ["13"])
        #expect(bench.run(bench.server.replaceDatabase(with: try database(Self.rate, longer))) == ["1d03000d001200"])
        #expect(
            bench.run(bench.server.replaceDatabase(with: try database(Self.rate, Self.battery))) == ["1d03000d001200"]
        )
    }

    // MARK: - Changes that must wait

    /// A characteristic that indicates: 0x000B, its configuration 0x000C.
    private static let alarm = ServiceDefinition(
        0x1802,
        characteristics: [
            CharacteristicDefinition(0x2A06, .indicate, value: .fixed([0])),
            CharacteristicDefinition(0x2A07, [.read, .writeWithoutResponse], value: .variable([1])),  // 0x000E
        ]
    )

    /// A client with robust caching that is subscribed to Service Changed, with a limit for its waiting indications.
    private func makePatientBench(waitingIndications: Int) throws -> ServerBench {
        var configuration = GATTServer.Configuration()
        configuration.waitingIndications = waitingIndications
        var bench = ServerBench(try database(Self.alarm), configuration: configuration)
        for request in ["12 0600 01", "12 0400 0200", "12 0c00 0200"] { #expect(bench.send(request) == ["13"]) }
        return bench
    }

    private func change(_ bench: inout ServerBench, to services: ServiceDefinition...) throws -> [String] {
        let services = [.genericAttribute(), Self.alarm] + services
        return bench.run(bench.server.replaceDatabase(with: try GATTDatabase(services: services)))
    }

    /// Whether a command of the client has an effect.
    private func isHeard(_ bench: inout ServerBench) -> Bool {
        bench.server.setValue([1], of: 0x000E)
        #expect(bench.send("52 0e00 07").isEmpty)
        return bench.server.database[0x000E]?.value == [7]
    }

    @Test("a change without room is indicated later, and its confirmation makes the client aware")
    func tellsLater() throws {
        var bench = try makePatientBench(waitingIndications: 1)
        // Rate 0x000F to 0x0012, battery 0x0013 to 0x0016.
        #expect(try change(&bench, to: Self.rate) == ["1d03000f001200"])
        #expect(try change(&bench, to: Self.rate, Self.battery).isEmpty)
        #expect(!isHeard(&bench))
        #expect(bench.send("1e") == ["1d030013001600"])
        #expect(!isHeard(&bench), "it has confirmed the first of two changes")
        #expect(bench.send("1e").isEmpty)
        #expect(isHeard(&bench))
        #expect(!bench.events.contains(.indicationDropped(ServerBench.first, 0x0003)))
    }

    @Test("waiting changes are indicated as one")
    func tellsSeveralAsOne() throws {
        var bench = try makePatientBench(waitingIndications: 1)
        #expect(bench.run(bench.server.notify([1], of: 0x000B)) == ["1d0b0001"])
        #expect(try change(&bench, to: Self.rate, Self.battery).isEmpty)
        #expect(try change(&bench, to: Self.rate).isEmpty)
        #expect(try change(&bench, to: Self.battery).isEmpty)
        #expect(bench.send("1e") == ["1d03000f001600"])
        // A range that was announced is not announced again.
        #expect(try change(&bench, to: Self.battery, Self.rate).isEmpty)
        #expect(bench.send("1e") == ["1d030013001600"])
        #expect(!isHeard(&bench))
        #expect(bench.send("1e").isEmpty)
        #expect(isHeard(&bench))
    }

    @Test("while values and changes wait, confirming a value makes no client aware")
    func valuesMakeNobodyKnow() throws {
        var bench = try makePatientBench(waitingIndications: 2)
        #expect(bench.run(bench.server.notify([1], of: 0x000B)) == ["1d0b0001"])
        #expect(try change(&bench, to: Self.rate) == ["1d03000f001200"])
        #expect(bench.send("1e").isEmpty)
        #expect(!isHeard(&bench))
        #expect(bench.send("1e").isEmpty)
        #expect(isHeard(&bench))
    }

    @Test("a change that could not be indicated goes with the next one, or when there is room again")
    func tellsWhatHasFailed() throws {
        var bench = try makePatientBench(waitingIndications: 4)
        #expect(try change(&bench, to: Self.rate, Self.battery) == ["1d03000f001600"])
        #expect(
            bench.server.indicationFailed(to: ServerBench.first) == [.indicationDropped(ServerBench.first, 0x0003)]
        )
        #expect(bench.server.indicationFailed(to: ServerBench.first).isEmpty)
        #expect(try change(&bench, to: Self.rate) == ["1d03000f001600"])
        #expect(bench.send("1e").isEmpty)
        #expect(isHeard(&bench))

        #expect(try change(&bench, to: Self.battery) == ["1d03000f001200"])
        #expect(try change(&bench, to: Self.battery, Self.rate) == ["1d030013001600"])
        _ = bench.server.indicationFailed(to: ServerBench.first)
        #expect(bench.send("1e") == ["1d03000f001200"])
        #expect(!isHeard(&bench))
        #expect(bench.send("1e").isEmpty)
        #expect(isHeard(&bench))
    }
}
