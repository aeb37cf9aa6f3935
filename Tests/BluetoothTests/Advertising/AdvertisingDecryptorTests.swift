// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("Decryption of advertisements")
struct AdvertisingDecryptorTests {
    private static let address = BluetoothAddress(rawValue: 0x5448_E68F_80A5)

    private static func keys(_ key: String) throws -> AdvertisingKeys {
        let key: SecurityKey = try #require(SecurityKey(octets: octets(key)))
        return AdvertisingKeys([address: .init(key: key)])
    }

    private static func data(_ structure: String) -> AdvertisingData {
        let octets = octets(structure)
        return AdvertisingData(parsing: [UInt8(octets.count)] + octets)
    }

    /// bthome.io, "Encryption", the example.
    @Test func `the example of BTHome is decrypted`() throws {
        var decryptor = AdvertisingDecryptor(try Self.keys("231d39c1d7cc1ab1aee224cd096db932"))
        let data = Self.data("16d2fc 41 a47266c95f73 00112233 78237214")
        let beacon = try #require(decryptor.opened(data, from: Self.address).beacon)
        #expect(beacon.description == "BTHome 25.06 °C, 50.55 %")
        #expect(beacon.elements != data.elements)
        #expect(AdvertisingData(beacon.elements).encoded() == data.encoded())
    }

    /// Core Specification Supplement 11, Part A, 2.3.1.
    @Test func `the sample of Encrypted Advertising Data becomes a name and an appearance`() throws {
        let session: SecurityKey = try #require(SecurityKey(octets: octets("57a9da12d12e6e131e20612ad10a6a19")))
        let material = EncryptedDataKeyMaterial(
            sessionKey: session,
            vector: octets("9e7a00efb17ae746")
        )
        var decryptor = AdvertisingDecryptor(AdvertisingKeys([Self.address: .init(material: material)]))
        let data = Self.data("31 18e157cade 74e4dcafdc51c7282810c2217f0e4cef4343181f ba0069cc")
        #expect(data.beacon?.description == "encrypted data")
        let opened = decryptor.opened(data, from: Self.address)
        #expect(opened.name?.text == "Short Mini-Bus")
        #expect(opened.appearance == 0x8C0A)
        #expect(opened.structures == data.structures)
        #expect(opened.encoded() == data.encoded())
        let text = try #require(opened.beacon).description
        #expect(text.hasPrefix("decrypted ") && text.contains("Short Mini-Bus"), "\(text)")
        #expect(!"\(String(reflecting: material)) \(decryptor)".contains("57a9"))
    }

    @Test func `key material is for other data than a key, and the other way round`() throws {
        let material = EncryptedDataKeyMaterial(sessionKey: SecurityKey(1), vector: [UInt8](repeating: 1, count: 8))
        var decryptor = AdvertisingDecryptor(AdvertisingKeys([Self.address: .init(material: material)]))
        let sensor = Self.data("16d2fc 41 a47266c95f73 00112233 78237214")
        #expect(decryptor.opened(sensor, from: Self.address) == sensor)
        decryptor = AdvertisingDecryptor(try Self.keys("231d39c1d7cc1ab1aee224cd096db932"))
        let data = Self.data("31 18e157cade 74e4dcafdc51c7282810c2217f0e4cef4343181f ba0069cc")
        #expect(decryptor.opened(data, from: Self.address) == data)
        #expect(EncryptedDataKeyMaterial(sessionKey: SecurityKey(1), vector: [1]) == nil)
    }

    /// A message of BTHome with a counter.
    private static func message(_ counter: UInt32, _ key: [UInt8]) throws -> AdvertisingData {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
        let nonce = address.octetsMostSignificantFirst + [0xD2, 0xFC, 0x41] + count
        let sealed = try #require(AESCCM.seal([0x01, 0x5D], nonce: nonce, key: key))
        let content = [0x41] + sealed.octets + count + sealed.code
        return AdvertisingData([.serviceData(ADServiceData(BTHome.service, content))])
    }

