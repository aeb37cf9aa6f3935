// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: notifications and indications (Vol 3, Part G, 4.10 and 4.11)")
struct ServerNotificationTests {
    private static let rate: Handle = 0x0003
    private static let control: Handle = 0x0006
    private static let both: Handle = 0x0009
    private static let secret: Handle = 0x000C

    private func makeBench(waitingIndications: Int = 64) throws -> ServerBench {
        var configuration = GATTServer.Configuration()
        configuration.waitingIndications = waitingIndications
        var bench = ServerBench(
            try GATTDatabase(services: [
                ServiceDefinition(
                    0x180D,
                    characteristics: [
                        CharacteristicDefinition(0x2A37, .notify, value: .application),  // 0x0003, 0x0004
                        CharacteristicDefinition(0x2A38, .indicate, value: .application),  // 0x0006, 0x0007
                        CharacteristicDefinition(0x2A39, [.notify, .indicate], value: .application),  // 0x0009, 0x000A
                        CharacteristicDefinition(
                            0x2A3A,
                            .notify,
                            value: .application,
                            subscription: .encrypted
                        ),  // 0x000C, 0x000D
                    ]
                )
            ]),
            configuration: configuration
        )
        for client in [ServerBench.first, ServerBench.second] {
            #expect(bench.run(bench.server.clientConnected(client)).isEmpty)
        }
        return bench
    }

    private func notify(_ value: [UInt8], _ handle: Handle, _ bench: inout ServerBench) -> [String] {
        bench.run(bench.server.notify(value, of: handle))
    }

