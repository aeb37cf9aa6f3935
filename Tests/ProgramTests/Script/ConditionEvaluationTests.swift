// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import CommandLineInterface
import Testing

@testable import Commands
@testable import Scripting
@testable import Toolkit

@Suite("Conditions on records")
struct ConditionEvaluationTests {
    private static func subject(_ json: String) -> ConditionSubject {
        ConditionSubject(record: (try? JSONValue(json: Array(json.utf8))) ?? .null)
    }

    private static let battery = subject(
        #"{"decoded":{"battery_level_percent":87},"device":{"address":"C8:4B:1D:3A:90:5E","name":"Pulse HR"},"text":"87 %","type":"value","value":"57"}"#
    )
    private static let beat = subject(
        #"{"decoded":{"contact":true,"heart_rate_bpm":66,"rr_intervals_ms":[908.5]},"text":"66 bpm","type":"measurement","value":"1e42a203"}"#
    )
    private static let oximetry = subject(
        #"{"decoded":{"pulse_rate_bpm":65,"pulse_rate_fast_bpm":null,"spo2_fast_percent":97,"spo2_percent":98},"type":"notification"}"#
    )
    private static let fever = subject(
        #"{"decoded":{"temperature_c":null,"temperature_f":101.3,"temperature_type":"ear"},"type":"indication"}"#
    )
    private static let noFever = subject(
        #"{"decoded":{"temperature_c":null,"temperature_f":null,"temperature_type":null},"type":"indication"}"#
    )
    private static let summary = subject(
        #"{"interval_ms":100,"rssi_max_dbm":-50,"rssi_mean_dbm":-60,"rssi_min_dbm":-70,"type":"device"}"#
    )
    private static let name = subject(
        #"{"decoded":"Pulse HR","text":"Pulse HR","type":"value","value":"50756c7365204852"}"#
    )
    private static let raw = subject(#"{"decoded":null,"text":null,"type":"value","value":"0a0b0c"}"#)
    private static let custom = subject(
        #"{"decoded":null,"service":"b1ec0500-5ec7-4c3a-9d0e-51a1b1ec0001","type":"value","value":"0a"}"#
    )
    private static let advertisement = subject(
        #"{"name":null,"rssi_dbm":-63,"services":["0x180D","0x180F"],"type":"advertisement"}"#
    )

    private func unmet(_ condition: ScriptCondition, _ subject: ConditionSubject) throws -> UnmetCondition? {
        try ConditionEvaluation(variables: ScriptVariables(["low": "20"])).unmet(condition, on: subject)
    }

    /// A condition, a subject, and whether it is met.
    struct Row: Sendable, CustomTestStringConvertible {
        let condition: ScriptCondition
        let subject: ConditionSubject
        let isMet: Bool
        var testDescription: String { condition.text { $0.literal ?? "$" } + (isMet ? "" : " (not)") }

        init(_ field: String?, _ relation: ScriptRelation, _ subject: ConditionSubject, _ isMet: Bool) {
            condition = Make.compare(field, relation)
            self.subject = subject
            self.isMet = isMet
        }
    }

    private static func word(_ text: String) -> ScriptWord { Make.word(text) }

    static let rows: [Row] = [
        Row(nil, .equal(word("87")), battery, true),
        Row(nil, .equal(word("87.0")), battery, true),
        Row(nil, .equal(word("0x57")), battery, true),
        Row(nil, .equal(word("0x58")), battery, false),
        Row(nil, .notEqual(word("86")), battery, true),
        Row(nil, .range(lower: word("20"), upper: word("100")), battery, true),
        Row(nil, .range(lower: Make.variable("low"), upper: nil), battery, true),
        Row(nil, .range(lower: nil, upper: word("86")), battery, false),
        Row(nil, .less(word("87")), battery, false),
        Row(nil, .lessOrEqual(word("87")), battery, true),
        Row(nil, .greater(word("-1")), battery, true),
        Row(nil, .greaterOrEqual(word("88")), battery, false),
        Row("battery_level", .equal(word("87")), battery, true),
        Row("battery_level_percent", .equal(word("87")), battery, true),
        Row("decoded.battery_level_percent", .equal(word("87")), battery, true),
        Row("device.name", .matches(word("^Pulse")), battery, true),
        // The digits of addresses and UUIDs have no case; names have one.
        Row("device.name", .equal(word("pulse hr")), battery, false),
        Row("device.address", .equal(word("c8:4b:1d:3a:90:5e")), battery, true),
        Row("device.address", .equal(Make.word("c8:4b:1d:3a:90:5E", isQuoted: true)), battery, true),
        Row("device.address", .notEqual(word("C8:4B:1D:3A:90:5E")), battery, false),
        Row("device.address", .equal(word("c8:4b:1d:3a:90:5f")), battery, false),
        Row("service", .equal(word("B1EC0500-5EC7-4C3A-9D0E-51A1B1EC0001")), custom, true),
        Row("service", .equal(word("B1EC0500-5EC7-4C3A-9D0E-51A1B1EC0002")), custom, false),
        Row("device.name", .matches(word("^pulse")), battery, false),
        Row("value", .equal(word("57")), battery, true),
        Row("value", .equal(word("0x57")), battery, true),
        Row("value", .mask(word("0x0f"), is: word("0x07")), battery, true),
        Row(nil, .mask(word("0xf0"), is: word("0x40")), battery, false),
        Row(nil, .length(lower: 1, upper: 1), battery, true),
        Row(nil, .length(lower: 2, upper: nil), battery, false),
        Row("contact", .equal(word("true")), beat, true),
        Row("contact", .equal(word("false")), beat, false),
        Row("heart_rate_bpm", .mask(word("0x40"), is: word("0x40")), beat, true),
        Row("heart_rate", .range(lower: word("40"), upper: word("180")), beat, true),
        Row("rr_intervals_ms.0", .greater(word("908")), beat, true),
        Row("rr_intervals_ms", .length(lower: 1, upper: 1), beat, true),
        Row("rr_intervals_ms", .contains(word("908.5")), beat, true),
        Row(nil, .length(lower: 4, upper: 4), beat, true),
        Row(nil, .equal(word("0x1e42a203")), beat, true),
        Row("energy_expended_kj", .absent, beat, true),
        Row("contact", .present, beat, true),
        Row("contact", .absent, beat, false),
        Row("energy_expended_kj", .present, beat, false),
        Row(nil, .equal(word("Pulse HR")), name, true),
        Row(nil, .contains(word("HR")), name, true),
        Row(nil, .contains(word("hr")), name, false),
        Row(nil, .length(lower: 8, upper: 8), name, true),
        Row(nil, .equal(word("0a0b0c")), raw, true),
        Row(nil, .equal(word("0A0B0C")), raw, true),
        Row(nil, .contains(word("0b0c")), raw, true),
        Row(nil, .contains(word("0c0d")), raw, false),
        Row(nil, .greater(word("1")), raw, false),
        Row("name", .absent, advertisement, true),
        Row("name", .equal(word("x")), advertisement, false),
        Row("rssi", .greater(word("-90")), advertisement, true),
        Row("rssi", .greater(word("-60")), advertisement, false),
        // A field with only a unit after the name has precedence; of several units the present one is meant.
        Row("spo2", .equal(word("98")), oximetry, true),
        Row("decoded.spo2", .less(word("98")), oximetry, false),
        Row("spo2_fast", .equal(word("97")), oximetry, true),
        Row("pulse_rate", .less(word("200")), oximetry, true),
        Row("temperature", .greater(word("100")), fever, true),
        Row("temperature", .absent, noFever, true),
        Row("temperature", .greater(word("30")), noFever, false),
        Row("services", .contains(word("0x180d")), advertisement, true),
        Row("services", .contains(word("0x1810")), advertisement, false),
        Row(nil, .present, advertisement, false),
    ]

    @Test("are true or false", arguments: Self.rows)
    func relation(_ row: Row) throws {
        let unmet = try unmet(row.condition, row.subject)
        #expect((unmet == nil) == row.isMet, "\(String(describing: unmet))")
        // The opposite condition always has the opposite result.
        let opposite = try self.unmet(.not(row.condition), row.subject)
        #expect((opposite == nil) != row.isMet)
    }

    @Test func `compare large whole numbers exactly`() throws {
        let largest = Self.subject(#"{"decoded":18446744073709551615,"type":"value","value":"ffffffffffffffff"}"#)
        let (same, less) = ("18446744073709551615", "18446744073709551614")
        let rows: [(ScriptRelation, Bool)] = [
            (.equal(Make.word(same)), true), (.equal(Make.word(less)), false), (.notEqual(Make.word(less)), true),
            (.greater(Make.word(less)), true), (.lessOrEqual(Make.word(less)), false),
            (.range(lower: Make.word(same), upper: Make.word("0xFFFFFFFFFFFFFFFF")), true),
            (.range(lower: nil, upper: Make.word("0xFFFFFFFFFFFFFFFE")), false),
        ]
        for (relation, isMet) in rows {
            for condition in [Make.compare(relation), Make.compare("decoded", relation)] {
                let unmet = try unmet(condition, largest)
                #expect((unmet == nil) == isMet, "\(relation)")
            }
        }
        let hexadecimal = Make.compare("decoded", .equal(Make.word("0xffffffffffffffff")))
        #expect(try unmet(hexadecimal, largest) == nil)
        let mask = ScriptRelation.mask(Make.word("0x8000000000000001"), is: Make.word("0x8000000000000001"))
        #expect(try unmet(Make.compare("decoded", mask), largest) == nil)
        let other = ScriptRelation.mask(Make.word("0x8000000000000001"), is: Make.word("1"))
        #expect(try unmet(Make.compare("decoded", other), largest)?.note == "masked it is 0x8000000000000001")
    }

    @Test func `are joined`() throws {
        let low = Make.compare(.less(Make.word("50")))
        let high = Make.compare(.greater(Make.word("50")))
        #expect(try unmet(.any([low, high]), Self.battery) == nil)
        #expect(try unmet(.all([high, low]), Self.battery)?.expected == "< 50")
        #expect(try unmet(.any([low, .not(high)]), Self.battery)?.expected == "< 50 or (not > 50)")
    }

    @Test func `say what was expected, what came, and which fields there are`() throws {
        let range = try #require(try unmet(Make.within("battery_level", "20", "50"), Self.battery))
        #expect(range.expected == "battery_level in 20..50")
        #expect(range.got == "battery_level is 87")
        let failure = StepFailure(range, of: Self.battery)
        #expect(failure.value == "57" && failure.text == "87 %")
        let field = try #require(try unmet(Make.compare("hart_rate_bpm", .present), Self.beat))
        #expect(field.got == "no field 'hart_rate_bpm'")
        #expect(
            field.note == "did you mean 'heart_rate_bpm'? there are contact, heart_rate_bpm, rr_intervals_ms, decoded, "
                + "text, type and value"
        )
        let null = try #require(try unmet(Make.compare("name", .present), Self.advertisement))
        #expect(null.got == "name is null")
        let octets = try #require(try unmet(Make.compare(.greater(Make.word("1"))), Self.raw))
        #expect(octets.got == "the value is 0x0a0b0c")
        #expect(octets.note == "its format is not known, so that it is not a number")
        let fields = try #require(try unmet(Make.compare(.greater(Make.word("1"))), Self.beat))
        #expect(fields.got == "the value is 0x1e42a203")
        #expect(
            fields.note == "as a whole it is octets; its fields are contact, heart_rate_bpm and rr_intervals_ms"
        )
        // A field of the record, beside which the decoded value stands.
        let named = try #require(try unmet(Make.compare("value", .greater(Make.word("1"))), Self.battery))
        #expect(named.note == "the field 'value' is octets, and means battery_level_percent")
        let mask = try #require(
            try unmet(Make.compare(.mask(Make.word("0xff00"), is: Make.word("0x5700"))), Self.battery)
        )
        #expect(mask.note == "it has 1 octet, and the mask 2")
    }

    @Test func `a name that no record has fails even if a field may be missing`() throws {
        let typo = Make.compare("battery_levle", .greater(Make.word("5")))
        let full = Make.compare("battery_level", .equal(Make.word("87")))
        let conditions: [ScriptCondition] = [
            .not(typo), .not(.not(typo)), Make.compare("battery_levle", .absent), .not(.any([typo])),
            .not(Make.compare("decoded.battery_levle", .present)),
            // Beside an alternative that is met, on either side of it.
            .any([full, typo]), .any([typo, full]), .any([full, .all([full, .not(typo)])]), .not(.any([full, typo])),
        ]
        for condition in conditions {
            let unmet = try unmet(condition, Self.battery)
            #expect(unmet?.got.hasPrefix("no field ") == true, "\(condition): \(String(describing: unmet))")
        }
        let note = try unmet(.not(typo), Self.battery)?.note
        #expect(note?.hasPrefix("there are battery_level_percent, ") == true, "\(note ?? "")")
        // Fields of other values and of other records, and elements of a list.
        let missing = [
            "energy_expended", "decoded.energy_expended_kj", "rssi", "rr_intervals.3", "decoding_error.field", "timing",
        ]
        for field in missing {
            #expect(try unmet(.not(Make.compare(field, .present)), Self.battery) == nil, "\(field)")
            #expect(try unmet(Make.compare(field, .absent), Self.battery) == nil, "\(field)")
        }
    }

    @Test func `an ambiguous name fails, even for an absent field`() throws {
        let signal = Make.compare("rssi", .greater(Make.word("-10")))
        for condition in [signal, .not(signal), Make.compare("rssi", .absent)] {
            let unmet = try unmet(condition, Self.summary)
            #expect(unmet?.got == "no field 'rssi'")
            #expect(unmet?.note == "it may be rssi_max_dbm, rssi_mean_dbm or rssi_min_dbm")
        }
    }

    @Test func `a short UUID in quotes ignores case, and a value that resembles one does not`() throws {
        let record = #"{"characteristic":"0x2A37","decoded":{"text":"0x2A37"},"type":"notification"}"#
        let beat = Self.subject(record)
        let quoted = ScriptWord(parts: [.literal("0x2a37")], isQuoted: true, place: Make.place)
        #expect(try unmet(Make.compare("characteristic", .equal(quoted)), beat) == nil)
        let other = ScriptWord(parts: [.literal("0x2a38")], isQuoted: true, place: Make.place)
        #expect(try unmet(Make.compare("characteristic", .equal(other)), beat) != nil)
    }

    @Test func `an empty list is shown as empty`() throws {
        let beat = Self.subject(#"{"decoded":{"heart_rate_bpm":66,"rr_intervals_ms":[]},"type":"notification"}"#)
        #expect(try unmet(Make.compare("rr_intervals_ms", .absent), beat)?.got == "rr_intervals_ms is an empty list")
    }

    @Test func `a service of --formats may be named, and an unknown word is an error`() throws {
        let scan = Self.subject(#"{"services":["0xfff0"],"type":"advertisement"}"#)
        let formats = FormatCatalogue(services: [.init(0xFFF0, "Door")])
        func evaluation(_ formats: FormatCatalogue) throws -> ConditionEvaluation {
            let arguments = try Invocation(["scan", "--duration=1"], environment: { _ in nil })
            guard case .run(let parsed) = arguments else { throw BlectlError(.internalError, "no command") }
            let scope = ResultScope(try CommandRequest(parsed, formats: formats))
            return ConditionEvaluation(variables: ScriptVariables(), formats: formats, scope: scope)
        }
        let door = Make.compare("services", .contains(Make.word("door")))
        #expect(try evaluation(formats).unmet(door, on: scan) == nil)
        for condition in [door, .not(door)] {
            let known = try evaluation(.assigned)
            let error = #expect(throws: BlectlError.self) { try known.unmet(condition, on: scan) }
            #expect(error?.status == .badData)
            #expect(error?.message.hasPrefix("'door' is not a service: ") == true, "\(error?.message ?? "")")
        }
    }

    @Test func `fields of private formats are known`() throws {
        let condition = ScriptCondition.not(Make.compare("anger", .present))
        var evaluation = ConditionEvaluation(variables: ScriptVariables())
        #expect(try evaluation.unmet(condition, on: Self.battery) != nil)
        let format = try CharacteristicFormat([FieldDefinition("anger", .number(.u8))])
        evaluation.formats = FormatCatalogue(characteristics: [.init(0xFFF1, "Mood", format: format)])
        #expect(try evaluation.unmet(condition, on: Self.battery) == nil)
    }

    @Test func `refuse words that do not fit the relation`() throws {
        func message(_ condition: ScriptCondition) throws -> String? {
            do throws(BlectlError) {
                _ = try ConditionEvaluation(variables: ScriptVariables()).unmet(condition, on: Self.battery)
                return nil
            } catch {
                return error.message
            }
        }
        #expect(try message(Make.compare(.less(Make.word("many")))) == "'many' is not a number")
        #expect(try message(Make.compare(.equal(Make.variable("levle")))) == "there is no variable 'levle'")
        #expect(try message(Make.compare(.matches(Make.word("(")))) != nil)
    }

    @Test func `variables are values, fields of records and the environment`() throws {
        var variables = ScriptVariables(["n": "7"], environment: ["RIG": "bench"])
        variables.set("level", to: Self.battery.record)
        variables.set("raw", to: Self.raw.record)
        #expect(try variables.text(Make.variable("level")) == "87")
        #expect(try variables.text(Make.variable("raw")) == "0x0a0b0c")
        #expect(try variables.text(Make.variable("level", "value")) == "0x57")
        #expect(try variables.text(Make.variable("level", "device", "name")) == "Pulse HR")
        let mixed = ScriptWord(
            parts: [.literal("x"), .variable(name: "n", path: []), .environment("RIG")],
            place: Make.place
        )
        #expect(try variables.text(mixed) == "x7bench")
        let field = #expect(throws: BlectlError.self) { try variables.text(Make.variable("level", "nothing")) }
        #expect(field?.message == "the variable 'level' has no field 'nothing'")
        let environment = ScriptWord(parts: [.environment("NONE")], place: Make.place)
        #expect(throws: BlectlError.self) { try variables.text(environment) }
    }

    @Test func `a field of a variable may be absent, and a mistyped one is an error`() throws {
        var variables = ScriptVariables(["text": "x"])
        variables.set("level", to: Self.battery.record)
        variables.set("device", to: Self.summary.record)
        let descriptor = #"{"decoded":{"notifications":true},"descriptor":"0x2902","type":"value","value":"0100"}"#
        variables.set("descriptor", to: Self.subject(descriptor).record)
        // Fields of other values and records, the members of one that is null, and those of a descriptor.
        let missing = [
            Make.variable("level", "rssi"), Make.variable("level", "heart_rate"),
            Make.variable("level", "decoding_error"), Make.variable("level", "beacon", "major"),
            Make.variable("descriptor", "whatever"),
        ]
        for word in missing {
            let subject = try variables.subject(word)
            #expect(try unmet(Make.compare(.absent), subject) == nil, "\(word)")
        }
        let mistyped = [
            (Make.variable("level", "batery_level"), "the variable 'level' has no field 'batery_level'"),
            (Make.variable("level", "device", "nam"), "the variable 'level' has no field 'device.nam'"),
            (Make.variable("level", "battery_level", "x"), "the variable 'level' has no field 'battery_level.x'"),
            (Make.variable("device", "rssi"), "the variable 'device' has no field 'rssi'"),
            (Make.variable("text", "x"), "the variable 'text' has no field 'x'"),
        ]
        for (word, message) in mistyped {
            let error = #expect(throws: BlectlError.self) { try variables.subject(word) }
            #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        }
        let ambiguous = #expect(throws: BlectlError.self) { try variables.subject(Make.variable("device", "rssi")) }
        #expect(ambiguous?.hint == "it may be rssi_max_dbm, rssi_mean_dbm or rssi_min_dbm")
        let close = #expect(throws: BlectlError.self) { try variables.subject(Make.variable("level", "device", "nam")) }
        #expect(close?.message.hasSuffix("; did you mean 'name'?") == true)
        // A private format has names of its own.
        let anger = Make.variable("level", "anger")
        #expect(throws: BlectlError.self) { try variables.subject(anger) }
        let format = try CharacteristicFormat([FieldDefinition("anger", .number(.u8))])
        let formats = FormatCatalogue(characteristics: [.init(0xFFF1, "Mood", format: format)])
        #expect(try variables.subject(anger, in: formats).record == .null)
    }
}
