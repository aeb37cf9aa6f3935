// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@testable import BluetoothProfiles

/// Holds every known format to octets of every shape: flags that are clear, set, and set alone, with the shortest and the
/// longest values.
@Suite("Every format")
struct EveryFormatTests {
    /// The types of values with a format, and their formats on each model.
    static let formats: [(uuid: BluetoothUUID, format: CharacteristicFormat)] = {
        let types =
            (0x2800...0x2803).map { BluetoothUUID(UInt16($0)) } + (0x2900...0x29FF).map { BluetoothUUID(UInt16($0)) }
        let descriptors = types.compactMap { type in DescriptorValue.format(ofDescriptor: type).map { (type, $0) } }
        let characteristics = CharacteristicFormat.all.compactMap { type in
            CharacteristicFormat.of(type).map { (type, $0) }
        }
        var formats: [(uuid: BluetoothUUID, format: CharacteristicFormat)] = []
        for (type, format) in descriptors + characteristics {
            if !format.needsModel { formats.append((type, format)) }
            for model in format.models { formats.append((type, format.on(model))) }
        }
        return formats
    }()

    /// The formats of which some decoded values are not encoded, and why.
    static let refused: [BluetoothUUID: String] = [
        0x2ACD: "an earlier edition has a pace of another unit",
        0x2ACE: "an earlier edition has larger resistance levels",
        0x2AD1: "an earlier edition has larger resistance levels",
        0x2AD2: "an earlier edition has larger resistance levels",
        0x2AD6: "an earlier edition has larger resistance levels",
        0x2AD9: "an earlier edition has larger resistance levels",
        0x2ADA: "an earlier edition has larger resistance levels",
        0x2AF5: "octets that are no UTF-8 become three each",
        0x2AF6: "octets that are no UTF-8 become three each",
        0x2AF7: "octets that are no UTF-8 become three each",
        0x2AF8: "octets that are no UTF-8 become three each",
        0x2BDE: "octets that are no UTF-8 become three each",
        0x2BEB: "one of two temperatures is a bound, which is null",
        SensorTag.uuid(0xAA01): "a voltage that no temperature causes",
    ]

    /// Formats whose decoded values are encoded to octets that mean something else, and why.
    static let rounded: [BluetoothUUID: String] = [
        0x2ACE: "an earlier edition has tenths", 0x2AD6: "an earlier edition has tenths",
    ]

    @Test func `what is decoded is encoded to octets that mean the same, or refused`() {
        var refused: [BluetoothUUID: String] = [:]
        var other: [BluetoothUUID: String] = [:]
        var (count, equal) = (0, 0)
        for (uuid, format) in Self.formats {
            var shapes = ValueShapes(uuid)
            for octets in shapes.values(of: format) {
                let content = format.decodeAsFarAsPossible(octets).content
                count += 1
                do throws(FieldError) {
                    let again = try format.encode(content)
                    equal += again == octets ? 1 : 0
                    if format.decodeAsFarAsPossible(again).content != content {
                        other[uuid] = "\(Hex.string(octets)) \(Hex.string(again))"
                    }
                } catch {
                    refused[uuid] = "\(Hex.string(octets)) \(error)"
                }
            }
        }
        #expect(Set(refused.keys) == Set(Self.refused.keys), "\(refused)")
        #expect(Set(other.keys) == Set(Self.rounded.keys), "\(other)")
        // The others have bits without a meaning, texts with zeros behind them, or special values, which are all null.
        #expect(count > 10_000 && equal * 4 > count, "\(equal) of \(count)")
    }

    @Test func `a device file gives back the octets that it was written of`() throws {
        for (index, shape) in try Self.devices().enumerated() {
            let text = DeviceFile.text(of: shape)
            do {
                let again = try DeviceFile.read(Array(text.utf8), named: "x")
                #expect(again == shape)
            } catch {
                Issue.record("device \(index): \(error)")
            }
        }
    }

