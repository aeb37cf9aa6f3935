// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@testable import BluetoothProfiles

@Suite("Characteristic values")
struct CharacteristicValueTests {
    static let known: [UInt16] = (UInt16.min ... .max).filter { CharacteristicValue.format(of: $0) != nil }

    @Test("more than 250 characteristics are known, and each has a name")
    func coverage() {
        #expect(Self.known.count > 250)
        for short in Self.known {
            #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(short)) != nil, "\(BluetoothUUID(short))")
        }
        #expect(CharacteristicValue.isKnown(0x2A37))
        #expect(!CharacteristicValue.isKnown(0x2A4D))
        #expect(!CharacteristicValue.isKnown(BluetoothUUID(bits128: 1)))
    }

    @Test("a 128-bit spelling of a short UUID is the same characteristic")
    func longSpelling() throws {
        let long = BluetoothUUID(bits128: BluetoothUUID(0x2A19).value)
        #expect(try CharacteristicValue.decode([50], of: long)?.text == "50 %")
    }

    @Test("random octets of any length never trap, and the keys of a characteristic never change")
    func randomOctets() {
        var generator = SeededGenerator(seed: 0x5EED)
        for short in Self.known {
            var keys: [String]?
            for _ in 0..<200 {
                let bytes = generator.bytes(upTo: 48)
                guard let value = try? CharacteristicValue.decode(bytes, of: BluetoothUUID(short)) else { continue }
                guard case .object(let members) = value.content else { continue }
                let found = members.map(\.key)
                #expect(keys == nil || keys == found, "\(BluetoothUUID(short)) \(Hex.string(bytes))")
                #expect(Set(found).count == found.count, "\(BluetoothUUID(short)) \(found)")
                keys = found
            }
            for key in keys ?? [] {
                #expect(!key.isEmpty, "\(BluetoothUUID(short))")
                #expect(key.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }, "\(key)")
            }
        }
    }

    @Test("equal octets of any length never trap")
    func extremeOctets() {
        for short in Self.known {
            for octet: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                for count in 0...40 {
                    _ = try? CharacteristicValue.decode(
                        [UInt8](repeating: octet, count: count),
                        of: BluetoothUUID(short)
                    )
                }
            }
        }
    }
}
