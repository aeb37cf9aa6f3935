// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@testable import BluetoothProfiles

@Suite("Encoding is the inverse of decoding")
struct RoundTripTests {
    static let vectors = DeviceVectors.vectors + EnvironmentVectors.vectors + HealthVectors.vectors

    @Test("each vector's content encodes to its octets", arguments: vectors)
    func vector(_ vector: CharacteristicVector) throws {
        let format = try #require(CharacteristicFormat.of(vector.uuid))
        let octets = hex(vector.bytes)
        let content = try format.decode(octets).content
        guard !Self.hasOtherForm(vector) else { return }
        #expect(try format.encode(content) == octets)
    }

    /// Values whose content is encoded to other octets, or whose content no device should send.
    static func hasOtherForm(_ vector: CharacteristicVector) -> Bool {
        [
            "2A00 506F6C61720000",  // zeros behind a text
            "2A24 FF41",  // no UTF-8
            "2A19 65",  // a reserved number, which is decoded as null
            "2B8C FEFF", "2B13 FE", "2A0E 7F",  // special values other than "not known"
            "2A08 00000DFF193D3D",  // no time
            "2B35 0278000000000000", "2B35 02780000000000",  // the epoch of 1900
            "2A9D 0D9C40FFE700B802",  // a user who is announced and unknown
            "2A35 01A0F06BF07CF0",  // numbers with another exponent
        ].contains("\(Hex.string(vector.uuid.short16 ?? 0, minimumDigits: 4)) \(vector.bytes.filter { $0 != " " })")
    }

    @Test("every format but the hand-written ones decodes what it encodes, over generated values")
    func generatedValues() throws {
        var generator = ContentGenerator(seed: 0x5EED)
        var count = 0
        for uuid in CharacteristicFormat.all {
            let format = try #require(CharacteristicFormat.of(uuid))
            for _ in 0..<60 {
                guard let sample = generator.sample(of: format) else { break }
                let comment: Comment = "\(uuid) \(json(sample.written))"
                do throws(FieldError) {
                    let octets = try format.encode(sample.written)
                    let decoded = try? format.decode(octets)
                    #expect(decoded?.content == sample.decoded, comment)
                    #expect(decoded?.surplus == [], comment)
                    if let longest = format.maximumLength { #expect(octets.count <= longest, comment) }
                    count += 1
                } catch {
                    Issue.record("\(comment): \(error)")
                }
            }
        }
        #expect(count > 15_000)
    }

    @Test("random octets that encode again have the same content")
    func randomOctets() throws {
        var generator = SeededGenerator(seed: 0xACE)
        var (decodedCount, encodedCount) = (0, 0)
        for uuid in CharacteristicFormat.all {
            let format = try #require(CharacteristicFormat.of(uuid))
            for _ in 0..<60 {
                let bytes = generator.bytes(upTo: 40)
                guard let decoded = try? format.decode(bytes) else { continue }
                decodedCount += 1
                guard let again = try? format.encode(decoded.content) else { continue }
                encodedCount += 1
                let comment: Comment = "\(uuid) \(Hex.string(bytes)) \(Hex.string(again))"
                #expect(try format.decode(again).content == decoded.content, comment)
            }
        }
        // The rest are reserved and impossible values: dates, special values that are all decoded as null, …
        #expect(Double(encodedCount) > 0.8 * Double(decodedCount))
    }

    @Test("typed models encode as their formats do")
    func typedModels() throws {
        for vector in HeartRateMeasurementTests.vectors {
            let content = vector.measurement.decoded.content
            #expect(try CharacteristicFormat.heartRateMeasurement.encode(content) == vector.measurement.encoded())
        }
        for vector in TemperatureMeasurementTests.vectors where vector.measurement.temperature != .notAtThisResolution {
            let content = vector.measurement.decoded.content
            #expect(try CharacteristicFormat.temperatureMeasurement.encode(content) == vector.measurement.encoded())
        }
        #expect(try CharacteristicFormat.batteryLevel.encode(BatteryLevel(percent: 87).decoded.content) == [87])
        let format = PresentationFormat(format: .init(rawValue: 0x0E), exponent: -2, unit: 0x272F)
        #expect(try PresentationFormat(format.decoded.content) == format)
    }

    @Test("every known characteristic is described: keys as decoded, ranges, choices")
    func descriptions() throws {
        for uuid in CharacteristicFormat.all {
            let format = try #require(CharacteristicFormat.of(uuid))
            #expect(!format.fields.isEmpty, "\(uuid)")
            #expect(Set(format.fields.map(\.key)).count == format.fields.count, "\(uuid)")
            for field in format.fields {
                #expect(!field.name.isEmpty, "\(uuid) \(field.key)")
                if field.kind == .number {
                    #expect(field.lowest != nil && field.highest != nil, "\(uuid) \(field.key)")
                }
            }
        }
        let rate = try #require(CharacteristicFormat.of(0x2A37)?.fields.first)
        #expect(rate.key == "heart_rate_bpm" && rate.kind == .number && rate.unit == "bpm" && !rate.isOptional)
        #expect(rate.lowest == .zero && rate.highest == DecimalNumber(65_535) && rate.resolution == DecimalNumber(1))
        let humidity = try #require(CharacteristicFormat.of(0x2A6F)?.fields.first)
        #expect(humidity.highest == DecimalNumber(100) && humidity.special == ["not known"])
        #expect(humidity.resolution == DecimalNumber(1, exponent: -2))
        let alert = try #require(CharacteristicFormat.of(0x2A06)?.fields.first)
        #expect(alert.choices == ["no alert", "mild alert", "high alert"])
    }

    @Test("the largest size counts alternatives once")
    func maximumLengths() {
        let lengths: [(BluetoothUUID, Int?)] = [
            (0x2A19, 1), (0x2A1C, 13), (0x2A9D, 15), (0x2A35, 19), (0x2A37, nil), (0x2A00, nil), (0x2A63, 34),
            (0x2A50, 7), (0x2BF5, nil),
        ]
        for (uuid, length) in lengths { #expect(CharacteristicFormat.of(uuid)?.maximumLength == length, "\(uuid)") }
    }
}
