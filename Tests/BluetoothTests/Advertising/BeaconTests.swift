// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Beacons")
struct BeaconTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let beacon: Beacon
        let kind: String
        let hex: String
        let text: String

        var testDescription: String { kind }
    }

    static let vectors: [Vector] = [
        Vector(
            beacon: Beacon(
                IBeacon(
                    uuid: BluetoothUUID(bits128: 0xE2C5_6DB5_DFFB_48D2_B060_D0F5_A710_96E0),
                    major: 0x0102,
                    minor: 0x0304,
                    measuredPower: -59
                )
            ),
            kind: "ibeacon",
            hex: "1aff4c000215 e2c56db5dffb48d2b060d0f5a71096e0 0102 0304 c5",
            text: "iBeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0 major 258 minor 772 at -59 dBm"
        ),
        Vector(
            beacon: Beacon(
                EddystoneTLM(
                    batteryMillivolts: 3_000,
                    temperature256ths: 0x1580,
                    advertisementCount: 0x0001_0203,
                    uptimeTenths: 600
                )
            ),
            kind: "eddystone-tlm",
            hex: "0303aafe 1116aafe 20 00 0bb8 1580 00010203 00000258",
            text: "Eddystone TLM 3000 mV, 21.5 °C, 66051 advertisements, up 60 s"
        ),
        Vector(
            beacon: Beacon(
                EddystoneTLM(batteryMillivolts: nil, temperature256ths: nil, advertisementCount: 1, uptimeTenths: 9)
            ),
            kind: "eddystone-tlm",
            hex: "0303aafe 1116aafe 20 00 0000 8000 00000001 00000009",
            text: "Eddystone TLM 1 advertisement, up 0 s"
        ),
    ]

    @Test("each beacon is written and read exactly", arguments: vectors)
    func exact(_ vector: Vector) {
        let data = AdvertisingData(vector.beacon.elements)
        #expect(Hex.string(data.encoded()) == Hex.string(octets(vector.hex)))
        #expect(AdvertisingData(parsing: octets(vector.hex)).beacon == vector.beacon)
        #expect(vector.beacon.kind == vector.kind)
        #expect(vector.beacon.description == vector.text)
    }

    @Test("AltBeacon, of any manufacturer")
    func altBeacon() throws {
        let identifier = (0..<20).map { UInt8($0) }
        let beacon = try #require(
            AltBeacon(company: 0x0118, identifier: identifier, referenceRSSI: -66, reserved: 0x42)
        )
        let bytes = octets("1bff1801beac" + Hex.string(identifier) + "be42")
        #expect(AdvertisingData(Beacon(beacon).elements).encoded() == bytes)
        #expect(AdvertisingData(parsing: bytes).beacon == Beacon(beacon))
        #expect(Beacon(beacon).description.hasSuffix("0f10111213 at -66 dBm"))
        #expect(AltBeacon(company: 0, identifier: [1], referenceRSSI: 0) == nil)
    }

    @Test("Eddystone UID, with the reserved octets and without")
    func eddystoneUID() throws {
        let uid = try #require(
            EddystoneUID(rangingData: -21, namespace: Array(1...10), instance: Array(0xA1...0xA6))
        )
        let frame = "00 eb 0102030405060708090a a1a2a3a4a5a6"
        let bytes = octets("0303aafe 1716aafe" + frame + "0000")
        #expect(AdvertisingData(Beacon(uid).elements).encoded() == bytes)
        #expect(AdvertisingData(parsing: bytes).beacon == Beacon(uid))
        #expect(AdvertisingData(parsing: octets("1516aafe" + frame)).beacon == Beacon(uid))
        #expect(Beacon(uid).description == "Eddystone UID 0102030405060708090a a1a2a3a4a5a6")
        #expect(EddystoneUID(rangingData: 0, namespace: [], instance: []) == nil)
    }

    @Test("Eddystone URL: beginnings and abbreviations")
    func eddystoneURL() throws {
        expectURL("https://www.example.com/a", "ec 01 6578616d706c65 00 61")
        expectURL("https://goo.gl/Aq18zF", "ec 03 676f6f2e676c2f4171 31387a46")
        expectURL("http://www.example.gov", "ec 00 6578616d706c65 0d")
        expectURL("http://a.info/b.org", "ec 02 61 04 62 08")
        expectURL("https://example.community", "ec 03 6578616d706c65 07 6d756e697479")
        let url = try #require(EddystoneURL(txPower: -20, url: "http://a.info/b.org"))
        let bytes = octets("0303aafe 0a16aafe 10 ec 02 61 04 62 08")
        #expect(AdvertisingData(Beacon(url).elements).encoded() == bytes)
        #expect(AdvertisingData(parsing: bytes).beacon == Beacon(url))
        #expect(Beacon(url).description == "Eddystone URL http://a.info/b.org")
        #expect(EddystoneURL(txPower: 0, url: "ftp://x") == nil)
        #expect(EddystoneURL(txPower: 0, url: "https://exämple.com") == nil)
    }

    private func expectURL(_ text: String, _ hex: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let url = EddystoneURL(txPower: -20, url: text)
        #expect(url.map { Hex.string($0.encoded()) } == Hex.string(octets(hex)), sourceLocation: sourceLocation)
        let read = try? EddystoneURL(decoding: octets(hex))
        #expect(read == url, sourceLocation: sourceLocation)
    }

    @Test("Eddystone URL: undefined octets are reported, not passed on")
    func strangeURL() throws {
        let url = try EddystoneURL(decoding: octets("00 02 61 1b 0e 7f ff 20"))
        #expect(url.url == "http://a%1B%0E%7F%FF%20")
        #expect(throws: DecodeError("URL scheme prefix", .invalid(value: 4))) {
            try EddystoneURL(decoding: octets("00 04 61"))
        }
    }

    @Test("Eddystone EID and encrypted TLM are recognised, and kept closed")
    func closed() throws {
        let eid = try #require(EddystoneEID(rangingData: 1, identifier: Array(1...8)))
        let bytes = octets("0303aafe 0d16aafe 30 01 0102030405060708")
        #expect(AdvertisingData(Beacon(eid).elements).encoded() == bytes)
        #expect(AdvertisingData(parsing: bytes).beacon == Beacon(eid))
        let tlm = try #require(EddystoneEncryptedTLM(payload: Array(1...12), salt: 0x0102, mic: 0x0304))
        let encrypted = octets("0303aafe 1516aafe 20 01 0102030405060708090a0b0c 0102 0304")
        #expect(AdvertisingData(Beacon(tlm).elements).encoded() == encrypted)
        #expect(AdvertisingData(parsing: encrypted).beacon == Beacon(tlm))
        #expect(AdvertisingData(parsing: encrypted).beacon?.kind == "eddystone-etlm")
    }

    @Test("data that nearly match a beacon are not a beacon")
    func almost() {
        let beacons =
            Self.vectors.map { $0.beacon.elements.last?.structure }
            + [ADStructure(.serviceData16, octets("aafe 00 eb 0102030405060708090a a1a2a3a4a5a6"))]
        for case let structure? in beacons {
            for length in 0..<structure.data.count {
                let cut = ADStructure(structure.type, Array(structure.data.prefix(length)))
                #expect(Beacon(cut.element) == nil, "\(cut.element)")
            }
        }
        let strange = [
            "1aff4d000215 e2c56db5dffb48d2b060d0f5a71096e0 0102 0304 c5",
            "1aff4c000316 e2c56db5dffb48d2b060d0f5a71096e0 0102 0304 c5",
            "1aff4c000214 e2c56db5dffb48d2b060d0f5a71096e0 0102 0304 c5",
            "0416aafe 40", "0316aafe", "1116aafe 20 02 0bb8 1580 00010203 00000258",
            "1116abfe 20 00 0bb8 1580 00010203 00000258", "020106",
        ]
        for hex in strange { #expect(AdvertisingData(parsing: octets(hex)).beacon == nil, "\(hex)") }
    }

    @Test("random service and manufacturer data never trap")
    func random() {
        var generator = SeededGenerator(seed: 0x4245_4143)
        let frames: [UInt8] = [0x00, 0x10, 0x20, 0x30, 0x40]
        for _ in 0..<20_000 {
            let frame = frames.randomElement(using: &generator) ?? 0
            let service = ADStructure(.serviceData16, [0xAA, 0xFE, frame] + generator.octets(upTo: 24))
            if let beacon = Beacon(service.element) {
                #expect(!beacon.description.isEmpty)
                #expect(beacon.elements.last.flatMap(Beacon.init) == beacon)
            }
            let apple = ADStructure(.manufacturerSpecificData, [0x4C, 0x00, 0x02, 0x15] + generator.octets(upTo: 30))
            if let beacon = Beacon(apple.element) {
                #expect(beacon.elements.last.flatMap(Beacon.init) == beacon)
            }
        }
    }
}
