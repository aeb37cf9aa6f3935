// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("Signed writes to a server (Vol 3, Part F, 3.4.5.4)")
struct ServerSignatureTests {
    /// Signed writes only 0x0003, also plain ones 0x0005, no signed ones 0x0007, authenticated ones 0x0009.
    private static func bench() throws -> ServerBench {
        func characteristic(
            _ uuid: BluetoothUUID,
            _ properties: CharacteristicProperties,
            _ permissions: AttributePermissions? = nil
        ) -> CharacteristicDefinition {
            CharacteristicDefinition(
                uuid,
                properties,
                value: .variable([0]),
                permissions: permissions ?? AttributePermissions(for: properties)
            )
        }
        let service = ServiceDefinition(
            0xFF00,
            characteristics: [
                characteristic(0xFF01, [.read, .authenticatedSignedWrites]),
                characteristic(0xFF02, [.read, .writeWithoutResponse, .authenticatedSignedWrites]),
                characteristic(0xFF03, [.read, .writeWithoutResponse]),
                characteristic(
                    0xFF04,
                    [.read, .authenticatedSignedWrites],
                    AttributePermissions(read: .open, write: .authenticated)
                ),
            ]
        )
        var bench = ServerBench(try GATTDatabase(services: [service]))
        _ = bench.comes(ServerBench.first, as: .phone)
        return bench
    }

    private func value(_ handle: Handle, in bench: ServerBench) -> [UInt8]? { bench.server.database[handle]?.value }

    private func write(_ handle: Handle, isAuthenticated: Bool, to bench: inout ServerBench) throws {
        let command = try #require(
            SignedWriteCommand(handle: handle, value: [7], signature: [UInt8](repeating: 0, count: 12))
        )
        let actions = bench.server.signedWriteReceived(
            command,
            from: ServerBench.first,
            mtu: 23,
            security: bench.security,
            isAuthenticated: isAuthenticated
        )
        #expect(bench.run(actions).isEmpty)
    }

    @Test func `a signature counts as encryption where signed writes are allowed`() throws {
        var bench = try Self.bench()
        for handle in [0x0003, 0x0005, 0x0007, 0x0009] as [Handle] {
            try write(handle, isAuthenticated: false, to: &bench)
        }
        #expect(value(0x0003, in: bench) == [7] && value(0x0005, in: bench) == [7])
        #expect(value(0x0007, in: bench) == [0] && value(0x0009, in: bench) == [0])
        try write(0x0009, isAuthenticated: true, to: &bench)
        #expect(value(0x0009, in: bench) == [7])
    }

    @Test func `a signature is valid only for its own write`() throws {
        var bench = try Self.bench()
        try write(0x0003, isAuthenticated: true, to: &bench)
        #expect(bench.server.security(of: ServerBench.first) == .none)
        #expect(bench.send("12 0300 08") == ["0112030005"])
        #expect(bench.send("52 0300 08").isEmpty && value(0x0003, in: bench) == [7])
    }

    @Test func `other attributes accept no signed write`() throws {
        var bench = try Self.bench()
        for handle in [0x0000, 0x0001, 0x0002, 0x1234] as [Handle] {
            try write(handle, isAuthenticated: true, to: &bench)
        }
        #expect(bench.events.isEmpty)
    }
}
