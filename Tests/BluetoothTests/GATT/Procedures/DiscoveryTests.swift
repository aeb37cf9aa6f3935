// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("Primary and secondary service discovery (Vol 3, Part G, 4.4)")
struct DiscoverServicesTests {
    private func all(_ pdus: String...) throws -> Result<[GATTService], GATTError> {
        try ProcedureScript.run(DiscoverServices(), pdus)
    }

    @Test("continues after the last group, of either width, until nothing is found")
    func findsAll() throws {
        let uart = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
        let found = try all(
            "10 0100 ffff 0028",
            "11 06 0100 0500 0018 0600 0900 0118",
            "10 0a00 ffff 0028",
            "11 14 0a00 1000 9ecadc240ee5a9e093f3a3b50100406e",
            "10 1100 ffff 0028",
            "01 10 1100 0a"
        ).get()
        #expect(
            found == [
                GATTService(uuid: 0x1800, range: HandleRange(1, 5), isPrimary: true),
                GATTService(uuid: 0x1801, range: HandleRange(6, 9), isPrimary: true),
                GATTService(uuid: uart, range: HandleRange(10, 16), isPrimary: true),
            ]
        )
    }

    @Test("a group that ends at 0xFFFF is the last")
    func stopsAtTheEnd() throws {
        #expect(try all("10 0100 ffff 0028", "11 06 0100 ffff 0018").get().count == 1)
    }

    @Test func `groups that all end at 0xFFFF are found as far as one answer has them`() throws {
        let found = try all("10 0100 ffff 0028", "11 06 0100 ffff 0018 0600 ffff 0f18").get()
        #expect(found.map(\.range) == [HandleRange(1, .last), HandleRange(6, .last)])
        // They still have to rise.
        #expect(throws: GATTError.self) { try all("10 0100 ffff 0028", "11 06 0600 ffff 0018 0600 ffff 0f18").get() }
    }

    @Test("an error 0x00 is the end, because some devices send it as such", arguments: ["00", "0a"])
    func acceptsTheEnd(code: String) throws {
        #expect(try all("10 0100 ffff 0028", "01 10 0000 \(code)").get().isEmpty)
        let found = try all(
            "10 0100 ffff 0028",
            "11 06 0100 0500 0018",
            "10 0600 ffff 0028",
            "01 10 0000 \(code)"
        )
        #expect(try found.get().map(\.uuid) == [0x1800])
    }

    @Test("any other error is the failure", arguments: ["01", "04", "05", "06", "0e", "0f", "12", "80", "ff"])
    func failsWithOtherErrors(code: String) throws {
        let error = ATTErrorResponse(
            requestOpcode: .readByGroupTypeRequest,
            handle: 1,
            code: ATTErrorCode(try #require(UInt8(code, radix: 16)))
        )
        #expect(try all("10 0100 ffff 0028", "01 10 0100 \(code)") == .failure(.refused(error)))
    }

    @Test("a server that does not know secondary services has none", arguments: ["06", "10", "0a", "00"])
    func secondaryServicesAreOptional(code: String) throws {
        let procedure = DiscoverServices(primary: false)
        #expect(try ProcedureScript.run(procedure, ["10 0100 ffff 0128", "01 10 0100 \(code)"]).get().isEmpty)
        let found = try ProcedureScript.run(
            DiscoverServices(primary: false),
            ["10 0100 ffff 0128", "11 06 0100 0500 0a18", "10 0600 ffff 0128", "01 10 0600 0a"]
        ).get()
        #expect(found == [GATTService(uuid: 0x180A, range: HandleRange(1, 5), isPrimary: false)])
    }

    private static let everything = HandleRange.all

    @Test(
        "handles that make no progress end it with the reason",
        arguments: [
            ("11 06 0000 0500 0018", .handleOutOfRange(0x0000, asked: everything)),
            ("11 06 0500 0400 0018", .rangeBackwards(HandleRange(5, 4))),
            ("11 06 0100 0500 0018 0100 0500 0018", .handleNotRising(1, after: 5)),
            ("11 06 0600 0900 0018 0100 0500 0118", .handleNotRising(1, after: 9)),
            ("11 06 0100 0500 0018 0500 0600 0118", .handleNotRising(5, after: 5)),
            ("11 06 0100 ffff 0018 0000 ffff 0118", .handleOutOfRange(0, asked: everything)),
            ("0b 00", .unexpected(.readResponse)),
        ] as [(String, GATTError.InvalidResponse)]
    )
    func refusesNoProgress(answer: String, reason: GATTError.InvalidResponse) throws {
        #expect(try all("10 0100 ffff 0028", answer) == .failure(.invalidResponse(reason)))
    }

    @Test("a service that begins in the range may end after it (Vol 3, Part F, 3.4.3.4)")
    func takesServicesThatEndLater() throws {
        let range = HandleRange(1, 4)
        let expected = [GATTService(uuid: 0x1800, range: HandleRange(1, 9), isPrimary: true)]
        let all = try ProcedureScript.run(
            DiscoverServices(in: range),
            ["10 0100 0400 0028", "11 06 0100 0900 0018"]
        )
        #expect(all == .success(expected))
        let byUUID = try ProcedureScript.run(
            DiscoverServicesByUUID(0x1800, in: range),
            ["06 0100 0400 0028 0018", "07 0100 0900"]
        )
        #expect(byUUID == .success(expected))
    }

    @Test("handles before the requested range end it, also in a later response")
    func refusesHandlesAskedForBefore() throws {
        let result = try all(
            "10 0100 ffff 0028",
            "11 06 0100 0500 0018",
            "10 0600 ffff 0028",
            "11 06 0100 0500 0018"
        )
        #expect(result == .failure(.invalidResponse(.handleNotRising(1, after: 5))))
    }

    @Test("a UUID of neither 2 nor 16 octets ends it", arguments: [0, 1, 3, 4, 15])
    func refusesOddUUIDs(length: Int) throws {
        let value = String(repeating: "00", count: length)
        let size = Hex.string(4 + length, minimumDigits: 2)
        let result = try all("10 0100 ffff 0028", "11 \(size) 0100 0500 \(value)")
        guard case .failure(.invalidResponse(.malformed(let error, at: 1))) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.field == "service UUID")
    }

    @Test("a server with a service at every handle is read to its end, and no further")
    func endsAfterAllHandles() {
        var procedure = DiscoverServices()
        var step = procedure.start(mtu: 23)
        var requests = 0
        while case .send(.readByGroupType(let request)) = step, requests <= 0x10000 {
            requests += 1
            let entry = ReadByGroupTypeResponse.Entry(HandleRange(request.range.start, request.range.start), [0, 0x18])
            guard let response = ReadByGroupTypeResponse(entries: [entry]) else { break }
            step = procedure.received(.success(.readByGroupType(response)), mtu: 23)
        }
        #expect(requests == 0xFFFF)
        guard case .done(let found) = step else {
            Issue.record("not done")
            return
        }
        #expect(found.count == 0xFFFF)
    }
}

