// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

/// An operation with all packets of its normal course. Systematic tests break it at each packet.
struct ScriptedOperation: Sendable, CustomTestStringConvertible {
    let name: String
    let script: Script
    /// The result, as text.
    let result: String
    /// Whether it prepares writes, which must be cancelled if it fails.
    var preparesWrites = false
    let run: @Sendable (ATTConnection) async throws -> String

    var testDescription: String { name }

    /// Every operation with each of its packets, as the place of a failure.
    static let breakingPoints = all.flatMap { operation in
        operation.script.turns.indices.map { BreakingPoint(operation: operation, packet: $0) }
    }

    /// A script that is normal up to a packet, after which something else happens.
    struct BreakingPoint: Sendable, CustomTestStringConvertible {
        let operation: ScriptedOperation
        let packet: Int

        var expected: String { operation.script.turns[packet].expected.filter { $0 != " " } }
        /// Whether the device may hold prepared writes when this packet was sent.
        var hasPrepared: Bool { operation.preparesWrites && ["16", "18"].contains(String(expected.prefix(2))) }
        var testDescription: String { "\(operation.name), packet \(packet + 1)" }
    }

    private static let mtu = turn("02 0502", "03 1700")
    private static let longValue = "000102030405060708090a0b0c0d0e0f101112131415"

    static let all: [ScriptedOperation] = [
        ScriptedOperation(name: "exchange the MTU", script: [turn("02 0502", "03 4000")], result: "64") {
            "\(try await $0.exchangeMTU())"
        },
        ScriptedOperation(
            name: "read by UUID",
            script: [turn("08 0100 ffff 192a", "09 03 0800 57")],
            result: "57 at 0x0008"
        ) { connection in
            guard let value = try await connection.read(0x2A19) else { return "nothing" }
            return "\(Hex.string(value.value)) at \(value.handle)"
        },
        ScriptedOperation(
            name: "read in a range that lacks it",
            script: [turn("08 0100 0500 192a", "01 08 0100 0a")],
            result: "nil"
        ) { "\(try await $0.read(0x2A19, in: HandleRange(1, 5)).map { $0.handle.description } ?? "nil")" },
        ScriptedOperation(
            name: "find a service",
            script: [turn("06 0100 ffff 0028 0f18", "07 0600 0900")],
            result: "0x0006…0x0009"
        ) { connection in
            try await RemoteDatabase(of: connection.peer).answer(on: connection) { database throws(DiscoveryStep) in
                try database.service(.uuid(0x180F, index: nil)).map { "\($0.range)" }
            }.get()
        },
        ScriptedOperation(
            name: "read several values",
            script: [
                turn("02 0502", "03 4000"), turn("20 0300 0500 0700", "21 0100 aa 0300 bbbbbb 0100 cc"),
            ],
            result: "aa bbbbbb cc"
        ) { try await $0.read([3, 5, 7]).map { Hex.string(try $0.get().value) }.joined(separator: " ") },
        ScriptedOperation(
            name: "read several values of a device that does not know how",
            script: [
                turn("02 0502", "03 4000"), turn("20 0300 0500", "01 20 0000 06"), turn("0a 0300", "0b aa"),
                turn("0a 0500", "0b bb"),
            ],
            result: "aa bb"
        ) { try await $0.read([3, 5]).map { Hex.string(try $0.get().value) }.joined(separator: " ") },
        ScriptedOperation(
            name: "read a long value",
            script: [
                turn("0a 0300", "0b \(longValue)"), mtu, turn("0c 0300 1600", "0d \(longValue)"),
                turn("0c 0300 2c00", "0d ff"),
            ],
            result: "45 octets"
        ) { "\(try await $0.read(at: 3).value.count) octets" },
        ScriptedOperation(
            name: "read a long value by UUID",
            script: [
                turn("08 0100 ffff 002a", "09 15 0300 00112233445566778899aabbccddeeff001122"),
                turn("02 0502", "03 4000"), turn("0a 0300", "0b 00112233445566778899aabbccddeeff00112233445566778899"),
            ],
            result: "26 octets"
        ) { "\(try await $0.read(0x2A00)?.value.count ?? 0) octets" },
        ScriptedOperation(name: "write", script: [turn("12 0300 aabb", "13")], result: "request") {
            "\(try await $0.write([0xAA, 0xBB], to: 3))"
        },
        ScriptedOperation(
            name: "write a long value",
            script: [
                mtu,
                turn(
                    "16 0300 0000 000000000000000000000000000000000000",
                    "17 0300 0000 000000000000000000000000000000000000"
                ),
                turn(
                    "16 0300 1200 000000000000000000000000000000000000",
                    "17 0300 1200 000000000000000000000000000000000000"
                ),
                turn("16 0300 2400 00000000", "17 0300 2400 00000000"), turn("18 01", "19"),
            ],
            result: "prepared",
            preparesWrites: true
        ) { "\(try await $0.write(Array(repeating: 0, count: 40), to: 3))" },
        ScriptedOperation(
            name: "find a characteristic and its configuration",
            script: [
                turn("06 0100 ffff 0028 0f18", "07 0600 0900"), mtu,
                turn("08 0700 0900 0328", "09 07 0700 12 0800 192a"), turn("04 0900 0900", "05 01 0900 0229"),
            ],
            result: "0x0009"
        ) { connection in
            let selector = DescriptorSelector(
                0x2902,
                of: .uuid(0x2A19, index: 0, service: .uuid(0x180F, index: nil))
            )
            return try await RemoteDatabase(of: connection.peer).answer(on: connection) {
                database throws(DiscoveryStep) in
                try database.descriptor(selector).map { "\($0.handle)" }
            }.get()
        },
        ScriptedOperation(
            name: "find a characteristic of a device whose database is kept",
            script: [
                turn("08 0100 ffff 2a2b", "09 12 0300 000102030405060708090a0b0c0d0e0f"), mtu,
                turn("08 0100 ffff 0328", "09 07 0700 12 0800 192a"),
            ],
            result: "0x0008"
        ) { connection in
            try await RemoteDatabase(of: connection.peer, store: MemoryStore()).answer(on: connection) {
                database throws(DiscoveryStep) in
                try database.characteristic(.uuid(0x2A19, index: 0, service: nil)).map { "\($0.valueHandle)" }
            }.get()
        },
        ScriptedOperation(
            name: "discover everything",
            script: [
                mtu, turn("10 0100 ffff 0028", "11 06 0100 0500 0018 0600 0900 0f18"),
                turn("10 0a00 ffff 0028", "01 10 0a00 0a"), turn("10 0200 ffff 0128", "01 10 0200 10"),
                turn("08 0200 0900 0328", "09 07 0200 02 0300 002a 0400 02 0500 012a 0700 12 0800 192a"),
                turn("04 0900 0900", "05 01 0900 0229"),
            ],
            result: "2 services, 3 characteristics, 1 descriptor"
        ) { connection in
            let services = try await RemoteDatabase(of: connection.peer).tree(on: connection).services
            let characteristics = services.flatMap(\.characteristics)
            let descriptors = characteristics.flatMap(\.descriptors)
            return "\(services.count) services, \(characteristics.count) characteristics, "
                + "\(descriptors.count) descriptor"
        },
    ]
}
