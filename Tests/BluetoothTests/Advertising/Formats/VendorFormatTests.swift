// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Messages of vendors in advertisements")
struct VendorFormatTests {
    /// Put together from the tables of fields and the examples of github.com/furiousMAC/continuity.
    static let apple = [
        FormatVector("Nearby Info", "ff4c00 1005 17 1c 839096", "apple", "Apple Nearby Info screen on Wi-Fi on"),
        FormatVector(
            "Nearby Info, locked",
            "ff4c00 1005 01 18 839096",
            "apple",
            "Apple Nearby Info activity not reported"
        ),
        FormatVector("Handoff", "ff4c00 0c0e 00 495a 48 f28a1927bd62fd895b5a", "apple", "Apple Handoff"),
        FormatVector(
            "Handoff and Nearby Info",
            "ff4c00 0c0e 00 495a 48 f28a1927bd62fd895b5a 1005 03 1c 839096",
            "apple",
            "Apple Handoff, Nearby Info idle Wi-Fi on"
        ),
        FormatVector(
            "AirPods Pro",
            "ff4c00 0719 01 0e20 55 99 37 39 00 00 9672711ae6a965737c80d805039773d1",
            "apple",
            "Apple Proximity Pairing AirPods Pro left 90 % right 90 % case 70 %"
        ),
        FormatVector(
            "AirPods, of which one is unknown",
            "ff4c00 0719 01 0220 55 f9 8f 39 00 00 9672711ae6a965737c80d805039773d1",
            "apple",
            "Apple Proximity Pairing AirPods right 90 %"
        ),
        // Octets of devices from the tests of github.com/d4rken-org/capod.
        FormatVector(
            "an earphone that sends as the left one",
            "ff4c00 0719 01 1220 20 fa 8f 01 11 24 9b9b2352605a8c321ca5c2815182afc8",
            "apple",
            "Apple Proximity Pairing Beats Fit Pro left 100 %"
        ),
        FormatVector(
            "an earphone that sends as the right one",
            "ff4c00 0719 01 1220 04 fa 92 54 11 24 ceb1df9d8df5e33760b1238b903b633f",
            "apple",
            "Apple Proximity Pairing Beats Fit Pro right 100 % case 20 %"
        ),
        FormatVector(
            "headphones with one battery",
            "ff4c00 0719 01 0a20 62 04 80 01 0f 40 0d705016f2408316bf1016349b7484e8",
            "apple",
            "Apple Proximity Pairing AirPods Max battery 40 %"
        ),
        FormatVector("AirPlay Target", "ff4c00 0906 03 07 c0a80102", "apple", "Apple AirPlay Target 192.168.1.2"),
        FormatVector("Magic Switch", "ff4c00 0b03 c4b5 3f", "apple", "Apple Magic Switch on wrist"),
        FormatVector(
            "Tethering Source",
            "ff4c00 0e06 01 00 57 0007 05",
            "apple",
            "Apple Tethering Source battery 87 % LTE"
        ),
        FormatVector("Nearby Action", "ff4c00 0f05 40 08 390087", "apple", "Apple Nearby Action Wi-Fi password"),
        FormatVector(
            "AirDrop",
            "ff4c00 0512 0000000000000000 01 6e2e f7ad 09b2 2080 00",
            "apple",
            "Apple AirDrop"
        ),
        FormatVector(
            "Find My",
            "ff4c00 1219 a4 57364dc7fb77866c40c91076603cb37c1f59f923ab3a 03 00",
            "apple",
            "Apple Find My accessory near its owner"
        ),
        FormatVector("Find My, near its owner", "ff4c00 1202 00 03", "apple", "Apple Find My near its owner"),
        FormatVector(
            "Find My, an AirTag near its owner",
            "ff4c00 1202 10 03",
            "apple",
            "Apple Find My AirTag near its owner"
        ),
        FormatVector(
            "Find My, an AirTag without its owner",
            "ff4c00 1219 90 57364dc7fb77866c40c91076603cb37c1f59f923ab3a 03 00",
            "apple",
            "Apple Find My AirTag separated from its owner"
        ),
        FormatVector(
            "HomeKit, whose length has a subtype",
            "ff4c00 062d 01 222022f38f01 1000 92fa 02 c7",
            "apple",
            "Apple HomeKit range extender"
        ),
        FormatVector("an unknown type", "ff4c00 1601 00", "apple", "Apple message 0x16"),
    ]

    static let others = [
        // [MS-CDP] 2.2.2.2.3 and the page on Swift Pair, with its example of a vendor section.
        FormatVector(
            "Connected Devices Platform",
            "ff0600 01 29 21 02 01020304 000102030405060708090a0b0c0d0e0f101112",
            "microsoft-cdp",
            "Microsoft Windows desktop",
            ["device_type": "9", "shares_with_all": "yes"]
        ),
        FormatVector("Swift Pair", "ff0600 03 00 80", "microsoft-swift-pair", "Microsoft Swift Pair Bluetooth LE"),
        // The page on the provider's advertising signal.
        FormatVector("Fast Pair, model", "162cfe 0a1b2c", "fast-pair", "Fast Pair model 0x0A1B2C"),
        FormatVector(
            "Fast Pair, account data with charges",
            "162cfe 00 40 01020304 11 c7 33 c0 ff 46",
            "fast-pair",
            "Fast Pair left 64 % charging, right charging, case 70 %"
        ),
        FormatVector(
            "Exposure Notification",
            "166ffd 000102030405060708090a0b0c0d0e0f a0a1a2a3",
            "exposure-notification",
            "Exposure Notification",
            ["identifier": "000102030405060708090a0b0c0d0e0f", "metadata": "a0a1a2a3"]
        ),
    ]

