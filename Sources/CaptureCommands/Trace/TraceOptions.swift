// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Terminal
import Toolkit

struct TraceOptions: Sendable, Equatable {
    enum View: Sendable, Equatable {
        case packets
        /// Each operation of GATT (`--values`).
        case values
        /// Devices, links and attributes, with numbers (`--summary`).
        case summary
        /// The client's operations as a script of `run` (`--script`).
        case script
    }

    /// The names of the files; `-` for standard input.
    let files: [String]
    let view: View
    /// The devices, by their addresses or names; empty for all.
    let devices: [DeviceIdentifier]
    /// The attributes by their handles; empty for all.
    let handles: Set<Handle>
    /// The attributes by their types; empty for all.
    let targets: [AttributeTarget]
    let wantsATT: Bool
    let wantsHCI: Bool
    /// The direction of the packets, or of the first packet of an operation; `nil` for both.
    let direction: CapturedPacket.Direction?
    /// The time since the first packet, from which and until which packets count.
    let begin: Duration?
    let end: Duration?
    /// The file that tells what handles mean; `nil` for none.
    let hint: String?
}

extension TraceOptions {
    /// The command that tells what the files have, as a hint.
    var summaryHint: String {
        "what it has: blectl trace --summary \(files.map { Prose.word($0) }.joined(separator: " "))"
    }

    /// Whether options choose among the packets.
    var isChoosy: Bool {
        wantsATT || wantsHCI || direction != nil || begin != nil || end != nil
            || !(devices.isEmpty && handles.isEmpty && targets.isEmpty)
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        files = arguments[TraceCommand.files]
        devices = arguments[TraceCommand.device]
        handles = Set(arguments[TraceCommand.handles])
        targets = try arguments.targets(TraceCommand.attributes)
        wantsATT = arguments[TraceCommand.att]
        wantsHCI = arguments[TraceCommand.hci]
        direction = arguments[TraceCommand.direction].map { $0 == .sent ? .sent : .received }
        begin = arguments[TraceCommand.begin]
        end = arguments[TraceCommand.end]
        if let begin, let end, end < begin { throw arguments.impossible("'--until' is before '--since'") }
        hint = arguments[TraceCommand.hint]
        if arguments[TraceCommand.script], arguments[GlobalSpec.redact] {
            throw arguments.impossible("'--script' writes the values that '--redact' hides")
        }
        view =
            if arguments[TraceCommand.values] {
                .values
            } else if arguments[TraceCommand.summary] {
                .summary
            } else {
                arguments[TraceCommand.script] ? .script : .packets
            }
    }
}
