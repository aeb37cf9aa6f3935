// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import Synchronization
import Testing

@testable import Toolkit

@Suite("DatabaseFiles: the GATT cache")
struct DatabaseFilesTests {
    /// A wall clock that the test sets.
    private final class Clock: TimeSource {
        let wall = Mutex(WallTime(nanosecondsSince1970: 1_800_000_000_000_000_000))
        var now: Instant { .zero }
        var wallClock: WallTime { wall.withLock { $0 } }
        func sleep(until deadline: Instant) async throws(CancellationError) {}
    }

    private let clock = Clock()
    private let device = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5), .random)
    private let hash = [UInt8](0..<16)

    private func inFolder(_ body: (DatabaseFiles, URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let gatt = folder.appendingPathComponent("cache/gatt")
        try await body(DatabaseFiles(folder: Self.place(in: folder), time: clock), gatt)
    }

    private static func place(in folder: URL) -> StateFolder {
        StateFolder(base: "/", shared: Array(folder.pathComponents.dropFirst()), own: ["cache", "gatt"])
    }

    private var stored: StoredDatabase {
        var database = DiscoveredDatabase()
        database.learn(
            .services([GATTService(uuid: 0x180F, range: HandleRange(1, 5), isPrimary: true)]),
            from: .services(isPrimary: true, .all)
        )
        database.learn(.services([]), from: .servicesByUUID(0x180D, HandleRange(6, 9)))
        let include = GATTIncludedService(handle: 2, range: HandleRange(7, 9), uuid: 0x180D)
        database.learn(.includes([include]), from: .includes(HandleRange(2, 2)))
        database.learn(
            .characteristics([
                GATTCharacteristic(
                    declaration: 3,
                    valueHandle: 4,
                    properties: [.read, .notify],
                    uuid: BluetoothUUID("6e400003-b5a3-f393-e0a9-e50e24dcca9e") ?? 0,
                    end: 5
                )
            ]),
            from: .characteristics(HandleRange(2, 5))
        )
        database.learn(.attributes([AttributeType(handle: 5, uuid: 0x2902)]), from: .attributes(HandleRange(5, 5)))
        let format: [UInt8] = [0x06, 0xFE, 0x28, 0x27, 0x01, 0x00, 0x00]
        return StoredDatabase(hash: hash, database: database, longestValues: [4: 20], formats: [4: format])
    }

    @Test("a stored database is found again, for that device only")
    func roundTrip() async throws {
        try await inFolder { files, folder in
            #expect(files.load(device) == nil)
            await files.save(stored, of: device)
            #expect(files.load(device) == stored)
            #expect(files.load(DeviceAddress(device.address, .public)) == nil)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["f0f1f2f3f4f5-random.json"])
        }
    }

    @Test("a file of another device, of another version, or damaged in any way is ignored")
    func damaged() async throws {
        try await inFolder { files, folder in
            await files.save(stored, of: device)
            let file = folder.appendingPathComponent("f0f1f2f3f4f5-random.json")
            let other = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F6), .random)
            try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent("f0f1f2f3f4f6-random.json"))
            #expect(files.load(other) == nil)
            let good = try String(contentsOf: file, encoding: .utf8)
            try #require(Self.sealed(good) == good, "the sum is not made as here")
            for (old, new) in [
                ("\"version\":2", "\"version\":1"), ("\"start\":1", "\"start\":0"), ("\"end\":5", "\"end\":0"),
                ("\"declaration\":3", "\"declaration\":4"), ("\"declaration\":3", "\"declaration\":65536"),
                ("0x180F", "180F-"), ("[[1,5]]", "[[1]]"), ("[[1,5]]", "[[5,1]]"), ("\"4\":20", "\"4\":513"),
                ("\"4\":20", "\"x\":20"), ("000102030405", "0001020304"), ("{", "["), ("\"handle\":5", "\"handle\":3"),
                ("\"end\":9", "\"end\":6"), ("\"4\":\"06", "\"x\":\"06"), ("06fe2827", "06fe28"),
                ("06fe2827", "06fe28xy"),
            ] {
                let bad = good.replacingOccurrences(of: old, with: new)
                try #require(bad != good, "\(old)")
                // Unchanged, and with a matching checksum.
                for text in [bad, Self.sealed(bad)] {
                    try text.write(to: file, atomically: true, encoding: .utf8)
                    #expect(files.load(device) == nil, "\(old) → \(new)")
                }
            }
            // The checksum itself works: a possible change with a matching one is accepted.
            let possible = Self.sealed(good.replacingOccurrences(of: "\"4\":20", with: "\"4\":21"))
            try possible.write(to: file, atomically: true, encoding: .utf8)
            #expect(files.load(device)?.longestValues == [4: 21])
            for length in stride(from: 0, to: good.utf8.count, by: 7) {
                try Data(good.utf8.prefix(length)).write(to: file)
                #expect(files.load(device) == nil)
            }
            // Saving replaces the whole file.
            await files.save(stored, of: device)
            #expect(files.load(device) == stored)
        }
    }

    /// A file's text with a matching checksum.
    private static func sealed(_ text: String) -> String {
        let rest = text.replacing(/"check":"[0-9A-F]*"/, with: #""check":"""#)
        let sum = rest.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return rest.replacing(#""check":"""#, with: #""check":"\#(Hex.string(sum, minimumDigits: 16))""#)
    }

    @Test("a change of any octet of a file is detected")
    func everyOctet() async throws {
        try await inFolder { files, folder in
            await files.save(stored, of: device)
            let file = folder.appendingPathComponent("f0f1f2f3f4f5-random.json")
            let good = Array(try Data(contentsOf: file))
            for index in good.indices {
                for change in [0x01, 0x02, 0x20] as [UInt8] {
                    var bad = good
                    bad[index] ^= change
                    try Data(bad).write(to: file)
                    guard let found = files.load(device) else { continue }
                    // The case of a hexadecimal digit does not matter.
                    #expect(found == stored, "octet \(index) ^ \(change)")
                }
            }
        }
    }

    @Test("only regular files are opened", .timeLimit(.minutes(15)))
    func notAFile() async throws {
        try await inFolder { files, folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appendingPathComponent("f0f1f2f3f4f5-random.json").path
            // Opening a FIFO would wait for a writer.
            #expect(mkfifo(path, 0o600) == 0)
            #expect(files.load(device) == nil)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
            #expect(files.load(device) == nil)
        }
    }

    @Test("a file larger than any that blectl writes is not read")
    func tooLarge() async throws {
        try await inFolder { files, folder in
            await files.save(stored, of: device)
            let file = folder.appendingPathComponent("f0f1f2f3f4f5-random.json")
            let good = try Data(contentsOf: file)
            // White space does not change the meaning of a file.
            for (kilobytes, expected) in [(256, stored), (512, nil)] {
                try (good + Data(repeating: 0x20, count: kilobytes << 10)).write(to: file)
                #expect(files.load(device) == expected)
            }
        }
    }

    @Test("a folder that cannot be written is no error")
    func unwritable() async {
        let files = DatabaseFiles(folder: StateFolder(base: "/proc", own: ["blectl"]), time: clock)
        await files.save(stored, of: device)
        #expect(files.load(device) == nil)
    }

    @Test("the absence of a hash is trusted for a day")
    func absence() async throws {
        try await inFolder { files, _ in
            await files.save(StoredDatabase(hash: nil), of: device)
            #expect(files.load(device) == StoredDatabase(hash: nil))
            clock.wall.withLock { $0 = $0 + .seconds(23 * 3_600) }
            #expect(files.load(device) == StoredDatabase(hash: nil))
            clock.wall.withLock { $0 = $0 + .seconds(2 * 3_600) }
            #expect(files.load(device) == nil)
            // The same after the clock was set back.
            clock.wall.withLock { $0 = $0 + .seconds(-48 * 3_600) }
            #expect(files.load(device) == nil)
        }
    }

    @Test("the database of a bonded device that indicates changes is kept as long as one with a hash")
    func promise() async throws {
        try await inFolder { files, _ in
            var promised = stored
            promised.hash = nil
            promised.serviceChanged = .init(value: 0x0008, configuration: 0xFFFF)
            await files.save(promised, of: device)
            #expect(files.load(device) == promised)
            clock.wall.withLock { $0 = $0 + .seconds(48 * 3_600) }
            #expect(files.load(device) == promised)
            // Without the hash and without the promise nothing can confirm the rest.
            promised.serviceChanged = nil
            await files.save(promised, of: device)
            #expect(files.load(device) == StoredDatabase(hash: nil))
        }
    }

    @Test("nothing is kept for addresses that change")
    func privateAddresses() async throws {
        try await inFolder { files, _ in
            for top in [UInt64(0b00), 0b01, 0b10] {
                let device = DeviceAddress(BluetoothAddress(rawValue: top << 46 | 0x1234), .random)
                await files.save(stored, of: device)
                #expect(files.load(device) == nil)
            }
        }
    }

    // MARK: - Two writers of one file

    /// What one of two programs has found out of the device.
    private func half(_ service: GATTService, _ value: Handle) -> StoredDatabase {
        var database = DiscoveredDatabase()
        database.learn(.services([service]), from: .servicesByUUID(service.uuid, .all))
        let characteristic = GATTCharacteristic(
            declaration: value.previous ?? value,
            valueHandle: value,
            properties: .notify,
            uuid: 0x2A19,
            end: value
        )
        database.learn(.characteristics([characteristic]), from: .characteristics(service.range))
        return StoredDatabase(hash: hash, database: database, longestValues: [value: Int(value.rawValue)])
    }

    private var battery: StoredDatabase {
        half(GATTService(uuid: 0x180F, range: HandleRange(1, 5), isPrimary: true), 3)
    }
    private var heart: StoredDatabase {
        half(GATTService(uuid: 0x180D, range: HandleRange(9, 12), isPrimary: true), 11)
    }

    @Test("discoveries of two programs under the same hash are merged, in either order")
    func merged() async throws {
        for (first, second) in [(battery, heart), (heart, battery)] {
            try await inFolder { files, _ in
                await files.save(first, of: device)
                await files.save(second, of: device)
                let kept = try #require(files.load(device))
                #expect(kept.database.services.map(\.uuid) == [0x180F, 0x180D])
                #expect(kept.database.declarations.map(\.valueHandle) == [3, 11])
                #expect(kept.database.coverage.servicesByUUID.count == 2)
                #expect(kept.longestValues == [3: 3, 11: 11])
            }
        }
    }

    @Test("older entries that contradict the latest one, or have another hash, are replaced")
    func contradicted() async throws {
        var other = battery
        other.hash?[0] ^= 1
        let moved = half(GATTService(uuid: 0x180F, range: HandleRange(1, 7), isPrimary: true), 3)
        let absent = half(GATTService(uuid: 0x180F, range: HandleRange(20, 25), isPrimary: true), 23)
        var promised = heart
        promised.hash = nil
        promised.serviceChanged = .init(value: 0x0008, configuration: 0x0009)
        var since = battery
        since.hash = nil
        since.serviceChanged = promised.serviceChanged
        for (first, second) in [(battery, moved), (battery, absent), (other, heart), (promised, since)] {
            try await inFolder { files, _ in
                await files.save(first, of: device)
                await files.save(second, of: device)
                #expect(files.load(device) == second)
            }
        }
    }

    @Test("many simultaneous writers lose no entry")
    func manyWriters() async throws {
        let halves = (0..<16).map { number in
            let start = UInt16(number * 10 + 1)
            let range = HandleRange(Handle(start), Handle(start + 4))
            let uuid = BluetoothUUID(UInt16(0xFF00 + number))
            return half(GATTService(uuid: uuid, range: range, isPrimary: true), Handle(start + 2))
        }
        try await inFolder { files, folder in
            let above = folder.deletingLastPathComponent().deletingLastPathComponent()
            await withTaskGroup(of: Void.self) { group in
                for half in halves {
                    group.addTask {
                        // Opened anew by each, as by programs of their own: it is the file that is locked.
                        let place = Self.place(in: above)
                        await DatabaseFiles(folder: place, time: PatientClock()).save(half, of: device)
                    }
                }
            }
            let kept = try #require(files.load(device))
            #expect(kept.database.services.count == 16)
            #expect(kept.longestValues.count == 16)
        }
    }

    // MARK: - Files that a hostile device has caused

    /// A database with that number of attributes, as a device may claim to have.
    private func huge(_ count: Int) -> StoredDatabase {
        var database = DiscoveredDatabase()
        let uuid = BluetoothUUID("6e400003-b5a3-f393-e0a9-e50e24dcca9e") ?? 0
        let attributes = (1...count).map { AttributeType(handle: Handle(UInt16($0)), uuid: uuid) }
        database.learn(.attributes(attributes), from: .attributes(HandleRange(1, Handle(UInt16(count)))))
        return StoredDatabase(hash: hash, database: database)
    }

    @Test("a database too large to keep replaces no other, and leaves no outdated one")
    func hugeDatabase() async throws {
        try await inFolder { files, folder in
            let other = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F6), .random)
            await files.save(stored, of: other)
            await files.save(stored, of: device)
            await files.save(huge(65_535), of: device)
            #expect(files.load(device) == nil)
            #expect(files.load(other) == stored)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count == 1)
        }
    }

    @Test("all files together have a size limit, and the oldest are removed")
    func totalSize() async throws {
        try await inFolder { files, folder in
            let large = huge(5_000)
            for number in 0..<60 {
                let address = BluetoothAddress(rawValue: 0xF000_0000_0000 + UInt64(number))
                await files.save(large, of: DeviceAddress(address, .random))
            }
            let sizes = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { name in
                try #require(
                    try folder.appendingPathComponent(name).resourceValues(forKeys: [.fileSizeKey]).fileSize
                )
            }
            #expect((1...16 << 20).contains(sizes.reduce(0, +)), "\(sizes.reduce(0, +))")
            #expect(sizes.count > 20, "and not fewer than there is room for")
            #expect(files.load(DeviceAddress(BluetoothAddress(rawValue: 0xF000_0000_003B), .random)) == large)
            #expect(files.load(DeviceAddress(BluetoothAddress(rawValue: 0xF000_0000_0000), .random)) == nil)
        }
    }

    @Test("a device writes only its own entry: no other address or address type changes")
    func ownOnly() async throws {
        try await inFolder { files, _ in
            let victims = [
                DeviceAddress(device.address, .public),
                DeviceAddress(BluetoothAddress(rawValue: device.address.rawValue ^ 1), .random),
                DeviceAddress(BluetoothAddress(rawValue: device.address.rawValue ^ 1 << 47), .public),
            ]
            for victim in victims { await files.save(stored, of: victim) }
            var hostile = stored
            hostile.hash = [UInt8](repeating: 0xEE, count: 16)
            hostile.longestValues = [4: 512, 9: 1]
            for round in UInt8(0)..<50 {
                hostile.hash?[0] = round
                await files.save(hostile, of: device)
            }
            for victim in victims { #expect(files.load(victim) == stored) }
            #expect(files.load(device) == hostile)
        }
    }

    @Test("the number of kept devices is limited, and the latest are kept")
    func bounded() async throws {
        try await inFolder { files, folder in
            for number in 0..<520 {
                await files.save(
                    StoredDatabase(hash: hash),
                    of: DeviceAddress(BluetoothAddress(rawValue: 0xF000_0000_0000 + UInt64(number)), .random)
                )
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.count == 500)
            #expect(files.load(DeviceAddress(BluetoothAddress(rawValue: 0xF000_0000_0207), .random)) != nil)
        }
    }

    @Test func `a device without an exchange of the MTU is remembered for a week, until it is forgotten`() async throws
    {
        try await inFolder { files, _ in
            #expect(!files.refusesMTUExchange(device))
            await files.saveMTUExchangeRefusal(of: device)
            #expect(files.refusesMTUExchange(device))
            // It is no database, and does not hide the one that there is.
            #expect(files.load(device) == nil)
            await files.save(stored, of: device)
            #expect(files.load(device) == stored && files.refusesMTUExchange(device))
            let other = DeviceAddress(device.address, .public)
            #expect(!files.refusesMTUExchange(other))
            clock.wall.withLock { $0 = $0 + .seconds(7 * 24 * 3_600) }
            #expect(files.refusesMTUExchange(device))
            clock.wall.withLock { $0 = $0 + .seconds(1) }
            #expect(!files.refusesMTUExchange(device), "its firmware may be mended")
            await files.saveMTUExchangeRefusal(of: device)
            clock.wall.withLock { $0 = $0 + .seconds(-60) }
            #expect(!files.refusesMTUExchange(device), "the clock was set back")
            await files.saveMTUExchangeRefusal(of: device)
            let changing = DeviceAddress(BluetoothAddress(rawValue: 0x4000_0000_0001), .random)
            await files.saveMTUExchangeRefusal(of: changing)
            #expect(!files.refusesMTUExchange(changing))
            files.forget(device)
            #expect(!files.refusesMTUExchange(device) && files.load(device) == nil)
        }
    }
}
