// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

/// The security of a link, with a name for the table.
private struct Level: Sendable, CustomTestStringConvertible {
    let name: String
    let link: LinkSecurity
    var testDescription: String { name }

    static let all = [
        Level(name: "no security", link: .none),
        Level(name: "bonded, not encrypted", link: LinkSecurity(hasBond: true)),
        Level(name: "encrypted, 6 octets", link: LinkSecurity(isEncrypted: true, keySize: 6)),
        Level(name: "encrypted", link: LinkSecurity(isEncrypted: true, keySize: 16)),
        Level(
            name: "authenticated, 7 octets",
            link: LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 7)
        ),
        Level(name: "authenticated", link: LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16)),
        Level(
            name: "authenticated and authorised",
            link: LinkSecurity(isEncrypted: true, isAuthenticated: true, isAuthorized: true, keySize: 16)
        ),
        Level(name: "authenticated bond", link: LinkSecurity(isAuthenticated: true, isAuthorized: true, hasBond: true)),
        Level(name: "authorised only", link: LinkSecurity(isAuthorized: true)),
    ]
}

@Suite("GATT server: permissions (Vol 3, Part F, 3.2.5 and 4)")
struct ServerPermissionTests {
    /// The errors for a requirement, in the order of `Level.all`; 0 means access. Written by hand, not computed.
    private static let table: [(name: String, requirement: AccessRequirement?, errors: [UInt8])] = [
        ("open", .open, [0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("encrypted", .encrypted, [0x05, 0x0F, 0x0C, 0, 0, 0, 0, 0x0F, 0x05]),
        ("authenticated", .authenticated, [0x05, 0x05, 0x05, 0x05, 0, 0, 0, 0x0F, 0x05]),
        (
            "authentication alone", AccessRequirement(authentication: true),
            [0x05, 0x05, 0x05, 0x05, 0, 0, 0, 0x0F, 0x05]
        ),
        ("authorised", .authorized, [0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0, 0, 0]),
        (
            "16 octets", AccessRequirement(encryption: true, minimumKeySize: 16),
            [0x05, 0x0F, 0x0C, 0, 0x0C, 0, 0, 0x0F, 0x05]
        ),
        (
            "everything",
            AccessRequirement(encryption: true, authentication: true, authorization: true, minimumKeySize: 16),
            [0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0, 0x0F, 0x05]
        ),
        ("nothing", nil, [0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE]),
    ]

    /// A bench with an open attribute, and then a readable and a writable one with the requirement, 0x0002 and 0x0003.
    private func makeBench(_ requirement: AccessRequirement?, _ link: LinkSecurity) throws -> ServerBench {
        let readable = AttributePermissions(read: requirement, write: nil)
        let writable = AttributePermissions(read: nil, write: requirement)
        var bench = ServerBench(
            try GATTDatabase(attributes: [
                GATTAttribute(handle: 1, type: 0x2A00, permissions: .readWrite, storage: .variable([1])),
                GATTAttribute(handle: 2, type: 0x2A01, permissions: readable, storage: .variable([2])),
                GATTAttribute(handle: 3, type: 0x2A02, permissions: writable, storage: .variable([3])),
            ])
        )
        bench.security = link
        return bench
    }

    @Test("every requirement, every opcode, every level of security", arguments: 0..<8)
    func enforcesTheTable(row: Int) throws {
        let (name, requirement, errors) = Self.table[row]
        for (level, error) in zip(Level.all, errors) {
            var bench = try makeBench(requirement, level.link)
            func code(_ none: UInt8) -> String? { error == 0 ? nil : Hex.string([error == 0xFE ? none : error]) }
            let reads = ["0a 0200", "0c 0200 0000", "0e 0100 0200", "20 0100 0200", "08 0200 0200 012a"]
            for pdu in reads {
                let expected = code(0x02).map { "01\(pdu.prefix(2))0200\($0)" }
                let answer = bench.send(pdu)
                #expect(answer.count == 1)
                #expect(
                    answer[0].hasPrefix("01") ? answer[0] == expected : expected == nil,
                    "\(name), \(level.name), \(pdu)"
                )
            }
            let listed = bench.send("08 0100 ffff 012a")
            #expect(listed == [code(0x02).map { "01080200\($0)" } ?? "0903020002"])
            #expect(bench.send("12 0300 07") == [code(0x03).map { "01120300\($0)" } ?? "13"])
            #expect(bench.send("16 0300 0000 08") == [code(0x03).map { "01160300\($0)" } ?? "170300000008"])
            #expect(bench.server.database[3]?.value == (error == 0 ? [7] : [3]))
            #expect(bench.send("18 01") == ["19"])
            #expect(bench.send("52 0300 09").isEmpty)
            #expect(bench.server.database[3]?.value == (error == 0 ? [9] : [3]))
        }
    }

    @Test("security lost between preparing and executing counts")
    func judgesOnExecution() throws {
        var bench = try makeBench(.encrypted, LinkSecurity(isEncrypted: true, keySize: 16))
        #expect(bench.send("16 0300 0000 08") == ["170300000008"])
        bench.security = .none
        #expect(bench.send("18 01") == ["0118030005"])
        #expect(bench.server.database[3]?.value == [3])
    }

    @Test("a type that may not be read is refused only if it comes first; later it ends the list")
    func endsLists() throws {
        let values = [(.open, 1), (.encrypted, 2), (.open, 3)] as [(AccessRequirement, UInt8)]
        let attributes = values.map { requirement, number in
            GATTAttribute(
                handle: Handle(UInt16(number)),
                type: 0x2A00,
                permissions: AttributePermissions(read: requirement, write: nil),
                storage: .fixed([number])
            )
        }
        var bench = ServerBench(try GATTDatabase(attributes: attributes))
        #expect(bench.send("08 0100 ffff 002a") == ["0903010001"])
        #expect(bench.send("08 0200 ffff 002a") == ["0108020005"])
        #expect(bench.send("08 0300 ffff 002a") == ["0903030003"])
    }
}
