// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

/// Every combination of an attribute's requirement and a link's security, for every request and command that accesses a
/// value.
///
/// `ServerPermissionTests` contains a table written by hand; this one is complete, and computed by the rule below.
@Suite("GATT server: every requirement, every link, every way to a value (Vol 3, Part F, 3.2.5 and 4)")
struct ServerAccessTests {
    /// Every possible requirement, with keys of 7 and of 16 octets. The last is `nil`: no access at all.
    private static let requirements: [AccessRequirement?] =
        (0..<16).map { bits in
            AccessRequirement(
                encryption: bits & 1 != 0,
                authentication: bits & 2 != 0,
                authorization: bits & 4 != 0,
                minimumKeySize: bits & 8 != 0 ? 16 : 7
            )
        } + [nil]

    private static let links: [LinkSecurity] = (0..<24).map { number in
        let keySizes: [UInt8] = [0, 7, 16]
        let (keySize, bits) = (keySizes[number % 3], number / 3)
        return LinkSecurity(
            isEncrypted: keySize > 0,
            isAuthenticated: bits & 1 != 0,
            isAuthorized: bits & 2 != 0,
            keySize: keySize,
            hasBond: bits & 4 != 0
        )
    }

    /// The expected error, which is the first that applies. Each flag of the requirement has an effect on its own,
    /// unlike in CVE-2024-1638.
    private static func error(_ requirement: AccessRequirement, _ link: LinkSecurity) -> UInt8? {
        let isSecured = requirement.encryption || requirement.authentication || requirement.minimumKeySize == 16
        let rules: [(applies: Bool, code: UInt8)] = [
            (requirement.authorization && !link.isAuthorized, 0x08),
            (isSecured && !link.isEncrypted && !link.hasBond, 0x05),
            (requirement.authentication && !link.isAuthenticated, 0x05),
            (isSecured && !link.isEncrypted, 0x0F),
            (isSecured && link.keySize < requirement.minimumKeySize, 0x0C),
        ]
        return rules.first { $0.applies }?.code
    }

    /// A bench with an open attribute 0x0001, a readable and a writable one that the server stores (0x0002, 0x0003),
    /// the same two of the application (0x0004, 0x0005), a configuration 0x0006, and a service 0x0007.
    private static func makeBench(_ requirement: AccessRequirement?) throws -> ServerBench {
        let read = AttributePermissions(read: requirement, write: nil)
        let write = AttributePermissions(read: nil, write: requirement)
        func attribute(
            _ handle: Handle,
            _ type: BluetoothUUID,
            _ permissions: AttributePermissions,
            _ storage: GATTAttribute.Storage
        ) -> GATTAttribute {
            GATTAttribute(handle: handle, type: type, permissions: permissions, storage: storage)
        }
        var bench = ServerBench(
            try GATTDatabase(attributes: [
                attribute(1, 0x2A00, .readWrite, .variable([1])),
                attribute(2, 0x2A01, read, .variable([2])),
                attribute(3, 0x2A02, write, .variable([3])),
                attribute(4, 0x2A03, read, .application),
                attribute(5, 0x2A04, write, .application),
                attribute(6, 0x2902, write, .clientConfiguration(of: 2, supported: .notification)),
                attribute(7, 0x2800, read, .fixed([0x0F, 0x18])),
            ])
        )
        bench.values[4] = .success([4])
        return bench
    }

    /// Requests that read 0x0002, 0x0004 or 0x0007, with the handle that errors name and the answer if access is
    /// allowed.
    private static let reads: [(request: String, handle: String, answer: String)] = [
        ("0a 0200", "0200", "0b02"), ("0a 0400", "0400", "0b04"),
        ("0c 0200 0000", "0200", "0d02"), ("0c 0400 0100", "0400", "0d"),
        ("0e 0100 0200", "0200", "0f0102"), ("0e 0200 0100", "0200", "0f0201"), ("0e 0400 0100", "0400", "0f0401"),
        ("20 0100 0200", "0200", "21010001010002"), ("20 0400 0100", "0400", "21010004010001"),
        ("08 0100 ffff 012a", "0200", "0903020002"), ("08 0100 ffff 032a", "0400", "0903040004"),
        ("08 0400 0400 fb349b5f80000080001000 00032a0000", "0400", "0903040004"),
        ("10 0100 ffff 0028", "0700", "1106070007000f18"),
    ]

