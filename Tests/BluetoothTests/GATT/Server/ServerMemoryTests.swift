// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: state of bonded clients for the next server (Vol 3, Part G, 2.5.2, 3.3.3.3 and 7.1)")
struct ServerMemoryTests {
    private static let rate = ServiceDefinition(
        0x180D,
        characteristics: [CharacteristicDefinition(0x2A37, .notify, value: .application)]
    )
    private static let battery = ServiceDefinition(
        0x180F,
        characteristics: [CharacteristicDefinition(0x2A19, .notify, value: .application)]
    )

    /// Service Changed 0x0003 and its configuration 0x0004, Client Supported Features 0x0006, Database Hash 0x0008; then a
    /// service, whose value is 0x000B and whose configuration is 0x000C.
    private func bench(_ services: ServiceDefinition...) throws -> ServerBench {
        var bench = ServerBench(try GATTDatabase(services: [.genericAttribute()] + services))
        bench.security = .bonded
        return bench
    }

    /// A server with the memories of another one.
    private func successor(of old: ServerBench, _ services: ServiceDefinition...) throws -> ServerBench {
        var new = ServerBench(try GATTDatabase(services: [.genericAttribute()] + services))
        new.security = .bonded
        new.server.recall(old.server.memories)
        return new
    }

    @Test("a subscription passes to the next server, while the client is connected and after it has gone")
    func keepsSubscriptions() throws {
        var old = try bench(Self.rate)
        #expect(old.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(old.server.memories.values.allSatisfy { $0.subscriptions.isEmpty })
        let before = old.server.memoryChanges
        #expect(old.send("12 0c00 0100") == ["13"])
        #expect(old.server.memoryChanges > before)
        for _ in 0..<2 {
            var new = try successor(of: old, Self.rate)
            #expect(new.comes(ServerBench.first, as: .phone).isEmpty)
            #expect(new.events == [.subscriptionChanged(ServerBench.first, 0x000B, .notification)])
            #expect(new.run(new.server.notify([0x2A], of: 0x000B)) == ["1b0b002a"])
            #expect(new.send("0a 0c00") == ["0b0100"])
            _ = old.server.clientDisconnected(ServerBench.first)
        }
    }

    @Test("a cancelled subscription does not pass to the next server")
    func forgetsCancelled() throws {
        var old = try bench(Self.rate)
        _ = old.comes(ServerBench.first, as: .phone)
        #expect(old.send("12 0c00 0100") == ["13"])
        #expect(old.send("12 0c00 0000") == ["13"])
        var new = try successor(of: old, Self.rate)
        _ = new.comes(ServerBench.first, as: .phone)
        #expect(new.run(new.server.notify([0x2A], of: 0x000B)).isEmpty)
    }

    @Test("without a bond, without encryption and without an identity nothing is kept")
    func needsProof() throws {
        let strangers: [(LinkSecurity, DeviceAddress?)] = [
            (.none, .phone), (LinkSecurity(hasBond: true), .phone),
            (LinkSecurity(isEncrypted: true, keySize: 16), .phone), (.bonded, nil),
        ]
        for (security, identity) in strangers {
            var old = try bench(Self.rate)
            old.security = security
            _ = old.comes(ServerBench.first, as: identity)
            #expect(old.send("12 0c00 0100") == ["13"])
            #expect(old.server.memories.isEmpty)
        }
    }

    @Test("a client that pairs in mid-connection is remembered by its identity")
    func recognises() throws {
        var old = try bench(Self.rate)
        old.security = .none
        _ = old.comes(ServerBench.first, as: nil)
        #expect(old.send("12 0c00 0100") == ["13"])
        old.security = .bonded
        old.server.clientIdentified(ServerBench.first, as: .phone)
        #expect(old.send("0a 0c00") == ["0b0100"])
        #expect(old.server.memories[.phone]?.subscriptions.map(\.characteristic) == [0x2A37])
        old.server.clientIdentified(ServerBench.second, as: .tablet)
        #expect(old.server.memories.count == 1, "a client that is not connected has no identity")
    }