    @Test("each client has its own configuration, and the application learns each change once")
    func keepsConfigurationsApart() throws {
        var bench = try makeBench()
        #expect(bench.send("0a 0400") == ["0b0000"])
        #expect(notify([1], Self.rate, &bench).isEmpty)
        #expect(bench.send("12 0400 0100") == ["13"])
        #expect(bench.send("12 0400 0100") == ["13"])
        #expect(bench.send("0a 0400") == ["0b0100"])
        #expect(bench.send("0a 0400", from: ServerBench.second) == ["0b0000"])
        #expect(notify([1], Self.rate, &bench) == ["1b030001"])
        #expect(bench.send("12 0400 0100", from: ServerBench.second) == ["13"])
        #expect(notify([2], Self.rate, &bench) == ["1b030002", "1b030002"])
        #expect(bench.send("12 0400 0000") == ["13"])
        #expect(notify([3], Self.rate, &bench) == ["1b030003"])
        #expect(
            bench.events == [
                .subscriptionChanged(ServerBench.first, Self.rate, .notification),
                .subscriptionChanged(ServerBench.second, Self.rate, .notification),
                .subscriptionChanged(ServerBench.first, Self.rate, []),
            ]
        )
    }

    @Test("the response to a subscription is sent before its effects")
    func answersFirst() throws {
        var bench = try makeBench()
        let pdu = try ATTClientPDU(decoding: octets("12 0400 0100"))
        let actions = bench.server.requestReceived(pdu, from: .init(ServerBench.first), mtu: 23, security: .none)
        #expect(
            actions == [
                .respond(.init(ServerBench.first), .success(.write(WriteResponse()))),
                .subscriptionChanged(ServerBench.first, Self.rate, .notification),
            ]
        )
    }

    @Test("a value is cut to each client's MTU")
    func cutsToTheMTU() throws {
        var bench = try makeBench()
        bench.mtu[ServerBench.second] = 50
        for client in [ServerBench.first, ServerBench.second] {
            #expect(bench.send("12 0400 0100", from: client) == ["13"])
        }
        let long = [UInt8](0..<60)
        #expect(
            notify(long, Self.rate, &bench) == ["1b0300" + Hex.string(long[..<20]), "1b0300" + Hex.string(long[..<47])]
        )
    }

    @Test(
        "what a characteristic does not offer cannot be subscribed to; undefined bits are ignored",
        arguments: [
            ("12 0400 0200", "0112040013"), ("12 0400 0300", "0112040013"), ("12 0700 0100", "0112070013"),
            ("12 0a00 0300", "13"), ("12 0400 0180", "13"), ("12 0400 fdff", "13"), ("12 0400 ffff", "0112040013"),
            ("12 0400 01", "011204000d"), ("12 0400", "011204000d"), ("12 0400 010000", "011204000d"),
        ]
    )
    func judgesConfigurations(request: String, answer: String) throws {
        var bench = try makeBench()
        #expect(bench.send(request) == [answer])
        #expect(bench.send("0a 0400")[0].hasSuffix(answer == "13" && request.hasPrefix("12 04") ? "0100" : "0000"))
    }

    @Test("indications are confirmed in order; a confirmation without an indication is ignored")
    func confirms() throws {
        var bench = try makeBench()
        #expect(bench.send("1e").isEmpty)
        #expect(bench.send("12 0700 0200") == ["13"])
        #expect(bench.send("12 0a00 0200") == ["13"])
        #expect(notify([1], Self.control, &bench) == ["1d060001"])
        #expect(notify([2], Self.both, &bench) == ["1d090002"])
        for _ in 0..<3 { #expect(bench.send("1e").isEmpty) }
        #expect(
            bench.events.suffix(2) == [
                .indicationConfirmed(ServerBench.first, Self.control),
                .indicationConfirmed(ServerBench.first, Self.both),
            ]
        )
        #expect(bench.send("12 0a00 0300") == ["13"])
        #expect(notify([3], Self.both, &bench) == ["1b090003"])
    }

    @Test("the number of indications that wait for a confirmation is limited")
    func boundsIndications() throws {
        var bench = try makeBench(waitingIndications: 2)
        #expect(bench.send("12 0700 0200") == ["13"])
        for _ in 0..<2 { #expect(notify([1], Self.control, &bench) == ["1d060001"]) }
        #expect(notify([1], Self.control, &bench).isEmpty)
        #expect(bench.events.last == .indicationDropped(ServerBench.first, Self.control))
        #expect(bench.send("1e").isEmpty)
        #expect(notify([1], Self.control, &bench) == ["1d060001"])
    }

    @Test("subscribing may require security, and sending then does too")
    func requiresSecurity() throws {
        var bench = try makeBench()
        #expect(bench.send("12 0d00 0100") == ["01120d0005"])
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16)
        #expect(bench.send("12 0d00 0100") == ["13"])
        #expect(notify([1], Self.secret, &bench) == ["1b0c0001"])
        bench.server.linkChanged(ServerBench.first, security: LinkSecurity(hasBond: true))
        #expect(notify([1], Self.secret, &bench).isEmpty)
    }

    @Test("a bonded client's configuration comes back with it, another's does not (GAN/SR/BV-03-C, GAI/SR/BV-02-C)")
    func restores() throws {
        var bench = try makeBench()
        bench.security = .bonded
        #expect(bench.comes(ServerBench.first, as: .phone).isEmpty)
        #expect(bench.send("12 0400 0100") == ["13"])
        bench.security = .none
        #expect(bench.send("12 0400 0100", from: ServerBench.second) == ["13"])
        let gone: [GATTServer.Action] = [.subscriptionChanged(ServerBench.first, Self.rate, [])]
        #expect(bench.server.clientDisconnected(ServerBench.first) == gone)
        #expect(bench.server.clientDisconnected(ServerBench.first).isEmpty)
        _ = bench.server.clientDisconnected(ServerBench.second)
        #expect(notify([1], Self.rate, &bench).isEmpty)

        let back: [GATTServer.Action] = [.subscriptionChanged(ServerBench.first, Self.rate, .notification)]
        #expect(bench.server.clientConnected(ServerBench.first, security: .bonded, identity: .phone) == back)
        #expect(bench.server.clientConnected(ServerBench.second).isEmpty)
        #expect(notify([1], Self.rate, &bench) == ["1b030001"])
        #expect(bench.send("0a 0400", from: ServerBench.second) == ["0b0000"])
    }
}