    /// Devices that have all characteristics, each with octets of another shape.
    private static func devices() throws -> [DeviceDefinition] {
        let values = formats.filter { CharacteristicValue.isKnown($0.uuid) && $0.format.models.isEmpty }.map {
            uuid,
            format in
            var shapes = ValueShapes(uuid)
            return (uuid: uuid, values: shapes.values(of: format))
        }
        return try (0..<24).map { number in
            let members = values.map { uuid, values in
                // The shapes differ most from one end of the list to the other.
                let octets = values.isEmpty ? [] : values[number * (values.count - 1) / 23]
                return #"{"uuid": "\#(uuid)", "properties": ["read"], "value": "hex:\#(Hex.string(octets))"}"#
            }
            let text =
                #"{"schema": "blectl-device/1", "services": [{"uuid": "8e1c0000-4f2a-4b6e-9f0e-2d6c1a5b7c00", "#
                + #""characteristics": [\#(members.joined(separator: ","))]}]}"#
            return try DeviceFile.read(Array(text.utf8), named: "x")
        }
    }
}

/// Octets of every shape that a format has.
private struct ValueShapes {
    private var random: SeededGenerator

    init(_ uuid: BluetoothUUID) { random = SeededGenerator(seed: UInt64(truncatingIfNeeded: uuid.value >> 96)) }

    /// Octets that the format decodes whole and without a fault.
    mutating func values(of format: CharacteristicFormat) -> [[UInt8]] {
        var found: Set<[UInt8]> = []
        var values: [[UInt8]] = []
        for start in starts(of: format) {
            for fill in 0..<7 {
                let octets = start + rest(fill)
                // What is over is no part of the value. A value that has no end may be of any length.
                let decoded = format.decodeAsFarAsPossible(octets)
                let whole = octets.dropLast(decoded.surplus.count)
                let last = max(0, whole.count - 2)
                // Elements have one to eight octets: by steps of seven, the last one has every length.
                let first = format.maximumLength == nil ? Array(stride(from: 0, to: last, by: 7)) : []
                for length in first + (last...whole.count) {
                    let value = Array(whole.prefix(length))
                    guard format.decodeAsFarAsPossible(value).fault == nil, found.insert(value).inserted else {
                        continue
                    }
                    values.append(value)
                }
            }
        }
        return values
    }

    private mutating func rest(_ fill: Int) -> [UInt8] {
        switch fill {
        case 0: [UInt8](repeating: 0, count: 72)
        case 1: [UInt8](repeating: 1, count: 72)
        case 2: [UInt8](repeating: 0x61, count: 72)
        case 3: [UInt8](repeating: 0xFF, count: 72)
        // Special values beside other ones.
        case 4: (0..<72).map { [0x80, 0x01][$0 % 2] }
        case 5: (0..<72).map { [0x00, 0x80, 0x00, 0x00][$0 % 4] }
        default: (0..<72).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
    }

    /// The flags or the op codes with which values begin; nothing if there are none.
    private func starts(of format: CharacteristicFormat) -> [[UInt8]] {
        switch format.layout {
        case .fields(let group):
            let integer: IntegerFormat
            switch group.fields.first?.kind {
            case .flags(let format)?, .word(let format)?: integer = format
            default: return [[]]
            }
            let bits = (0..<8 * integer.octets).map { UInt64(1) << UInt64($0) }
            let all = bits.reduce(0, |)
            // An octet may be an op code, which takes any value.
            let words: [UInt64] =
                integer.octets == 1 ? Array(0...0xFF) : [0, all] + bits + bits.map { all & ~$0 }
            return words.map { word in
                var writer = ByteWriter()
                integer.write(word, to: &writer)
                return writer.bytes
            }
        case .editions(let editions): return starts(of: editions.current)
        case .models(let formats): return formats.usual.map { starts(of: $0) } ?? [[]]
        case .text, .handWritten: return [[]]
        }
    }
}
