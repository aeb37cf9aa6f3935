// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("AttributeTree")
struct AttributeTreeTests {
    /// The tree of a device that answers by the table; every request that is not in it finds nothing.
    private func tree(_ answers: [String: String]) throws -> [String] {
        let table = Dictionary(uniqueKeysWithValues: answers.map { (octets($0), octets($1)) })
        return try inVirtualTime { time, scope in
            let channel = ScriptedChannel(time, scope) { request in
                table[request] ?? [0x01, request[0]] + request.dropFirst().prefix(2) + [0x0A]
            }
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            return Self.lines(try await RemoteDatabase(of: connection.peer).tree(on: connection))
        }
    }

    private static func lines(_ tree: AttributeTree) -> [String] {
        tree.services.flatMap { service -> [String] in
            ["\(service.service.isPrimary ? "primary" : "secondary") \(service.service.uuid) \(service.service.range)"]
                + service.includes.map { "  include \($0.range)" }
                + service.characteristics.flatMap { node -> [String] in
                    let characteristic = node.characteristic
                    return ["  \(characteristic.uuid) \(characteristic.valueHandle)…\(characteristic.end)"]
                        + node.descriptors.map { "    \($0.uuid) \($0.handle)" }
                }
        }
    }

    @Test("puts includes, characteristics and descriptors where their handles say")
    func tree() throws {
        let lines = try tree([
            "02 0502": "03 1700",
            "10 0100 ffff 0028": "11 06 0100 0700 0018 0800 0900 0f18",
            "10 0200 ffff 0128": "11 06 0a00 0c00 aafe",
            "08 0200 0c00 0228": "09 08 0200 0a00 0c00 aafe",
            "08 0200 0c00 0328": "09 07 0300 02 0400 002a 0800 02 0900 192a 0b00 02 0c00 012a",
            "04 0500 0c00": "05 01 0500 0129 0600 0429",
        ])
        #expect(
            lines == [
                "primary 0x1800 0x0001…0x0007", "  include 0x000A…0x000C", "  0x2A00 0x0004…0x0007",
                "    0x2901 0x0005",
                "    0x2904 0x0006", "primary 0x180F 0x0008…0x0009", "  0x2A19 0x0009…0x0009",
                "secondary 0xFEAA 0x000A…0x000C", "  0x2A01 0x000C…0x000C",
            ]
        )
    }

    @Test("a secondary service inside a primary one hides nothing behind it, and both keep their ranges")
    func overlapping() throws {
        let lines = try tree([
            "02 0502": "03 1700",
            "10 0100 ffff 0028": "11 06 0100 0009 0018",
            "10 0200 ffff 0128": "11 06 0300 0600 aafe",
            "08 0200 0009 0328": "09 07 0400 02 0500 002a 0008 02 0108 192a",
        ])
        #expect(
            lines == [
                "primary 0x1800 0x0001…0x0900", "  0x2A00 0x0005…0x07FF", "  0x2A19 0x0801…0x0900",
                "secondary 0xFEAA 0x0003…0x0006", "  0x2A00 0x0005…0x0006",
            ]
        )
    }

    @Test("a device without services has an empty tree, after one request for each kind of service")
    func empty() throws {
        #expect(try tree([:]) == [])
    }

    @Test("a service and a characteristic at the last handles")
    func lastHandles() throws {
        let lines = try tree([
            "10 0100 ffff 0028": "11 06 fdff ffff 0018",
            "08 feff ffff 0328": "09 07 feff 02 ffff 002a",
        ])
        #expect(lines == ["primary 0x1800 0xFFFD…0xFFFF", "  0x2A00 0xFFFF…0xFFFF"])
    }

    @Test(
        "as many services and characteristics as there are handles take no more than their requests",
        .timeLimit(.minutes(15))
    )
    func enormous() throws {
        let (services, characteristics) = try inVirtualTime { time, scope in
            // Each service is a declaration, a characteristic's declaration and its value: handles 1 to 3, 4 to 6, …
            let channel = ScriptedChannel(time, scope) { request in
                let none = [0x01, request[0]] + request.dropFirst().prefix(2) + [0x0A]
                guard request.count == 7 else { return request[0] == 0x02 ? [0x03, 0x17, 0x00] : none }
                let start = UInt16(request[1]) | UInt16(request[2]) << 8
                let type = UInt16(request[5]) | UInt16(request[6]) << 8
                // The first service that begins, or whose characteristic is declared, at `start` or behind it.
                let offset: UInt16 = type == 0x2803 ? 2 : 1
                let index = start <= offset ? 0 : (Int(start - offset) + 2) / 3
                guard type == 0x2800 || type == 0x2803, index < 21_845 else { return none }
                let entries = (index..<min(index + 3, 21_845)).flatMap { index -> [UInt8] in
                    let first = UInt16(index * 3 + 1)
                    let fields =
                        type == 0x2800
                        ? [first, first + 2, 0x1800] : [first + 1, (first + 2) << 8 | 0x02, (first + 2) >> 8]
                    let octets = fields.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
                    return type == 0x2800 ? octets : octets + [0x2A]
                }
                return (type == 0x2800 ? [0x11, 6] : [0x09, 7]) + entries
            }
            let connection = ATTConnection.start(channel, scope: scope, time: time)
            let tree = try await RemoteDatabase(of: connection.peer).tree(on: connection)
            return (tree.services.count, tree.services.map(\.characteristics.count).reduce(0, +))
        }
        #expect(services == 21_845)
        #expect(characteristics == 21_845)
    }
}
