// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Foundation
import Testing

@testable import Commands
@testable import Records
@testable import Scripting
@testable import Toolkit

@Suite("Keys of beacons")
struct BeaconKeysTests {
    private static let formats = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Bluetooth/Advertising").standardized

    /// The keys of all facts, as the sources of the formats have them.
    private static func keysOfSources() throws -> Set<String> {
        var keys: Set<String> = []
        let files = FileManager.default.enumerator(at: formats, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "AdvertisedFact(").dropFirst() {
                let argument = part.drop(while: \.isWhitespace)
                guard argument.first == "\"" else { continue }
                keys.insert(String(argument.dropFirst().prefix { $0 != "\"" }))
            }
        }
        return keys
    }

    @Test func `they are exactly those of the formats`() throws {
        let members = BeaconKeys.all.flatMap { [$0.name] + $0.type.keys.map(\.name) }
        let keys = try Self.keysOfSources()
        #expect(keys.count > 80)
        #expect(Set(members).symmetricDifference(keys).sorted() == [])
    }

    /// The structures of beacons, sensors and messages, without their lengths.
    static let structures = [
        "ff4c00 0215 f7826da64fa24e988024bc5b71e0893e 0001 002a c5",
        "ff4c00 0719 01 0e20 55 99 37 39 00 00 9672711ae6a965737c80d805039773d1",
        "ff4c00 0719 01 0a20 62 04 80 01 0f 40 0d705016f2408316bf1016349b7484e8",
        "ff4c00 0c0e 00 495a 48 f28a1927bd62fd895b5a 1005 03 1c 839096", "ff4c00 0906 03 07 c0a80102",
        "ff4c00 0b03 c4b5 3f", "ff4c00 0e06 01 00 57 0007 05", "ff4c00 0f05 40 08 390087", "ff4c00 1601 00",
        "ff9904 0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
        "ff9904 06170C5668C79E007000C90501D9FFCD004C884F", "16d2fc 40 00 09 01 5d 02 5d 09 03 b7 18",
        "1695fe 5020aa01da219335342d580d1004fe004802", "1695fe 5030e1048e54d3e63053e20110030100 00",
        "161a18 a4c1380283f400a22f5f0bf819", "ff0600 01 29 21 02 01020304 000102030405060708090a0b0c0d0e0f101112",
        "ff0600 03 00 80", "162cfe 0a1b2c", "162cfe 00 40 01020304 11 c7 33 c0 ff 46",
        "166ffd 000102030405060708090a0b0c0d0e0f a0a1a2a3", "16aafe 20 00 0bb8 1580 00010203 00000258",
        "16b2fc 07 00 a1b2", "165afd 13 8d1502 3b793c9d638b48b1 b7 000000 4e6aac82", "16edfe 0200",
        "16aafe 41 0102030405060708090a0b0c0d0e0f1011121314 c0", "16f6ff 00 000f 5a23 0100 00",
        "ff4c00 1219 90 57364dc7fb77866c40c91076603cb37c1f59f923ab3a 03 00",
        "161c18 23 02 ca09", "161d18 22 9e43 e507 04 0b 10 01 1c", "161b18 03a6 e707 0b 04 0a 15 2c 1102 8a39",
        "16cdfd 08 12 90128312342d58 08 04 01 100000 0f 01 8a 99 01 02", "163dfd 54 00 64 05 96 37",
        "163dfd 64 80 64 03 00 00 00 00 05", "163dfd 48 80 64", "163dfd 63 c0 58 00 11 04",
        "ff3008 0f12005ac75706", "ffe102 100242a0016207adceb37b605d7e0ee21b24df5c",
        "31 18e157cade 74e4dcafdc51c7282810c2217f0e4cef4343181f ba0069cc",
        "1695fe 5848 5b05 01 483cd438c1a4 9cf255cfdd0000002fae2ff2",
    ]

    @Test(arguments: Self.structures)
    func `every path into the record of a beacon is known`(_ structure: String) throws {
        let octets = try #require(Hex.bytes(structure.filter { $0 != " " }))
        let beacon = try #require(AdvertisingData(parsing: [UInt8(octets.count)] + octets).beacon)
        let registration = type(of: beacon.content).registration
        #expect(registration.kinds.contains(beacon.kind))
        for fact in beacon.content.facts {
            let lists = registration.lists[fact.key]
            #expect(lists != nil || registration.keys.contains(fact.key), "\(fact.key)")
            guard case .list(let things) = fact.value else { continue }
            for inner in things.joined() { #expect(lists?.contains(inner.key) == true, "\(fact.key).\(inner.key)") }
        }
        let known = KnownFields(formats: .assigned)
        for path in Self.paths(BeaconPresentation(beacon).json, ["beacon"]) {
            #expect(known.contain(path), "\(path)")
            #expect(!known.contain(path + ["x"]), "\(path)")
        }
        #expect(!known.contain(["beacon", "majr"]))
    }

    private static func paths(_ value: JSONValue, _ path: [String]) -> [[String]] {
        switch value {
        case .object(let members): [path] + members.flatMap { paths($0.value, path + [$0.key]) }
        case .array(let elements): [path] + elements.enumerated().flatMap { paths($0.element, path + ["\($0.offset)"]) }
        default: [path]
        }
    }
}
