// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@testable import BluetoothDevices

@Suite("Reading device files")
struct DeviceFileReaderTests {
    private func read(_ text: String, named: String = "a/strap.json") throws -> DeviceDefinition {
        try DeviceFile.read(Array(text.utf8), named: named)
    }

    @Test func `a file with only a schema is a silent device with the name of the file`() throws {
        let device = try read("{schema: 'blectl-device/1'}")
        #expect(device.label == "strap")
        #expect(device.address.kind == .randomStatic)
        #expect(device == DeviceDefinition(label: "strap", address: device.address))
    }

    @Test func `a declaration's handle has its own name, and an earlier one`() throws {
        func file(_ handles: String) -> String {
            """
            {"schema": "blectl-device/1", "services": [{"uuid": "battery", "characteristics": [
              {"uuid": "battery-level", "properties": ["read"], "value": "0x01", \(handles)}]}]}
            """
        }
        let named = try read(file(#""declaration_handle": "0x0010", "value_handle": 18"#))
        #expect(named.services.first?.characteristics.first?.handle == 0x0010)
        #expect(named.services.first?.characteristics.first?.valueHandle == 0x0012)
        #expect(try read(file(#""handle": 16, "value_handle": 18"#)) == named, "an earlier name")
        let text = DeviceFile.text(of: named)
        #expect(
            text.contains(#""declaration_handle": "0x0010""#) && text.contains(#""value_handle": "0x0012""#),
            "\(text)"
        )
        #expect(!text.contains(#""handle""#), "\(text)")
        do {
            _ = try read(file(#""handle": 16, "declaration_handle": 16"#))
            Issue.record("two names for one handle")
        } catch {
            #expect("\(error)".contains("'handle' is an earlier name of 'declaration_handle'"), "\(error)")
        }
    }

    @Test func `identity, advertising, limits and signal are read`() throws {
        let device = try read(
            """
            {"schema": "blectl-device/1", "label": "pulse", "summary": "a strap", "name": "Pulse HR",
             "appearance": "heart-rate-belt", "address": "C8:4B:1D:3A:90:5E", "address_type": "public",
             "advertising": [
               {"interval": "211.25 ms", "data": {"services": ["heart-rate", "battery"], "appearance": 833},
                "scan_response": {"name": "Pulse HR", "tx_power": 4}},
               {"type": "extended", "sid": 3, "connectable": true, "secondary_phy": "2M", "tx_power": -4,
                "data": ["0201", {"flags": [], "eddystone_tlm": {"voltage": 2.978, "temperature": 23.25}}]}
             ],
             "limits": {"mtu": 100, "latency": "20 ms", "phys": ["coded"], "security": "bonded", "connections": 2},
             "signal": {"rssi": -40, "movement": {"to": -90, "over": "1 min", "returns": true},
                        "absences": [{"from": "10 s", "until": "20 s", "every": "1 min"}]}}
            """
        )
        #expect(device.label == "pulse")
        #expect(device.appearance == 0x0341)
        #expect(device.address.description == "C8:4B:1D:3A:90:5E (public)")
        let first = device.advertising[0]
        #expect(first.data(.start) == [2, 1, 6, 5, 3, 0x0D, 0x18, 0x0F, 0x18, 3, 0x19, 0x41, 3])
        #expect(first.response(.start) == [9, 9] + Array("Pulse HR".utf8) + [2, 0x0A, 4])
        #expect(first.interval == .microseconds(211_250))
        let second = device.advertising[1]
        #expect(
            second.kind == .extended(sid: 3, isConnectable: true, primaryPHY: .le1M, secondaryPHY: .le2M)
        )
        #expect(second.frames[0] == AdvertisingFrame([.octets([2, 1])]))
        #expect(
            second.frames[1].fields == [
                .element(.services(ADServiceList(.complete, .bits16, [0xFEAA]))),
                .eddystoneTelemetry(millivolts: 2_978, temperature: 23.25),
            ]
        )
        #expect(device.limits.phys == [.le1M, .coded])
        #expect(device.limits.security.hasBond && !device.limits.security.isEncrypted)
        #expect(device.signal.movement == .path(to: -90, over: .seconds(60), returns: true))
        #expect(device.signal.absences == [.init(from: .seconds(10), until: .seconds(20), every: .seconds(60))])
    }

    @Test func `reads services with values of every form`() throws {
        let device = try read(
            """
            {"schema": "blectl-device/1", "services": [{"uuid": "0xABCD", "label": "own", "characteristics": [
              {"uuid": "device-name", "properties": ["read"], "value": "Ünit"},
              {"uuid": "0xAB01", "label": "a", "properties": ["read", "write"], "value": "u16:500", "lengths": [2, 4],
               "permissions": {"read": "encrypted", "write": ["authenticated", "authorized"], "key_size": 16}},
              {"uuid": "0xAB02", "properties": ["read"], "value": ["0x01", "text:a", {"number": -2, "as": "s16be"}]},
              {"uuid": "0xAB03", "properties": ["notify"], "value": {"walk": [0, 10], "step": 0.5, "as": "f32"},
               "every": {"value_of": "a", "unit": "10 ms"}, "only_changes": true,
               "while": {"characteristic": "0xabcd/0xAB01", "is": "01"}, "idle": "00"},
              {"uuid": "0xAB04", "properties": ["notify"], "value": {"replay": [["0 s", "0102"], ["1.5 s", "03"]],
               "period": "2 s"}, "description": "samples", "format": {"format": "uint8", "unit": "percentage"}},
              {"uuid": "battery-level", "properties": ["read"], "value": {"sine": [0, 100], "period": "10 s"}},
              {"uuid": "heart-rate-measurement", "properties": ["notify"], "every": "1 s",
               "value": {"heart_rate_bpm": {"counter": 60, "limit": 150}, "contact": true}},
              {"uuid": "0xAB05", "properties": ["notify"], "value": {"program": "heart.measurement"}, "every": "1 s",
               "descriptors": [{"uuid": "cccd", "handle": "0x0040"},
                               {"uuid": "0x2901", "value": "text:x", "permissions": {"write": "open"}, "lengths": 1}]}
            ]}]}
            """
        )
        let all = device.services[0].characteristics
        #expect(all[0].value == .octets(Array("Ünit".utf8)))
        #expect(all[1].value == .octets([0xF4, 0x01]))
        #expect(all[1].lengths == 2...4)
        #expect(all[1].permissions?.read == AccessRequirement(encryption: true, minimumKeySize: 16))
        let strong = AccessRequirement(encryption: true, authentication: true, authorization: true, minimumKeySize: 16)
        #expect(all[1].permissions?.write == strong)
        #expect(all[2].value == .octets([1, 0x61, 0xFF, 0xFE]))
        let half = DecimalNumber(5, exponent: -1)
        let walk = NumberGenerator.walk(low: .zero, high: DecimalNumber(10), step: half, start: nil)
        #expect(all[3].value == .number(.generated(walk), ValueFormat(.float(octets: 4))))
        #expect(all[3].stream?.period == .value(of: .label("a"), unit: .milliseconds(10)))
        #expect(all[3].stream?.conditions == [.init(.uuid(0xAB01, service: 0xABCD), is: [1])])
        #expect(all[3].stream?.idleValue == [0])
        #expect(all[3].stream?.onlyChanges == true)
        #expect(
            all[4].value
                == .replay(
                    ValueReplay([.init(at: .zero, [1, 2]), .init(at: .milliseconds(1_500), [3])], period: .seconds(2))
                )
        )
        #expect(all[4].stream == DeviceStream(every: nil))
        #expect(
            all[4].descriptors == [.userDescription("samples"), .presentationFormat(format: 4, unit: 0x27AD)]
        )
        let sine = NumberGenerator.sine(low: .zero, high: DecimalNumber(100), period: .seconds(10))
        #expect(all[5].value == .fields(.batteryLevelForTests, .number(.generated(sine))))
        let counter = NumberGenerator.counter(
            from: DecimalNumber(60),
            step: DecimalNumber(1),
            limit: DecimalNumber(150)
        )
        #expect(
            all[6].value
                == .fields(
                    0x2A37,
                    .object([
                        .init("heart_rate_bpm", .number(.generated(counter))), .init("contact", .bool(true)),
                    ])
                )
        )
        #expect(all[7].value == .program(ProgramReference("heart", "measurement")))
        #expect(all[7].descriptors[0].handle == 0x0040)
        #expect(all[7].descriptors[1].value == .stored([0x78], lengths: 1...1))
    }

    @Test func `rules and the timeline are read`() throws {
        let device = try read(
            """
            {"schema": "blectl-device/1", "services": [{"uuid": "0xABCD", "characteristics": [
              {"uuid": "0xAB01", "label": "control", "properties": ["write", "indicate"], "on_read": {"error": "0x80"},
               "on_write": [
                 {"is": "01", "do": ["store", {"echo": "control"}]},
                 {"starts": "02", "length": [1, 3], "not": [{"is": "0203"}], "do": {"error": "value-not-allowed"}},
                 {"number": [1, 3600], "as": "u16", "do": [{"delay": "1 s"}, {"set": "0xAB01", "value": "u8:1"}]},
                 {"bits": {"mask": "f0", "is": "10"}, "do": {"after": "2 s", "do": [{"append": "control"}, "restart"]}},
                 {"not": {"length": 4}, "do": {"database": "other"}},
                 {"else": true, "do": ["silence", {"run": "heart.reset-energy"}, {"leave": "3 s"},
                                       {"connectable": false}, {"database": null}, "disconnect"]}
               ]}]}],
             "databases": {"other": []},
             "timeline": [{"at": "20 s", "do": "disconnect"},
                          {"at": "0 s", "since": "connection", "every": "1 min", "do": {"send": "control", "value": "00"}},
                          {"at": "1 s", "since": {"subscription": "control"}, "do": []}]}
            """
        )
        let control = device.services[0].characteristics[0]
        let reference = CharacteristicReference.label("control")
        #expect(control.onRead == .refuse(ATTErrorCode(0x80)))
        #expect(control.onWrite[0] == WriteRule([.equals([1])], [.store, .send(reference, .written)]))
        #expect(
            control.onWrite[1]
                == WriteRule([.starts([2]), .length(1...3), .not(.equals([2, 3]))], [.refuse(.valueNotAllowed)])
        )
        let u16 = ValueFormat(.unsigned(octets: 2))
        #expect(
            control.onWrite[2]
                == WriteRule(
                    [.number(1...3_600, u16)],
                    [.delay(.seconds(1)), .set(.uuid(0xAB01, service: nil), .value(.octets([1])))]
                )
        )
        #expect(
            control.onWrite[3]
                == WriteRule(
                    [.bits(mask: [0xF0], value: [0x10])],
                    [.after(.seconds(2), .append(reference, .written)), .after(.seconds(2), .restart)]
                )
        )
        #expect(control.onWrite[4] == WriteRule([.not(.length(4...4))], [.database("other")]))
        #expect(
            control.onWrite[5]
                == WriteRule(
                    [],
                    [
                        .silence, .run(ProgramReference("heart", "reset-energy")), .leave(.seconds(3)),
                        .connectable(false), .database(nil), .disconnect,
                    ]
                )
        )
        #expect(
            device.timeline == [
                TimelineEntry(at: .seconds(20), [.disconnect]),
                TimelineEntry(
                    at: .zero,
                    since: .connection,
                    every: .seconds(60),
                    [.send(reference, .value(.octets([0])))]
                ),
                TimelineEntry(at: .seconds(1), since: .subscription(reference), []),
            ]
        )
    }

    @Test func `numbers are read from a file of comma-separated values`() throws {
        let files = [
            "a.csv": "time;level\r\n0;20\r\n1.5;\"21\"\r\n\r\n4;22\r\n", "b.csv": "x\n1\n-2\n", "c.csv": "1\nx\n",
            "e.csv": "\u{FEFF}time;level\n0;20\n1.5;21\n4;22\n", "f.csv": "\u{FEFF}1\n-2\n",
        ]
        func value(_ text: String) throws -> DeviceValue? {
            let file = """
                {"schema": "blectl-device/1", "services": [{"uuid": "battery", "characteristics": [
                  {"uuid": "battery-level", "properties": ["notify"], "value": \(text)}]}]}
                """
            let device = try DeviceFile.read(Array(file.utf8), named: "x") { name in
                guard let text = files[name] else { throw DeviceFile.NoFile() }
                return Array(text.utf8)
            }
            return device.services[0].characteristics[0].value
        }
        let timed = ValueReplay(
            [.init(at: .zero, [20]), .init(at: .milliseconds(1_500), [21]), .init(at: .seconds(4), [22])],
            period: .milliseconds(6_500)
        )
        #expect(
            try value(#"{"csv": "a.csv", "column": "level", "time": "time", "repeat": true}"#) == .replay(timed)
        )
        let regular = ValueReplay([.init(at: .zero, [1, 0]), .init(at: .seconds(1), [0xFE, 0xFF])])
        #expect(try value(#"{"csv": "b.csv", "every": "1 s", "as": "s16"}"#) == .replay(regular))
        // A byte order mark is neither a part of a name, nor makes the first number a header.
        #expect(
            try value(#"{"csv": "e.csv", "column": "level", "time": "time", "repeat": true}"#) == .replay(timed)
        )
        #expect(try value(#"{"csv": "f.csv", "every": "1 s", "as": "s16"}"#) == .replay(regular))
        for (text, fault) in [
            (#"{"csv": "d.csv", "every": "1 s"}"#, "cannot read 'd.csv': NoFile()"),
            (#"{"csv": "a.csv", "column": "levle", "every": "1 s"}"#, "no column 'levle'; did you mean 'level'?"),
            (#"{"csv": "b.csv"}"#, "add 'every', or 'time' with the column of the times"),
            (#"{"csv": "c.csv", "every": "1 s"}"#, "line 2: expected a number, found 'x'"),
            (#"{"csv": "b.csv", "every": "1 s", "as": "u8"}"#, "line 3: -2 does not fit the format u8"),
        ] {
            do {
                _ = try value(text)
                Issue.record("\(text) is read")
            } catch {
                #expect("\(error)".contains(fault), "\(error)")
            }
        }
    }

    // MARK: - Faults

    struct Fault: Sendable, CustomTestStringConvertible {
        let text: String
        let errors: [String]
        var testDescription: String { text }

        /// A fault of a member of a device.
        init(_ member: String, _ errors: String...) {
            text = "{\"schema\": \"blectl-device/1\", \(member)}"
            self.errors = errors
        }

        /// A fault of a characteristic.
        static func characteristic(_ members: String, _ errors: String...) -> Fault {
            var fault = Fault("\"services\": [{\"uuid\": \"0xABCD\", \"characteristics\": [{\(members)}]}]")
            fault = Fault(text: fault.text, errors: errors.map { "services[0].characteristics[0]\($0)" })
            return fault
        }

        private init(text: String, errors: [String]) {
            self.text = text
            self.errors = errors
        }
    }

    private static let faulty: [Fault] = [
        Fault("\"labl\": 1", "labl: unknown key; did you mean 'label'?"),
        Fault("\"label\": 1", "label: expected a text of 1 to 64 octets, found 1"),
        Fault("\"label\": \"a\", \"label\": \"b\"", "label: the key occurs twice"),
        Fault("\"address\": \"C8:4B\"", "address: expected an address such as C8:4B:1D:3A:90:5E, found 'C8:4B'"),
        Fault(
            "\"appearance\": \"hart-rate-belt\"",
            "appearance: 'hart-rate-belt' is not the name of an appearance; did you mean 'heart-rate-belt'?"
        ),
        Fault(
            "\"limits\": {\"mtu\": 10, \"latency\": \"5\"}",
            "limits.mtu: expected a whole number from 23 to 517, found 10",
            "limits.latency: expected a time from 0 s to 1 h, found '5'"
        ),
        Fault(
            "\"advertising\": [{\"data\": {\"name\": \"0123456789012345678901234567\"}, \"sid\": 1}]",
            "advertising[0].sid: only a set of the type 'extended' has this member",
            "advertising[0].data: the data have 33 octets, but at most 31 can be sent: Flags 3, Complete Local Name 30; "
                + "\"scan_response\" has room for more"
        ),
        Fault(
            "\"advertising\": [{\"type\": \"conectable\"}]",
            "advertising[0].type: expected 'connectable', 'scannable', 'non-connectable' or 'extended', found "
                + "'conectable'; did you mean 'connectable'?"
        ),
        Fault(
            "\"services\": [{}]",
            "services[0]: the member 'uuid' is missing: a UUID or the assigned name of a service"
        ),
        Fault(
            "\"services\": [{\"uuid\": \"batery\"}]",
            "services[0].uuid: 'batery' is neither a UUID nor the assigned name of a service; did you mean 'battery'?"
        ),
        Fault(
            "\"services\": [{\"uuid\": \"battery\", \"includes\": [\"hart-rate\"]}]",
            "services[0].includes[0]: no service beside this one has the label or the UUID 'hart-rate'"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"properties\": [\"read\", \"write\", \"notfy\"]",
            ".properties[2]: expected 'broadcast', 'read', 'write-without-response', 'write', 'notify', 'indicate', "
                + "'authenticated-signed-writes' or 'extended-properties', found 'notfy'; did you mean 'notify'?"
        ),
        .characteristic(
            "\"uuid\": \"heart-rate-measurement\", \"value\": {\"contact\": true}",
            ".value.heart_rate_bpm: missing; it takes a number between 0 and 65535"
        ),
        // The only word is named once, and is not suggested again.
        .characteristic(
            "\"uuid\": \"0xAB01\", \"properties\": [\"read\"], \"on_read\": \"silense\"",
            ".on_read: expected 'silence', found 'silense'"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"value\": \"u8:300\"",
            ".value: 300 does not fit u8 (0 to 255)"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"value\": {\"number\": 1.5, \"as\": \"u8\"}",
            ".value.number: 1.5 is not a whole number, which the format u8 takes"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"value\": {\"steps\": [], \"as\": \"u8\"}",
            ".value.steps: expected a list of 1 to 100000 elements, found an empty list"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"value\": {\"random\": [1], \"as\": \"u8\"}",
            ".value.random: expected a list of 2 elements, found a list of 1 element"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"value\": {\"walk\": [0, 300], \"step\": 1, \"as\": \"u8\"}",
            ".value: 300 does not fit the format u8"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"value\": {\"walk\": [5, 3], \"stp\": 1, \"as\": \"u88\"}",
            ".value.stp: unknown key; did you mean 'step'?",
            ".value.as: expected a format of numbers such as u8, s16be or f32, found 'u88'; did you mean 'u8'?",
            ".value: the member 'step' is missing: a number"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"value\": 5",
            ".value: 0xAB01 has no assigned fields: write octets, or a number with a format, as in "
                + "\"u16:500\" or \"as\": \"u16\""
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"lengths\": [3, 2], \"idle\": \"00\"",
            ".lengths: the first length, 3, is greater than the second one, 2",
            ".idle: the characteristic never sends a value unprompted: add 'every'"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"on_write\": [{\"do\": {\"set\": \"0xAB02\"}}, {\"do\": {\"run\": \"heart.reset\"}}]",
            ".on_write[0].do.set: the device has no characteristic '0xAB02'",
            ".on_write[1].do.run: 'heart.reset' is not the command of a program; did you mean 'heart.reset-energy'?"
        ),
        .characteristic(
            "\"uuid\": \"0xAB01\", \"on_write\": [{\"do\": {\"sett\": 1}}, {\"do\": {\"error\": \"0x100\"}}]",
            ".on_write[0].do: expected 'store', 'silence', 'disconnect' or 'restart', a list of at most 65535 elements or an "
                + "object with one of error, delay, send, echo, set, append, run, leave, connectable, database, after, found an object",
            ".on_write[1].do.error: expected an error from 0x01 to 0xff, or its name, found '0x100'"
        ),
        Fault(
            "\"services\": [{\"uuid\": \"battery\", \"handle\": 5}, {\"uuid\": \"battery\", \"handle\": \"0x0005\"}]",
            "services[0].handle: the handle 0x0005 is not greater than the one before it"
        ),
        Fault(
            "\"timeline\": [{\"at\": \"1 s\", \"do\": \"store\"}, {\"at\": \"1 s\", \"do\": {\"database\": \"x\"}}]",
            "timeline[0].do: there is no write to answer on the timeline",
            "timeline[1].do.database: the device has no database 'x'"
        ),
    ]

    @Test(arguments: faulty)
    func `an error has the path, the value and what is allowed`(_ fault: Fault) {
        do {
            let device = try read(fault.text)
            Issue.record("read as \(device)")
        } catch let error as DeviceFileErrors {
            #expect(error.errors.map { "\($0.path): \($0.message)" } == fault.errors)
        } catch {
            Issue.record(error)
        }
    }

    @Test func `faults are ordered by line, and a syntax error has its line and column`() {
        let text = "{\n\"schema\": \"blectl-device/2\",\n\"services\": 1,\n\"name\": 2}"
        #expect(throws: DeviceFileErrors.self) { try read(text) }
        do {
            _ = try read(text, named: "x.json")
        } catch {
            #expect(
                "\(error)" == """
                    x.json:2: schema: expected 'blectl-device/1', found 'blectl-device/2'
                    x.json:3: services: expected a list, found 1
                    x.json:4: name: expected a text of at most 248 octets, found 2
                    """
            )
        }
        do {
            _ = try read("{\n  schema 1}", named: "x.json")
        } catch {
            #expect("\(error)" == "x.json:2:10: expected ':', found '1'")
        }
    }

    @Test func `reading stops after many faults, and refuses very large files`() {
        let members = (0..<1_000).map { "\"k\($0)\": 1" }.joined(separator: ",")
        do {
            _ = try read("{\(members)}")
        } catch let error as DeviceFileErrors {
            #expect(error.errors.count == 200)
            #expect(error.isIncomplete)
        } catch {
            Issue.record(error)
        }
        // Readers stop a little behind the limit, so that the length of the file is not known.
        let large = #expect(throws: DeviceFileErrors.self) {
            try DeviceFile.read([UInt8](repeating: 0x20, count: DeviceFile.maximumSize + 1), named: "x")
        }
        let message = "the file has more than the 16777216 octets that are read"
        #expect(large?.errors.map(\.message) == [message])
    }

    @Test func `damaged files never trap`() throws {
        let text = Array(
            """
            {"schema": "blectl-device/1", "advertising": [{"data": [{"name": "x", "eddystone_tlm": {"voltage": 3}}]}],
             "services": [{"uuid": "battery", "handle": 9, "characteristics": [{"uuid": "battery-level", "value":
             {"timetable": [["0 s", 20], ["1 s", 1e99]], "as": "u8"}, "every": "1 s", "properties": ["notify"],
             "on_write": [{"number": [0, 5], "as": "u16", "do": [{"set": "battery-level", "value": {"clock": "1 s"}}]}]
             }]}], "timeline": [{"at": "1 s", "do": {"after": "1 d", "do": "restart"}}]}
            """.utf8
        )
        var random = SeededGenerator(seed: 11)
        for _ in 0..<400 {
            var copy = text
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: 0..<copy.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: copy[index] = UInt8.random(in: 0x20..<0x7F, using: &random)
                case 1: copy.remove(at: index)
                default: copy.insert(UInt8.random(in: 0x30..<0x3A, using: &random), at: index)
                }
            }
            if let device = try? DeviceFile.read(copy, named: "x") { _ = try? device.image() }
        }
    }
}

extension BluetoothUUID {
    static let batteryLevelForTests: BluetoothUUID = 0x2A19
}
