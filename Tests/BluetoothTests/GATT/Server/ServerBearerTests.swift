// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: clients with several bearers")
struct ServerBearerTests {
    private static let client = GATTServer.ClientID(1)
    private static let (link, first) = (GATTServer.BearerID(client), GATTServer.BearerID(client, 1))

    /// A value of the application 0x000B, a notified one 0x000D with its configuration 0x000E, an indicated one 0x0010 with its
    /// configuration 0x0011. Service Changed is 0x0003, Client Supported Features are 0x0006, the Database Hash is 0x0008.
    private static let services: [ServiceDefinition] = [
        .genericAttribute(),
        ServiceDefinition(
            0xFF00,
            characteristics: [
                CharacteristicDefinition(0xFF01, .read, value: .application),
                CharacteristicDefinition(0xFF02, .notify, value: .fixed([1])),
                CharacteristicDefinition(0xFF03, .indicate, value: .fixed([1])),
            ]
        ),
    ]

    private var server: GATTServer

    init() throws {
        server = GATTServer(database: try GATTDatabase(services: Self.services))
        _ = server.clientConnected(Self.client)
        server.mtuChanged(Self.first, to: 64)
    }

    private mutating func send(_ hex: String, _ bearer: GATTServer.BearerID) throws -> [GATTServer.Action] {
        let mtu: UInt16 = bearer == Self.link ? 23 : 64
        return server.requestReceived(try ATTClientPDU(decoding: octets(hex)), from: bearer, mtu: mtu, security: .none)
    }

    /// The answers in hexadecimal, each with the number of its bearer.
    private func answers(_ actions: [GATTServer.Action]) -> [String] {
        actions.compactMap { action in
            guard case .respond(let bearer, let answer) = action else { return nil }
            return "\(bearer.number) \(Hex.string(ATTServerPDU(answer).encoded()))"
        }
    }

    private func token(_ actions: [GATTServer.Action]) throws -> GATTServer.Token {
        guard case .read(let token, _)? = actions.first else { throw CancellationError() }
        return token
    }

    @Test mutating func `each bearer has a question of its own, whose answer is cut to its MTU`() throws {
        let tokens = [try token(send("0a 0b00", Self.link)), try token(send("0a 0b00", Self.first))]
        let value = [UInt8](0..<100)
        #expect(answers(server.readAnswered(tokens[1], .success(value))) == ["1 0b" + Hex.string(value[..<63])])
        #expect(answers(server.readAnswered(tokens[0], .success(value))) == ["0 0b" + Hex.string(value[..<22])])
        // The value that was begun on a bearer goes on there.
        #expect(answers(try send("0c 0b00 1600", Self.link)) == ["0 0d" + Hex.string(value[22..<44])])
        #expect(answers(try send("0c 0b00 3f00", Self.first)) == ["1 0d" + Hex.string(value[63...])])
    }

    @Test mutating func `a bearer that ends takes its question with it, and no other`() throws {
        let tokens = [try token(send("0a 0b00", Self.link)), try token(send("0a 0b00", Self.first))]
        #expect(server.bearerClosed(Self.first).isEmpty)
        #expect(server.awaits(tokens[0]) && !server.awaits(tokens[1]))
        #expect(server.readAnswered(tokens[1], .success([1])).isEmpty)
        #expect(answers(server.readAnswered(tokens[0], .success([1]))) == ["0 0b01"])
        _ = server.clientDisconnected(Self.client)
        #expect(server.bearers.isEmpty && server.clients.isEmpty)
    }

    @Test mutating func `values without a request are cut to the largest MTU`() throws {
        _ = try send("12 0e00 0100", Self.link)
        let value = [UInt8](repeating: 3, count: 100)
        let cut = HandleValueNotification(handle: 0x000D, value: [UInt8](repeating: 3, count: 61))
        #expect(server.notify(value, of: 0x000D) == [.notify(Self.client, cut)])
        _ = server.bearerClosed(Self.first)
        let short = HandleValueNotification(handle: 0x000D, value: [UInt8](repeating: 3, count: 20))
        #expect(server.notify(value, of: 0x000D) == [.notify(Self.client, short)])
    }

    @Test mutating func `indications of different values are confirmed in any order`() throws {
        for handle in ["0400", "1100"] { _ = try send("12 \(handle) 0200", Self.link) }
        var other = Self.services
        other.append(ServiceDefinition(0xFF10))
        _ = server.replaceDatabase(with: try GATTDatabase(services: other))
        _ = server.notify([7], of: 0x0010)
        #expect(server.clients[Self.client]?.isChangeAware == false)
        let confirmed = [0x0010, 0x0003].map { GATTServer.Action.indicationConfirmed(Self.client, $0) }
        #expect(server.confirmationReceived(from: Self.client, of: 0x0010) == [confirmed[0]])
        #expect(server.clients[Self.client]?.isChangeAware == false)
        #expect(server.confirmationReceived(from: Self.client, of: 0x0010).isEmpty)
        #expect(server.confirmationReceived(from: Self.client, of: 0x0003) == [confirmed[1]])
        #expect(server.clients[Self.client]?.isChangeAware == true)
    }

    @Test mutating func `a client that does not know the database reads the hash: its requests may cross the error`()
        throws
    {
        _ = try send("12 0600 01", Self.link)
        var other = Self.services
        other.append(ServiceDefinition(0xFF10))
        _ = server.replaceDatabase(with: try GATTDatabase(services: other))
        for bearer in [Self.link, Self.first, Self.link] {
            #expect(answers(try send("0a 0600", bearer)) == ["\(bearer.number) 010a060012"])
        }
        _ = try send("08 0100 ffff 2a2b", Self.first)
        #expect(answers(try send("0a 0600", Self.link)) == ["0 0b01"])
        // With one bearer the error suffices.
        _ = server.bearerClosed(Self.first)
        _ = server.replaceDatabase(with: try GATTDatabase(services: Self.services))
        #expect(answers(try send("0a 0600", Self.link)) == ["0 010a060012"])
        #expect(answers(try send("0a 0600", Self.link)) == ["0 0b01"])
    }
}
