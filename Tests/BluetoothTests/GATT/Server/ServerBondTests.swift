// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: the state of bonded clients (Vol 3, Part G, 2.5.2.1 and 3.3.3.3)")
struct ServerBondTests {
    /// Service Changed 0x0003 and its configuration 0x0004, Client Supported Features 0x0006, Database Hash 0x0008, then
    /// heart rate 0x000B and its configuration 0x000C.
    private func makeBench() throws -> ServerBench {
        let rate = CharacteristicDefinition(0x2A37, .notify, value: .application)
        let heartRate = ServiceDefinition(0x180D, characteristics: [rate])
        return ServerBench(try GATTDatabase(services: [.genericAttribute(), heartRate]))
    }

    @Test("a client that is back before the end of its last connection was noticed has its state")
    func keepsStateOfPresentClients() throws {
        var bench = try makeBench()
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0c00 0100") == ["13"])
        #expect(bench.comes(ServerBench.second, as: .phone).isEmpty)
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.run(bench.server.notify([1], of: 0x000B)) == ["1b0b0001"])
        bench.security = LinkSecurity(hasBond: true)
        #expect(bench.comes(ServerBench.first, as: .tablet).isEmpty)
        #expect(bench.send("0a 0c00") == ["0b0000"])
    }

    @Test("an impostor at a bonded client's address sees its state, and changes nothing of it")
    func keepsNothingOfImpostors() throws {
        var bench = try makeBench()
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0c00 0100") == ["13"])
        _ = bench.server.clientDisconnected(ServerBench.first)

        bench.security = LinkSecurity(hasBond: true)
        #expect(bench.comes(ServerBench.second, as: .phone).isEmpty)
        #expect(bench.send("0a 0c00", from: ServerBench.second) == ["0b0100"])
        #expect(bench.send("12 0c00 0000", from: ServerBench.second) == ["13"])
        _ = bench.server.clientDisconnected(ServerBench.second)

        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("0a 0c00") == ["0b0100"])
    }

    @Test("a client without a bond does not get a bonded client's state, at any address")
    func keepsStateFromStrangers() throws {
        var bench = try makeBench()
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0c00 0100") == ["13"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        for security in [.none, LinkSecurity(isEncrypted: true, keySize: 16)] {
            bench.security = security
            #expect(bench.comes(ServerBench.second, as: .phone).isEmpty)
            #expect(bench.send("0a 0c00", from: ServerBench.second) == ["0b0000"])
            _ = bench.server.clientDisconnected(ServerBench.second)
        }
    }

    @Test("encryption that comes later counts, and so does pairing in mid-connection")
    func noticesEncryption() throws {
        var bench = try makeBench()
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0c00 0100") == ["13"])
        bench.security = .bonded
        #expect(bench.send("0a 0c00") == ["0b0100"])
        bench.security = .none
        _ = bench.server.clientDisconnected(ServerBench.first)
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("0a 0c00") == ["0b0100"])
    }

    @Test("nothing is kept for a client without an identity")
    func needsAnIdentity() throws {
        var bench = try makeBench()
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: nil).isEmpty)
        #expect(bench.send("12 0c00 0100") == ["13"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        #expect(bench.server.records.isEmpty)
        #expect(bench.comes(ServerBench.first, as: nil).isEmpty)
        #expect(bench.send("0a 0c00") == ["0b0000"])
    }

    @Test("a subscription ends if its attribute is replaced while the client is away")
    func outdatesRecords() throws {
        var bench = try makeBench()
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0400 0200") == ["13"])
        #expect(bench.send("12 0c00 0100") == ["13"])
        _ = bench.server.clientDisconnected(ServerBench.first)
        let battery = ServiceDefinition(
            0x180F,
            characteristics: [CharacteristicDefinition(0x2A19, .notify, value: .application)]
        )
        let other = try GATTDatabase(services: [.genericAttribute(), battery])
        #expect(bench.run(bench.server.replaceDatabase(with: other)).isEmpty)
        #expect(bench.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
        #expect(bench.send("0a 0400") == ["0b0200"])
        #expect(bench.send("0a 0c00") == ["0b0000"])
        #expect(bench.run(bench.server.notify([1], of: 0x000B)).isEmpty)
    }
}
