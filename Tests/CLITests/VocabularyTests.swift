// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Types and times have the same names on the command line, in scripts, in faults and in files.
@Suite("One vocabulary", .startsPrograms())
struct VocabularyTests {
    @Test(arguments: [
        ("u16", "0102", "513"), ("uint16", "0102", "513"), ("u16le", "0102", "513"), ("uint16be", "0102", "258"),
        ("s16", "feff", "-2"), ("sint16", "feff", "-2"), ("int16", "feff", "-2"), ("i16be", "fffe", "-2"),
        ("f32", "0000c03f", "1.5"), ("float32", "0000c03f", "1.5"), ("sfloat", "0ff0", "1.5"),
        ("medfloat16", "0ff0", "1.5"), ("text", "4142", "AB"), ("utf8", "4142", "AB"), ("utf8s", "4142", "AB"),
    ])
    func `a type has one meaning everywhere`(_ type: String, _ octets: String, _ text: String) async throws {
        let run = try await Blectl.shell(
            """
            F=$(mktemp -d); trap 'rm -r $F' EXIT; cd $F
            echo '{"schema": "blectl-formats/1", "characteristics": [{"uuid": "0xfff1", "name": "Own",
              "fields": [{"name": "own", "type": "\(type)"}]}]}' >formats.json
            echo '{"schema": "blectl-device/1", "name": "D", "advertising": [{"data": {"name": "D"}}], "services": [
              {"uuid": "0xfff0", "characteristics": [
                {"uuid": "0xfff1", "properties": ["read"], "value": "\(type):\(text)"}]}]}' >device.json
            "$BLECTL" --formats formats.json decode own \(octets); echo
            "$BLECTL" --formats formats.json encode own '\(text)'; echo
            "$BLECTL" --simulate=device.json --simulate-time virtual read 0xfff1 -d D --format '{value}'
            "$BLECTL" --simulate=device.json --simulate-time virtual read 0xfff1 -d D --as '\(type)'
            """
        )
        #expect(
            run.stdout.split(separator: "\n").map(String.init) == [text, octets, octets, text],
            "\(run.stdout)\(run.stderr)"
        )
    }

    @Test(arguments: ["ns", "us", "ms", "s", "min", "m", "h", "d"], ["", " "])
    func `a unit of time is taken everywhere`(_ unit: String, _ space: String) async throws {
        // A value of a device is sent every millisecond at most.
        let number = ["ns": 7_000_000, "us": 7_000][unit] ?? 7
        let time = "\(number)\(space)\(unit)"
        let run = try await Blectl.shell(
            """
            F=$(mktemp -d); trap 'rm -r $F' EXIT; cd $F
            echo '{"schema": "blectl-device/1", "name": "D", "advertising": [{"data": {"name": "D"}}], "services": [
              {"uuid": "0xfff0", "characteristics": [{"uuid": "0xfff1", "properties": ["notify"], "value": "00",
                "every": "\(time)"}]}]}' >device.json
            "$BLECTL" device check device.json 2>&1 | grep -c 'is not a\\|expected a time'
            virtual() { "$BLECTL" --simulate --simulate-time virtual "$@"; }
            virtual read battery-level --deadline '\(time)' 2>&1 | grep -c 'expected a time'
            virtual read battery-level --fault 'read: delay \(time)' 2>&1 | grep -c 'expected a time'
            echo 'pause \(time)' >script; virtual run script >/dev/null; echo "status $?"
            """
        )
        #expect(run.stdout.split(separator: "\n") == ["0", "0", "0", "status 0"], "\(run.stdout)\(run.stderr)")
    }

    @Test(arguments: ["watt", "W", "watts", "0x2726"], ["u16", "uint16"])
    func `a device tells the format and the unit of a value by any of their names`(
        _ unit: String,
        _ type: String
    ) async throws {
        let run = try await Blectl.shell(
            """
            F=$(mktemp -d); trap 'rm -r $F' EXIT; cd $F
            echo '{"schema": "blectl-device/1", "name": "D", "advertising": [{"data": {"name": "D"}}], "services": [
              {"uuid": "0xfff0", "characteristics": [{"uuid": "0xfff1", "properties": ["read"], "value": "u16:5",
                "format": {"format": "\(type)", "unit": "\(unit)"}}]}]}' >device.json
            "$BLECTL" --simulate=device.json --simulate-time virtual inspect --values -d D | grep -o '5 W'
            """
        )
        #expect(run.stdout == "5 W\n", "\(run.stdout)\(run.stderr)")
    }
}