    @Test("examples of documents", arguments: apple + others)
    func vector(_ vector: FormatVector) throws { try vector.check() }

    @Test("each message of Apple has its octets")
    func messages() throws {
        let content = AppleContinuity(ADManufacturerData(company: 0x004C, octets("1005 17 1c 839096 0c0e 00")))
        #expect(content?.messages.map(\.type) == [0x10])
        #expect(content?.messages.map(\.octets) == [octets("17 1c 839096")])
        let content2 = AppleContinuity(ADManufacturerData(company: 0x004C, octets("0a01 00 0d04 67f36d01")))
        #expect(content2?.messages.map(\.name) == ["AirPlay Source", "Tethering Target"])
    }

    /// The facts of Apple's messages as texts, by their keys.
    private func facts(_ hex: String) throws -> [String: String] {
        let data = ADManufacturerData(company: 0x004C, octets(hex))
        let content = try #require(AppleContinuity(data))
        guard case .list(let messages)? = content.facts.first?.value else { return [:] }
        return messages.flatMap { $0 }.reduce(into: [:]) { $0[$1.key] = $1.text }
    }

    @Test("a tag reports its charge without its owner, too, and a phone only near it")
    func findMy() throws {
        let key = "57364dc7fb77866c40c91076603cb37c1f59f923ab3a"
        let charges = [("90", "low"), ("50", "medium"), ("10", "full"), ("d4", "critically low"), ("00", "")]
        for (status, battery) in charges {
            let found = try facts("1219 \(status) \(key) 03 00")
            #expect(found["battery"] == battery, "\(status)")
            #expect(found["near_owner"] == (status == "d4" ? "yes" : "no"), "\(status)")
        }
    }

    @Test("the charging of earphones belongs to the side that sends")
    func charging() throws {
        let right = try facts("0719 01 1220 04 fa 92 54 11 24 ceb1df9d8df5e33760b1238b903b633f")
        #expect(right["charging_left"] == "no" && right["charging_right"] == "yes" && right["charging_case"] == "no")
        let left = try facts("0719 01 1220 24 fa 92 54 11 24 ceb1df9d8df5e33760b1238b903b633f")
        #expect(left["charging_left"] == "yes" && left["charging_right"] == "no")
        #expect(left["battery_left_percent"] == "100 %" && left["battery_right_percent"] == "")
    }

    @Test("data that are cut short or of another kind are not decoded")
    func almost() {
        let strange = [
            "03ff4c00", "04ff4c0010", "08ff4c001005 171c83", "05ff4c000200", "05ff4d001000", "05ff06000100",
            "06ff0600020080", "05162cfe 0a1b", "05166ffd 0001", "03162cfe",
        ]
        for hex in strange { #expect(AdvertisingData(parsing: octets(hex)).beacon == nil, "\(hex)") }
    }

    @Test("random data of each company and service never trap, and survive unchanged")
    func random() {
        var generator = SeededGenerator(seed: 0x464F_524D)
        let companies: [UInt16] = [0x0499, 0xEC88, 0x0001, 0x8801, 0x004C, 0x0006, 0x1234]
        let services: [BluetoothUUID] = [
            0xFCD2, 0x181A, 0xFE95, 0xFE2C, 0xFD6F, 0xFEAA, 0xFCB2, 0xFD5A, 0xFEED, 0xFFF6,
        ]
        for _ in 0..<20_000 {
            let company = companies.randomElement(using: &generator) ?? 0
            let service = services.randomElement(using: &generator) ?? 0
            let elements: [ADElement] = [
                .manufacturerData(ADManufacturerData(company: company, generator.octets(upTo: 30))),
                .serviceData(ADServiceData(service, generator.octets(upTo: 30))),
            ]
            for element in elements {
                guard let beacon = Beacon(element) else { continue }
                #expect(!beacon.description.isEmpty)
                #expect(Set(beacon.content.facts.map(\.key)).count == beacon.content.facts.count, "\(element)")
                #expect(beacon.elements.last.flatMap(Beacon.init) == beacon)
            }
        }
    }

    @Test(
        "a number keeps its digits",
        arguments: [
            (24_300, -3, "24.3", 24.3), (-5, -2, "-0.05", -0.05), (100, -2, "1", 1), (7, 0, "7", 7), (0, -4, "0", 0),
            (-390_625, -8, "-0.00390625", -0.00390625), (12, -12, "0.000000012", 1.2e-8),
        ]
    )
    func number(digits: Int, exponent: Int, text: String, double: Double) {
        let number = AdvertisedNumber(digits, exponent: exponent)
        #expect(number.description == text)
        #expect(number.double == double)
    }
}