@Suite("Primary service discovery by UUID (Vol 3, Part G, 4.4.2)")
struct DiscoverServicesByUUIDTests {
    @Test("requests the UUID in its shortest form and continues after each group")
    func findsAll() throws {
        let wide = BluetoothUUID(bits128: BluetoothUUID(0x180F).value)
        let found = try ProcedureScript.run(
            DiscoverServicesByUUID(wide),
            [
                "06 0100 ffff 0028 0f18", "07 1000 1400 2000 2400",
                "06 2500 ffff 0028 0f18", "01 06 2500 0a",
            ]
        ).get()
        #expect(found.map(\.range) == [HandleRange(0x10, 0x14), HandleRange(0x20, 0x24)])
        #expect(found.allSatisfy { $0.uuid == 0x180F && $0.isPrimary })
    }

    @Test("a UUID of 128 bits is sent whole")
    func asksForLongUUIDs() throws {
        let uart = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
        let script = ["06 0100 ffff 0028 9ecadc240ee5a9e093f3a3b50100406e", "07 0500 ffff"]
        #expect(
            try ProcedureScript.run(DiscoverServicesByUUID(uart), script).get().map(\.range) == [HandleRange(5, .last)]
        )
    }

    @Test("handles without progress end it", arguments: ["07 0000 0000", "07 0500 0400", "07 0500 0600 0500 0600"])
    func refusesNoProgress(answer: String) throws {
        let result = try ProcedureScript.run(DiscoverServicesByUUID(0x180F), ["06 0100 ffff 0028 0f18", answer])
        guard case .failure(.invalidResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }
}

