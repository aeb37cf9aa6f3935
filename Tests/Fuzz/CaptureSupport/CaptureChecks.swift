// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

@testable import CaptureCommands
@testable import Captures
@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

/// What is read of a capture of any format that arrives in blocks, and its fault.
func readCapture(_ file: [UInt8], blocks: Int) -> (records: [CapturedRecord], fault: CaptureFault?) {
    var reader = CaptureReader()
    var records: [CapturedRecord] = []
    var rest = file[...]
    do throws(CaptureFault) {
        while !rest.isEmpty {
            reader.append(rest.prefix(blocks))
            rest = rest.dropFirst(blocks)
            while let record = try reader.next() { records.append(record) }
        }
        reader.end()
        while let record = try reader.next() { records.append(record) }
    } catch {
        return (records, error)
    }
    check(reader.offset == UInt64(file.count), "octets are left without a fault")
    return (records, nil)
}

/// Decodes the records, prints them, draws them, and puts them together to operations.
func checkEvents(of records: [CapturedRecord]) {
    var decoder = CaptureDecoder()
    var diagram = SequenceDiagram()
    var gatt = CapturedGATT()
    var operations = CapturedOperations()
    var summary = CaptureSummary()
    var replay = CaptureReplay()
    var number = 0
    for record in records {
        var event = decoder.event(record)
        gatt.add(&event)
        number += record.count
        check(event.number == number, "a packet is not counted")
        if let answered = event.answered { check(answered.number < event.number, "an answer before its request") }
        diagram.add(event)
        let result = PacketResult(event: event)
        let line = Output.line(of: result)
        check(line.last == UInt8(ascii: "\n"), "a record that is not written")
        check(line.dropLast().allSatisfy { $0 >= 0x20 }, "a record of several lines")
        check(String(validating: line, as: UTF8.self) != nil, "a record that is no UTF-8")
        if let text = result.text(.plain) { checkShown(text) }
        summary.add(event)
        replay.add(event, gatt)
        for operation in operations.add(event) { check(operation, &summary, &replay) }
    }
    for operation in operations.finish() { check(operation, &summary, &replay) }
    summary.finish(gatt)
    for format in DiagramFormat.allCases {
        let picture = String(decoding: diagram.file(format), as: UTF8.self)
        check(picture.last == "\n", "a diagram without an end")
        for line in picture.split(separator: "\n") { checkShown(String(line)) }
    }
}

private func check(_ operation: CapturedOperation, _ summary: inout CaptureSummary, _ replay: inout CaptureReplay) {
    check(operation.packets.lowerBound >= 1, "an operation without a packet")
    let result = CapturedOperationResult(operation: operation)
    check(Output.line(of: result).dropLast().allSatisfy { $0 >= 0x20 }, "a record of several lines")
    if let text = result.text(.plain) { checkShown(text) }
    summary.add(operation)
    replay.add(operation)
}

private func checkShown(_ line: String) {
    check(TerminalText.escaped(line) == line, "a line that a terminal may obey: \(TerminalText.escaped(line))")
}