    @Test func `a counter that goes back is told once, and the content is shown`() throws {
        let key = [UInt8](0..<16)
        var decryptor = AdvertisingDecryptor(
            AdvertisingKeys([Self.address: .init(key: SecurityKey(octets: key))])
        )
        var texts: [String] = []
        for counter: UInt32 in [5, 6, 6, 4, 5, .max, 0, 0x8000_0001] {
            let opened = decryptor.opened(try Self.message(counter, key), from: Self.address)
            texts.append(try #require(opened.beacon).description)
        }
        let plain = "BTHome battery 93 %"
        let back = plain + " (the counter went back)"
        // After the greatest number comes zero, and a number that is far ahead counts as one that went back.
        #expect(texts == [plain, plain, plain, back, plain, back, plain, back])
    }

    @Test func `a message with a wrong key does not count`() throws {
        let key = [UInt8](0..<16)
        var decryptor = AdvertisingDecryptor(
            AdvertisingKeys([Self.address: .init(key: SecurityKey(octets: key))])
        )
        _ = decryptor.opened(try Self.message(1, key), from: Self.address)
        let forged = decryptor.opened(try Self.message(1_000, [UInt8](1..<17)), from: Self.address)
        #expect(forged.beacon?.description == "BTHome, encrypted, the key does not fit")
        let next = decryptor.opened(try Self.message(2, key), from: Self.address)
        #expect(next.beacon?.description == "BTHome battery 93 %")
    }

    @Test func `encrypted data within encrypted data stay closed`() throws {
        let (key, vector) = ([UInt8](0..<16), [UInt8](0..<8))
        func seal(_ content: [UInt8]) throws -> [UInt8] {
            let randomizer: [UInt8] = [1, 2, 3, 4, 5]
            let sealed = try #require(
                AESCCM.seal(content, associated: [0xEA], nonce: randomizer + vector, key: key)
            )
            let part = [0x31] + randomizer + sealed.octets + sealed.code
            return [UInt8(part.count)] + part
        }
        let data = AdvertisingData(parsing: try seal(seal([2, 0x0A, 4])))
        let session: SecurityKey = try #require(SecurityKey(octets: key))
        let material = EncryptedDataKeyMaterial(sessionKey: session, vector: vector)
        var decryptor = AdvertisingDecryptor(AdvertisingKeys([Self.address: .init(material: material)]))
        let opened = decryptor.opened(data, from: Self.address)
        #expect(opened.elements.count == 2)
        #expect(opened.txPower == nil)
    }

    @Test func `the name of an air monitor of Govee tells it from a thermometer in the cold`() throws {
        let part = "09ff 0100 0101 81867cd8"
        let alone = AdvertisingData(parsing: octets(part))
        #expect(alone.beacon?.kind != "govee" || alone.beacon?.description.contains("-2.5 °C") != true)
        let named = AdvertisingData(parsing: octets(part + "0d09 475648353130365f34453035"))
        #expect(named.beacon?.description == "Govee -2.5 °C 59.1 % PM2.5 0 µg/m³")
    }

    @Test func `the model of SwitchBot comes in one packet, and its values in another`() throws {
        let response = Self.data("163dfd 77 00 64")
        let advertisement = Self.data("ff6909 d03234351e4d 5d 03 05 96 37 00")
        #expect(advertisement.beacon?.description == "SwitchBot")
        func report(_ data: AdvertisingData) -> AdvertisingReport {
            let address = DeviceAddress(Self.address, .public)
            return AdvertisingReport(address: address, properties: [.legacy], rssi: nil, data: data.encoded())
        }
        for (first, second) in [(response, advertisement), (advertisement, response)] {
            let info = AdvertiserInfo(report(first), first, now: .zero)
            let text = second.completed(by: info).beacon?.description
            #expect(text == "SwitchBot Indoor/Outdoor Thermo-Hygrometer 22.5 °C 55 % battery 100 %")
        }
    }
}