    @Test("reading", arguments: 0..<17)
    func reads(row: Int) throws {
        let requirement = Self.requirements[row]
        for link in Self.links {
            let code = requirement.map { Self.error($0, link) } ?? 0x02
            for (request, handle, answer) in Self.reads {
                var bench = try Self.makeBench(requirement)
                bench.security = link
                let opcode = request.prefix(2)
                let expected = code.map { "01\(opcode)\(handle)\(Hex.string([$0]))" } ?? answer
                #expect(bench.send(request) == [expected], "\(request) on \(link), which needs \(requirement as Any)")
                // Without permission the application is not asked.
                #expect(bench.events.isEmpty || code == nil)
            }
            // A client must not be able to guess values that it may not read.
            var bench = try Self.makeBench(requirement)
            bench.security = link
            let found = code == nil ? "0702000200" : "010601000a"
            #expect(bench.send("06 0100 ffff 012a 02") == [found])
            #expect(bench.send("06 0100 ffff 012a 03") == ["010601000a"])
        }
    }

    @Test("writing", arguments: 0..<17)
    func writes(row: Int) throws {
        let requirement = Self.requirements[row]
        for link in Self.links {
            let code = requirement.map { Self.error($0, link) } ?? 0x03
            func refusal(_ opcode: String, _ handle: String) -> String? {
                code.map { "01\(opcode)\(handle)\(Hex.string([$0]))" }
            }
            var bench = try Self.makeBench(requirement)
            bench.security = link
            #expect(bench.send("12 0300 07") == [refusal("12", "0300") ?? "13"])
            #expect(bench.server.database[3]?.value == (code == nil ? [7] : [3]))
            #expect(bench.send("12 0500 07") == [refusal("12", "0500") ?? "13"])
            #expect(bench.send("12 0600 0100") == [refusal("12", "0600") ?? "13"])
            #expect(bench.server.subscription(of: ServerBench.first, to: 2) == (code == nil ? .notification : []))
            for handle in ["0300", "0500"] {
                #expect(bench.send("16 \(handle) 0000 08") == [refusal("16", handle) ?? "17\(handle)000008"])
            }
            #expect(bench.send("18 01") == ["19"])
            #expect(bench.server.database[3]?.value == (code == nil ? [8] : [3]))
            #expect(bench.send("52 0300 09").isEmpty)
            #expect(bench.send("52 0500 09").isEmpty)
            #expect(bench.server.database[3]?.value == (code == nil ? [9] : [3]))
            // Signed writes are always ignored, because there is no key to check the signature with.
            #expect(bench.send("d2 0300 0a 000000000000000000000000").isEmpty)
            #expect(bench.server.database[3]?.value == (code == nil ? [9] : [3]))
            let reached = bench.events.filter { event in
                if case .write = event { true } else { false }
            }
            #expect(reached.count == (code == nil ? 3 : 0), "\(link), which needs \(requirement as Any)")
        }
    }

    @Test("executing writes that were prepared on a more secure link", arguments: 0..<17)
    func executes(row: Int) throws {
        guard let requirement = Self.requirements[row] else { return }
        let full = LinkSecurity(isEncrypted: true, isAuthenticated: true, isAuthorized: true, keySize: 16)
        for link in Self.links {
            for handle in ["0300", "0500"] {
                var bench = try Self.makeBench(requirement)
                bench.security = full
                #expect(bench.send("16 \(handle) 0000 08")[0].hasPrefix("17"))
                bench.security = link
                let code = Self.error(requirement, link)
                #expect(bench.send("18 01") == [code.map { "0118\(handle)\(Hex.string([$0]))" } ?? "19"])
                #expect(bench.server.database[3]?.value == (code == nil && handle == "0300" ? [8] : [3]))
                #expect(bench.send("18 01") == ["19"], "what was refused is not in the queue any more")
            }
        }
    }