@Suite("Included services (Vol 3, Part G, 4.5.1)")
struct DiscoverIncludedServicesTests {
    private func run(_ pdus: String...) throws -> Result<[GATTIncludedService], GATTError> {
        try ProcedureScript.run(DiscoverIncludedServices(in: HandleRange(0x10, 0x20)), pdus)
    }

    @Test("a server that does not know includes has none", arguments: ["06", "10", "0a", "00"])
    func includesAreOptional(code: String) throws {
        #expect(try run("08 1000 2000 0228", "01 08 1000 \(code)").get().isEmpty)
    }

    @Test("reads long UUIDs from the included services themselves; one that cannot be read stays unnamed")
    func readsLongUUIDs() throws {
        let found = try run(
            "08 1000 2000 0228",
            "09 06 1100 3000 3f00 1200 4000 4f00",
            "0a 3000",
            "0b 9ecadc240ee5a9e093f3a3b50100406e",
            "0a 4000",
            "01 0a 4000 05",
            "08 1300 2000 0228",
            "09 08 1300 0100 0500 0a18",
            "08 1400 2000 0228",
            "01 08 1400 0a"
        ).get()
        #expect(found.map(\.handle) == [0x11, 0x12, 0x13])
        #expect(found.map(\.range) == [HandleRange(0x30, 0x3F), HandleRange(0x40, 0x4F), HandleRange(1, 5)])
        let uart = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
        #expect(found.map(\.uuid) == [uart, nil, 0x180A])
    }

