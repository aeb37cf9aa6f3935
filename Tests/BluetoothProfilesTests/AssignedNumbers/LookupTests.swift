// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothProfiles

@Suite("Numbers by name")
struct LookupTests {
    @Test(
        "a name is found in every spelling",
        arguments: [
            "battery-level", "Battery Level", "BATTERY_LEVEL", "batterylevel", " battery.level ", "BatteryLevel",
        ]
    )
    func spellings(name: String) {
        #expect(
            AssignedNumbers.uuids(named: name)
                == [AssignedNumber(uuid: 0x2A19, kind: .characteristic, name: "Battery Level")]
        )
    }

    @Test(
        "services are found with and without the word service, and by their earlier names",
        arguments: [
            ("battery", 0x180F), ("battery-service", 0x180F), ("heart-rate", 0x180D), ("Heart Rate Service", 0x180D),
            ("gap", 0x1800), ("generic-access", 0x1800), ("generic-attribute", 0x1801), ("eddystone", 0xFEAA),
            ("human-interface-device", 0x1812),
        ] as [(String, UInt16)]
    )
    func services(name: String, uuid: UInt16) {
        let found = AssignedNumbers.uuids(named: name, kinds: [.service])
        #expect(found.map(\.uuid) == [BluetoothUUID(uuid)])
        #expect(found.first?.kind == .service)
    }

    @Test("vendors' names stand for 128-bit UUIDs")
    func vendors() throws {
        let uart = try #require(BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e"))
        #expect(AssignedNumbers.uuids(named: "nordic-uart-service").map(\.uuid) == [uart])
        #expect(AssignedNumbers.uuids(named: "nordic-uart").map(\.uuid) == [uart])
        #expect(AssignedNumbers.uuids(named: "nordic-uart-rx").first?.kind == .characteristic)
    }

    @Test("a name of two kinds finds both, or the requested one")
    func kinds() {
        #expect(AssignedNumbers.uuids(named: "elapsed-time").map(\.kind) == [.service, .characteristic])
        #expect(AssignedNumbers.uuids(named: "elapsed-time", kinds: [.characteristic]).map(\.uuid) == [0x2BF2])
        #expect(AssignedNumbers.uuids(named: "client-characteristic-configuration").map(\.uuid) == [0x2902])
    }

    @Test(
        "text that is not a name finds nothing",
        arguments: ["", "-", "service", "hart-rate", "battery-levels", "0x2A19", "💙"]
    )
    func nothing(name: String) {
        #expect(AssignedNumbers.uuids(named: name).isEmpty)
    }

    @Test("every name is found by its own slug, and no two of a kind have the same")
    func everySlug() {
        for kind in AssignedNumber.Kind.allCases {
            for slug in AssignedNumbers.slugs([kind]) {
                let found = AssignedNumbers.uuids(named: slug, kinds: [kind])
                #expect(found.count == 1, "\(slug): \(found)")
            }
        }
        #expect(AssignedNumbers.slugs([.characteristic]).contains("heart-rate-measurement"))
        #expect(AssignedNumbers.slugs([.service]) == AssignedNumbers.slugs([.service]).sorted())
    }

    @Test(
        "typing errors are corrected",
        arguments: [
            ("batery-level", "battery-level"), ("battery-levle", "battery-level"),
            ("hart-rate-measurement", "heart-rate-measurement"),
            ("battery-lev", "battery-level"), ("Temprature", "temperature"),
            ("manufacturer", "manufacturer-name-string"),
        ]
    )
    func suggestions(typed: String, meant: String) {
        #expect(AssignedNumbers.suggestions(for: typed, kinds: [.characteristic], limit: 3).contains(meant))
    }

    @Test("suggestions need some resemblance, and are no more than requested")
    func noSuggestions() {
        #expect(AssignedNumbers.suggestions(for: "qwxyzzy-foo").isEmpty)
        #expect(AssignedNumbers.suggestions(for: "x").isEmpty)
        #expect(AssignedNumbers.suggestions(for: String(repeating: "a", count: 1_000)).isEmpty)
        #expect(AssignedNumbers.suggestions(for: "heart", limit: 2).count == 2)
    }

    @Test("companies are found by a part of their name")
    func companies() {
        #expect(AssignedNumbers.companyName(0x004C) == "Apple, Inc.")
        #expect(AssignedNumbers.companyName(0x0059) == "Nordic Semiconductor ASA")
        #expect(AssignedNumbers.companyName(0x0000) == "Ericsson AB")
        #expect(AssignedNumbers.companyName(0x000D) == "Texas Instruments Inc.")
        #expect(AssignedNumbers.companyName(0x00E0) == "Google")
        #expect(AssignedNumbers.companyName(0x10AE) == "Raycon Inc.")
        #expect(AssignedNumbers.companyName(0xFFFE) == nil)
        #expect(AssignedNumbers.companies(named: "nordic semi").map(\.identifier) == [0x0059])
        #expect(AssignedNumbers.companies(named: "apple inc").contains { $0.identifier == 0x004C })
        #expect(AssignedNumbers.companies(named: "").isEmpty)
    }

    @Test("appearances have the name of their subcategory, or of their category")
    func appearances() {
        #expect(AssignedNumbers.appearanceName(0x0000) == "Unknown")
        #expect(AssignedNumbers.appearanceName(0x0040) == "Phone")
        #expect(AssignedNumbers.appearanceName(0x0340) == "Heart Rate Sensor")
        #expect(AssignedNumbers.appearanceName(0x0341) == "Heart Rate Belt")
        #expect(AssignedNumbers.appearanceName(0x037F) == "Heart Rate Sensor (subcategory 63)")
        #expect(AssignedNumbers.appearanceName(0xFFFF) == nil)
    }

    @Test("units have a name and a symbol")
    func units() throws {
        let fahrenheit = try #require(AssignedNumbers.unit(0x27AC))
        #expect(fahrenheit.name == "thermodynamic temperature (degree Fahrenheit)")
        #expect(fahrenheit.symbol == "°F")
        #expect(AssignedNumbers.unit(0x2700)?.symbol == "")
        #expect(AssignedNumbers.unit(0x2700)?.name == "unitless")
        #expect(AssignedNumbers.unit(0x272F)?.symbol == "°C")
        #expect(AssignedNumbers.unit(0x27C9)?.name == "gravity (gn)")
        #expect(AssignedNumbers.unit(0x2A19) == nil)
        #expect(AssignedNumbers.name(of: 0x272F) == "Celsius temperature (degree Celsius)")
    }

    @Test("descriptors, declarations and the namespace have names")
    func others() {
        #expect(AssignedNumbers.name(ofDescriptor: 0x2902) == "Client Characteristic Configuration")
        #expect(AssignedNumbers.name(ofDescriptor: 0x2803) == "Characteristic")
        #expect(AssignedNumbers.name(of: 0x2800) == "Primary Service")
        #expect(AssignedNumbers.name(of: 0x2A37) == "Heart Rate Measurement")
        #expect(AssignedNumbers.name(ofCharacteristic: 0x2B8C) == "CO2 Concentration")
        #expect(AssignedNumbers.namespaceDescription(0x0001) == "first")
        #expect(AssignedNumbers.namespaceDescription(0x010D) == "left")
    }

    @Test(
        "the distance between names counts single typing errors",
        arguments: [
            ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "acb", 1), ("abc", "xabc", 1),
            ("", "ab", 2),
        ] as [(String, String, Int)]
    )
    func distance(left: String, right: String, distance: Int) {
        #expect(EditDistance.distance(Array(left.utf8), Array(right.utf8), limit: 3) == distance)
        if distance > 0 {
            #expect(EditDistance.distance(Array(left.utf8), Array(right.utf8), limit: distance - 1) == nil)
        }
    }
}