    @Test("a change of the database in the meantime is indicated until the client confirms it")
    func tellsChanges() throws {
        var old = try bench(Self.rate)
        _ = old.comes(ServerBench.first, as: .phone)
        #expect(old.send("12 0400 0200") == ["13"])
        #expect(old.send("12 0c00 0100") == ["13"])
        var new = try successor(of: old, Self.battery)
        #expect(new.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
        #expect(new.run(new.server.notify([0x2A], of: 0x000B)).isEmpty, "it is another characteristic")
        // The client has not confirmed, so the next server indicates the change again.
        var third = try successor(of: new, Self.battery)
        #expect(third.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
        #expect(third.server.dependsOnSecurity(.confirmation, from: ServerBench.first))
        #expect(third.send("1e").isEmpty)
        #expect(!third.server.dependsOnSecurity(.confirmation, from: ServerBench.first))
        #expect(third.send("0a 0400") == ["0b0200"])
        var fourth = try successor(of: third, Self.battery)
        #expect(fourth.comes(ServerBench.first, as: .phone).isEmpty)
        var fifth = try successor(of: fourth, Self.battery, Self.rate)
        #expect(fifth.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
    }

    @Test("a confirmation on an unencrypted link does not count for the bonded client")
    func ignoresImpostors() throws {
        var old = try bench(Self.rate)
        _ = old.comes(ServerBench.first, as: .phone)
        #expect(old.send("12 0400 0200") == ["13"])
        var new = try successor(of: old, Self.battery)
        new.security = LinkSecurity(hasBond: true)
        #expect(new.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
        #expect(new.send("1e").isEmpty)
        _ = new.server.clientDisconnected(ServerBench.first)
        new.security = .bonded
        #expect(new.comes(ServerBench.second, as: .phone) == ["1d03000100ffff"])
    }

    @Test("a confirmation before encryption counts as soon as the encryption is seen")
    func looksForProof() throws {
        var old = try bench(Self.rate)
        _ = old.comes(ServerBench.first, as: .phone)
        #expect(old.send("12 0400 0200") == ["13"])
        #expect(old.send("12 0c00 0100") == ["13"])
        var new = try successor(of: old, Self.rate, Self.battery)
        new.security = LinkSecurity(hasBond: true)
        #expect(new.comes(ServerBench.first, as: .phone) == ["1d03000100ffff"])
        #expect(new.send("1e").isEmpty)
        let read = try ATTClientPDU(decoding: [0x0A, 0x02, 0x00])
        #expect(new.server.dependsOnSecurity(read, from: ServerBench.first))
        #expect(new.server.guardedSubscribers(of: 0x000B) == [ServerBench.first])
        new.server.linkChanged(ServerBench.first, security: .bonded)
        #expect(!new.server.dependsOnSecurity(read, from: ServerBench.first))
        #expect(new.server.guardedSubscribers(of: 0x000B).isEmpty)
        #expect(new.server.memories[.phone]?.isChangeAware == true)
    }

    @Test("a client with robust caching is refused handles after a change")
    func keepsFeatures() throws {
        var old = try bench(Self.rate)
        _ = old.comes(ServerBench.first, as: .phone)
        #expect(old.send("12 0600 01") == ["13"])
        var new = try successor(of: old, Self.battery)
        #expect(new.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(new.send("0a 0c00") == ["010a0c0012"])
        #expect(new.send("0a 0c00") == ["0b0000"])
        var third = try successor(of: new, Self.battery)
        #expect(third.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(third.send("0a 0c00") == ["0b0000"])
    }

    @Test("saved subscriptions to other attributes are not restored")
    func distrustsHandles() throws {
        var old = try bench(Self.rate)
        _ = old.comes(ServerBench.first, as: .phone)
        #expect(old.send("12 0c00 0100") == ["13"])
        let memory = try #require(old.server.memories[.phone])
        let changes: [(inout GATTServer.KeptSubscription) -> Void] = [
            { $0.descriptor = 0x0004 }, { $0.descriptor = 0x0000 }, { $0.value = 0x000A }, { $0.service = 0x180F },
            { $0.service = nil }, { $0.characteristic = 0x2A19 }, { $0.configuration = .indication },
            { $0.configuration = [] },
        ]
        for (index, change) in changes.enumerated() {
            var other = memory
            change(&other.subscriptions[0])
            var new = try bench(Self.rate)
            new.server.recall([.phone: other])
            _ = new.comes(ServerBench.first, as: .phone)
            #expect(new.send("0a 0c00") == ["0b0000"], "change \(index)")
            #expect(new.run(new.server.notify([0x2A], of: 0x000B)).isEmpty)
        }
    }
}
