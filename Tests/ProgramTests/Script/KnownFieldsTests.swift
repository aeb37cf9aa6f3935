// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import CommandLineInterface
import Records
import Testing

@testable import Commands
@testable import Scripting
@testable import Toolkit

@Suite("Names of fields that are known before a result")
struct KnownFieldsTests {
    private func isKnown(_ path: String) -> Bool {
        KnownFields(formats: .assigned).contain(path.split(separator: ".").map(String.init))
    }

    @Test(arguments: [
        "heart_rate.bpm", "heart_rate_bpm.foo", "decoded.heart_rate.min", "battery_level.percent", "contact.x",
        "rr_intervals.0.x", "rr_intervals.first", "text.foo", "rssi.x", "device.nam", "decoded.0.x", "timing.scn",
        "beacon.majr", "beacon.measured_powr", "beacon.major.x", "beacon.messages.0.majr", "values.x", "values.0.x",
        "speed.x", "decoded.decoded.heart_rate", "rr_intervals.-1", "services.-1", "decoded.-1", "values.-1",
    ])
    func `a path that no record has is unknown`(_ path: String) { #expect(!isKnown(path)) }

    @Test(arguments: [
        "heart_rate", "heart_rate_bpm", "decoded.heart_rate", "rr_intervals_ms.0", "rr_intervals.12", "rssi",
        "device.name", "services.0", "manufacturer.0.company_id", "timing.scan", "beacon", "beacon.major",
        "beacon.measured_power", "beacon.messages.0.wrist", "beacon.batteries.1", "values.2", "speed_kmh", "cadence",
        "light_lux", "pressure", "decoded.0", "decoded.value.1", "decoded.unit", "values.0.value", "values.1.unit",
        "decoding_error.field", "decoded", "value",
    ])
    func `a path that some record has is known`(_ path: String) { #expect(isKnown(path)) }

    /// The keys of a SensorTag have a format in its profile alone.
    @Test func `a field of a format that only profiles use is known`() {
        let formats = Profile.all.flatMap { $0.sources + $0.variants.flatMap(\.sources) }.compactMap(\.format)
        let names = formats.flatMap(\.fields).map(\.key)
        #expect(names.contains("keys"))
        for name in names where !name.isEmpty { #expect(isKnown("decoded.\(name)"), "\(name)") }
    }

    @Test func `the reports of a scan lack the keys of its summary, and the summary theirs`() throws {
        func scope(_ words: String...) throws -> ResultScope {
            let invocation = try Invocation(["scan", "--duration=1"] + words, environment: { _ in nil })
            guard case .run(let arguments) = invocation else { throw BlectlError(.internalError, "no command") }
            return ResultScope(try CommandRequest(arguments))
        }
        for (path, inReports, inSummary) in [
            ("rssi_max_dbm", false, true), ("interval_ms", false, true), ("rssi_dbm", true, false),
            ("name", true, true),
        ] {
            #expect(try scope().keys.haveKey(at: [path]) == inReports, "\(path)")
            #expect(try scope("--summary").keys.haveKey(at: [path]) == inSummary, "\(path)")
        }
    }

    @Test func `a member of an element, and an index into names of bits, are parts`() throws {
        let format = try CharacteristicFormat([
            FieldDefinition("states", .bits(.u8, ["open", "locked"])),
            FieldDefinition("points", .list([FieldDefinition("level", .number(.u8))])),
        ])
        let fields = format.fields
        for path in [["points"], ["points", "0"], ["points", "0", "level"], ["states"], ["states", "1"]] {
            #expect(fields.haveField(at: path[...]), "\(path)")
        }
        for path in [
            ["points", "level"], ["points", "0", "levle"], ["states", "open"], ["states", "1", "x"], ["0"],
        ] {
            #expect(!fields.haveField(at: path[...]), "\(path)")
        }
    }

    /// Whatever octets a device sends, a script may name each part of what they decode to.
    @Test func `every path into a decoded value is known in its format`() throws {
        var unknown: [String] = []
        for uuid in CharacteristicFormat.all {
            let format = try #require(CharacteristicFormat.of(uuid))
            let fields = format.fields
            var state = UInt64(uuid.value >> 96) | 1
            for length in [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30] {
                var random: [UInt8] = []
                for _ in 0..<length {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    random.append(UInt8(truncatingIfNeeded: state >> 33))
                }
                for octets in [random, [UInt8](repeating: 0, count: length), [UInt8](repeating: 0xFF, count: length)] {
                    for path in Self.paths(format.decodeAsFarAsPossible(octets).content, [])
                    where !fields.haveField(at: path[...]) {
                        unknown.append("\(uuid): \(path) of \(octets)")
                    }
                }
            }
        }
        #expect(unknown == [])
    }

    private static func paths(_ content: DecodedValue.Content, _ path: [String]) -> [[String]] {
        switch content {
        case .object(let members): [path] + members.flatMap { paths($0.value, path + [$0.key]) }
        case .array(let elements): [path] + elements.enumerated().flatMap { paths($0.element, path + ["\($0.offset)"]) }
        case .null, .bool, .number, .string: [path]
        }
    }
}