    @Test(
        "an invalid include ends it",
        arguments: [
            "09 05 1100 300000", "09 07 1100 3000 3f00 00", "09 16 1100 3000 3f00 00000000000000000000000000000000",
            "09 08 1100 3f00 3000 0a18", "09 08 1100 0000 3000 0a18", "09 06 2100 3000 3f00", "09 06 0f00 3000 3f00",
            "09 06 1100 3000 3f00 1100 3000 3f00", "0b 00",
        ]
    )
    func refusesMalformedIncludes(answer: String) throws {
        let result = try run("08 1000 2000 0228", answer)
        guard case .failure(.invalidResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test("services that include each other are each read once")
    func endsOnLoops() throws {
        // A service that includes itself is reported, but not followed.
        let found = try run(
            "08 1000 2000 0228",
            "09 06 1100 1000 2000",
            "0a 1000",
            "0b 0f18",
            "08 1200 2000 0228",
            "01 08 1200 0a"
        ).get()
        #expect(found == [GATTIncludedService(handle: 0x11, range: HandleRange(0x10, 0x20), uuid: 0x180F)])
    }

    @Test("a response of another kind to the read of a UUID ends it", arguments: ["0d 0f18", "0b 0f", "0b 0f1800"])
    func refusesWrongNames(answer: String) throws {
        let result = try run("08 1000 2000 0228", "09 06 1100 3000 3f00", "0a 3000", answer)
        guard case .failure(.invalidResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }
}

@Suite("Characteristic discovery (Vol 3, Part G, 4.6)")
struct DiscoverCharacteristicsTests {
    private let range = HandleRange(0x10, 0x20)

    @Test("with .firstAnswer it ends with the first answer")
    func first() throws {
        let script = ["08 0100 ffff 0328", "09 07 0200 02 0300 002a 0400 02 0500 012a 0600 12 0700 372a"]
        let range = HandleRange(0x01, 0xFFFF)
        let middle = try ProcedureScript.run(DiscoverCharacteristics(in: range, uuid: 0x2A01, .firstAnswer), script)
            .get()
        #expect(middle.map(\.valueHandle) == [0x0005])
        #expect(middle.first?.end == 0x0005)
        // The last characteristic of the answer: its end is not known yet.
        let last = try ProcedureScript.run(DiscoverCharacteristics(in: range, uuid: 0x2A37, .firstAnswer), script).get()
        #expect(last.map(\.valueHandle) == [0x0007])
        #expect(last.first?.end == 0xFFFF)
    }

    @Test("each characteristic ends before the next, the last with the service")
    func findsAll() throws {
        let script = [
            "08 1000 2000 0328", "09 07 1100 02 1200 002a 1300 12 1500 012a",
            "08 1400 2000 0328", "01 08 1400 0a",
        ]
        let found = try ProcedureScript.run(DiscoverCharacteristics(in: range), script).get()
        #expect(
            found == [
                GATTCharacteristic(declaration: 0x11, valueHandle: 0x12, properties: .read, uuid: 0x2A00, end: 0x12),
                GATTCharacteristic(
                    declaration: 0x13,
                    valueHandle: 0x15,
                    properties: [.read, .notify],
                    uuid: 0x2A01,
                    end: 0x20
                ),
            ]
        )
        #expect(found.map(\.descriptorRange) == [nil, HandleRange(0x16, 0x20)])
        let one = try ProcedureScript.run(DiscoverCharacteristics(in: range, uuid: 0x2A00), script).get()
        #expect(one == [found[0]])
    }

    @Test("no request is sent for an invalid range")
    func asksNothingInNoRange() throws {
        #expect(try ProcedureScript.run(DiscoverCharacteristics(in: HandleRange(0x20, 0x10)), []).get().isEmpty)
        #expect(try ProcedureScript.run(DiscoverDescriptors(in: HandleRange(0, 0x10)), []).get().isEmpty)
    }

    @Test(
        "an invalid declaration ends it",
        arguments: [
            // UUIDs of 1, 3, 15 and 0 octets.
            "09 06 1100 02 1200 00", "09 08 1100 02 1200 00 2a00", "09 05 1100 02 1200",
            "09 14 1100 02 1200 000000000000000000000000000000",
            // Values outside of the service, at their own declaration, before it, and behind the next declaration.
            "09 07 1100 02 2100 002a", "09 07 1100 02 1100 002a", "09 07 1100 02 1000 002a", "09 07 1100 02 0000 002a",
            "09 07 1100 02 1400 002a 1300 02 1500 002a",
            // Declarations outside of the service, repeated, and in descending order.
            "09 07 0f00 02 1200 002a", "09 07 2100 02 2200 002a", "09 07 1100 02 1200 002a 1100 02 1200 002a",
            "09 07 1300 02 1400 002a 1100 02 1200 002a", "05 01 1100 002a",
        ]
    )
    func refusesMalformedDeclarations(answer: String) throws {
        let result = try ProcedureScript.run(DiscoverCharacteristics(in: range), ["08 1000 2000 0328", answer])
        guard case .failure(.invalidResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }
}

@Suite("Descriptor discovery (Vol 3, Part G, 4.7.1)")
struct DiscoverDescriptorsTests {
    @Test("ends at the next declaration, and with .firstAnswer with the first answer")
    func bounded() throws {
        let range = HandleRange(0x0008, 0xFFFF)
        let script = ["04 0800 ffff", "05 01 0800 0229 0900 0129 0a00 0328 0b00 382a 0c00 0229"]
        let all = try ProcedureScript.run(DiscoverDescriptors(in: range), script).get()
        #expect(all.map(\.handle) == [0x0008, 0x0009])
        let one = try ProcedureScript.run(DiscoverDescriptors(in: range, uuid: 0x2901, .firstAnswer), script).get()
        #expect(one.map(\.handle) == [0x0009])
        let none = try ProcedureScript.run(DiscoverDescriptors(in: range, uuid: 0x2904, .firstAnswer), script).get()
        #expect(none.isEmpty)
    }

    @Test("continues after the last handle, of either width")
    func findsAll() throws {
        let found = try ProcedureScript.run(
            DiscoverDescriptors(in: HandleRange(0x12, 0x16)),
            [
                "04 1200 1600", "05 01 1200 0229 1400 0129",
                "04 1500 1600", "05 02 1600 9ecadc240ee5a9e093f3a3b50100406e",
            ]
        ).get()
        #expect(found.map(\.handle) == [0x12, 0x14, 0x16])
        #expect(found[0].uuid == .clientCharacteristicConfiguration)
        #expect(found[2].uuid == BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E))
    }

    @Test(
        "handles outside of the range, repeated or falling end it",
        arguments: [
            "05 01 1100 0229", "05 01 1700 0229", "05 01 0000 0229", "05 01 1400 0229 1400 0229",
            "05 01 1400 0229 1300 0229", "0b 0000",
        ]
    )
    func refusesNoProgress(answer: String) throws {
        let result = try ProcedureScript.run(
            DiscoverDescriptors(in: HandleRange(0x12, 0x16)),
            ["04 1200 1600", answer]
        )
        guard case .failure(.invalidResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }
}