    @Test("a value is sent only to subscribers whose links meet its requirements", arguments: 0..<17)
    func notifies(row: Int) throws {
        guard let requirement = Self.requirements[row] else { return }
        let rate = CharacteristicDefinition(0x2A37, .notify, value: .application, subscription: requirement)
        for link in Self.links {
            var bench = ServerBench(try GATTDatabase(services: [ServiceDefinition(0x180D, characteristics: [rate])]))
            bench.security = LinkSecurity(isEncrypted: true, isAuthenticated: true, isAuthorized: true, keySize: 16)
            #expect(bench.send("12 0400 0100") == ["13"])
            #expect(bench.server.guardedSubscribers(of: 3) == (requirement.isOpen ? [] : [ServerBench.first]))
            bench.server.linkChanged(ServerBench.first, security: link)
            let expected = Self.error(requirement, link) == nil ? ["1b030007"] : []
            #expect(bench.run(bench.server.notify([7], of: 3)) == expected)
        }
    }

    @Test("the order of errors is handle, then access, then offset and length")
    func prefersErrors() throws {
        let long = String(repeating: "00", count: 600)
        let cases: [(AccessRequirement?, String, String)] = [(nil, "02", "03"), (.encrypted, "05", "05")]
        for (requirement, read, write) in cases {
            var bench = try Self.makeBench(requirement)
            bench.mtu[ServerBench.first] = 700
            #expect(bench.send("0a 0900") == ["010a090001"])
            #expect(bench.send("0c 0200 ff00") == ["010c0200\(read)"])
            #expect(bench.send("0e 0900 0200") == ["010e090001"])
            #expect(bench.send("0e 0200 0900") == ["010e0200\(read)"])
            #expect(bench.send("12 0300 \(long)") == ["01120300\(write)"])
            #expect(bench.send("12 0600 01") == ["01120600\(write)"])
            #expect(bench.send("12 0600 ffff") == ["01120600\(write)"])
            #expect(bench.send("16 0300 ffff 00") == ["01160300\(write)"])
            #expect(bench.send("16 0900 ffff 00") == ["0116090001"])
        }
    }

    @Test("the link's security is queried only if an answer depends on it")
    func saysWhatDependsOnTheLink() throws {
        let guarded = try Self.makeBench(.encrypted)
        let open = try Self.makeBench(.open)
        let depending =
            Self.reads.map(\.request)
            + [
                "06 0100 ffff 012a 02", "12 0300 07", "12 0500 07", "52 0300 07", "16 0300 0000 08",
            ]
        func depends(_ hex: String, _ bench: ServerBench) throws -> Bool {
            bench.server.dependsOnSecurity(try ATTClientPDU(decoding: octets(hex)), from: ServerBench.first)
        }
        for request in depending {
            #expect(try depends(request, guarded), "\(request)")
            #expect(try !depends(request, open), "\(request)")
        }
        for request in [
            "02 1700", "04 0100 ffff", "0a 0100", "0a 0900", "08 0100 ffff 002a", "08 0300 ffff 012a", "12 0100 07",
            "18 01", "18 00", "1e", "d2 0300 0a 000000000000000000000000",
        ] {
            #expect(try !depends(request, guarded), "\(request)")
        }
        // Configurations of bonded clients are stored, so the server must know whether this client is bonded.
        #expect(try depends("12 0600 0100", open))
        var bench = try Self.makeBench(.encrypted)
        bench.security = LinkSecurity(isEncrypted: true, keySize: 16)
        #expect(bench.send("16 0300 0000 08")[0].hasPrefix("17"))
        #expect(try depends("18 01", bench))
    }
}
