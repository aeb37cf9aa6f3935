// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Registries of assigned numbers")
struct RegistryTests {
    private func found(_ text: String, in registries: Set<Registry> = Set(Registry.allCases)) throws -> [String] {
        let query = try #require(RegistryQuery(text))
        return query.entries(in: registries).map { "\($0.registry.rawValue) \($0.numberText) \($0.name)" }
    }

    @Test(arguments: [
        ("0x180D", "service 0x180D Heart Rate"), ("180d", "service 0x180D Heart Rate"),
        ("0x2a19", "characteristic 0x2A19 Battery Level"),
        ("0x2902", "descriptor 0x2902 Client Characteristic Configuration"),
        ("0xFD6F", "service 0xFD6F Exposure Notification"),
        ("0xFFF6", "standards-organization 0xFFF6 Matter Profile ID"),
        ("0x1124", "service-class 0x1124 HID"), ("0x0007", "protocol 0x0007 ATT"),
        ("0x1600", "mesh-profile 0x1600 Ambient Light Sensor NLC Profile 1.0"),
        ("0x2ACB", "object-type 0x2ACB Directory Listing"),
        ("0x272F", "unit 0x272F Celsius temperature (degree Celsius)"),
        ("0x0059", "company 0x0059 Nordic Semiconductor ASA"), ("89", "company 0x0059 Nordic Semiconductor ASA"),
        ("0x0341", "appearance 0x0341 Heart Rate Belt"), ("0xFF", "ad-type 0xFF Manufacturer Specific Data"),
        ("0x0E", "format-type 0x0E sint16"), ("0x010D", "description 0x010D left"), ("0x16", "uri-scheme 0x16 http:"),
        ("0x0E", "att-error 0x0E unlikely error"), ("0x3E", "hci-error 0x3E connection failed to be established"),
        (
            "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
            "service 6e400001-b5a3-f393-e0a9-e50e24dcca9e Nordic UART Service"
        ),
    ])
    func `a number is found in its registry`(_ text: String, _ expected: String) throws {
        let found = try found(text)
        #expect(found.contains { $0.hasPrefix(expected) }, "\(found)")
    }

    @Test func `a descriptor is found by its short name, before other names that contain it`() throws {
        for (name, expected) in [
            ("cpf", "descriptor 0x2904 Characteristic Presentation Format"),
            ("cccd", "descriptor 0x2902 Client Characteristic Configuration"),
            ("CUDD", "descriptor 0x2901 Characteristic User Description"),
        ] {
            #expect(try found(name).first == expected)
            let query = try #require(RegistryQuery(name))
            #expect(try query.isExactly(#require(query.entries().first)))
        }
        #expect(try found("cpf", in: [.characteristic]).isEmpty)
    }

    @Test func `every registry has numbers, in ascending order`() throws {
        for registry in Registry.allCases {
            let names = try #require(RegistryQuery("e")).entries(in: [registry])
            #expect(!names.isEmpty, "\(registry)")
            let beginning = names.filter { $0.slug.hasPrefix("e") && $0.uuid?.short16 != nil }.map(\.number)
            #expect(beginning == beginning.sorted())
        }
    }

    @Test func `the whole name comes first, then names that begin with it, then those that contain it`() throws {
        let names = try #require(RegistryQuery("heart rate")).entries(in: [.service, .characteristic, .appearance])
            .map(\.name)
        #expect(names.first == "Heart Rate")
        #expect(names.contains("Heart Rate Measurement"))
        #expect(names.contains("Heart Rate Belt"))
        let containing = try #require(names.firstIndex { !$0.hasPrefix("Heart Rate") })
        #expect(names[containing...].allSatisfy { !$0.hasPrefix("Heart Rate") }, "\(names)")
        #expect(names[containing...].contains("Resting Heart Rate"))
    }

    @Test func `punctuation and case are ignored`() throws {
        #expect(try found("heart-rate-belt") == found("HEART RATE BELT"))
        #expect(try found("pnpid", in: [.characteristic]) == ["characteristic 0x2A50 PnP ID"])
    }

    @Test func `text that is neither a number nor a name is not a query`() {
        #expect(RegistryQuery("") == nil)
        #expect(RegistryQuery(" -/ ") == nil)
    }

    @Test func `units have their symbol beside the name`() throws {
        let entry = try #require(RegistryQuery("0x2728")?.entries(in: [.unit]).first)
        #expect(entry.symbol == "V")
        #expect(entry.name == "electric potential difference (volt)")
        let company = try #require(RegistryQuery("0x004C")?.entries(in: [.company]).first)
        #expect(company.symbol == nil)
        #expect(company.uuid == nil)
        #expect(company.slug == "apple-inc")
    }

    @Test func `numbers of former companies keep their names`() throws {
        #expect(try found("0x0066", in: [.company]) == ["company 0x0066 9Solutions Oy"])
    }

    @Test func `four digits are hexadecimal, and others are decimal`() throws {
        #expect(try found("0059", in: [.company]) == ["company 0x0059 Nordic Semiconductor ASA"])
        #expect(try found("59", in: [.company]).first == "company 0x003B Gennum Corporation")
        #expect(try found("00089", in: [.company]) == ["company 0x0059 Nordic Semiconductor ASA"])
    }
}
