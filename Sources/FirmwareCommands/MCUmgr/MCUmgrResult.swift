// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import FirmwareUpdate
import Records
import Terminal
import Toolkit

/// A part of what a device answers.
struct MCUmgrAnswer: Sendable {
    /// The action of the command line.
    let action: String
    var name: String?
    var number: Int?
    var octets: [UInt8]?
    /// The number of a program and that of its slot; `nil` for what is neither an image nor a slot.
    var place: (image: Int, slot: Int)?
    /// What is said of an image; `nil` for what is none.
    var states: [String]?
    /// The line for a person; `nil` for octets that are written as they are.
    let text: String?

    init(_ action: String, name: String? = nil, number: Int? = nil, octets: [UInt8]? = nil, text: String?) {
        self.action = action
        self.name = name
        self.number = number
        self.octets = octets
        self.text = text
    }

    /// An image: `image 0 slot 1: 1.2.3 (pending)`, and its hash below.
    init(_ image: MCUmgrImageState) {
        let states = [
            (image.isActive, "active"), (image.isConfirmed, "confirmed"), (image.isPending, "pending"),
            (image.isPermanent, "permanent"), (!image.isBootable, "not bootable"),
        ]
        let words = states.filter(\.0).map(\.1)
        let state = words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
        let hash = image.hash.map { "\n  \(Hex.string($0))" } ?? ""
        self.init(
            "images",
            name: image.version,
            number: image.slot,
            octets: image.hash,
            text: "image \(image.image) slot \(image.slot): \(image.version)\(state)\(hash)"
        )
        place = (image.image, image.slot)
        self.states = words
    }

    init(_ task: MCUmgrTasks.Task) {
        var text = "\(task.name): priority \(task.priority), state \(task.state)"
        if let use = task.stackUse, let size = task.stackSize { text += ", stack \(use) of \(size)" }
        if let runtime = task.runtime { text += ", runtime \(runtime)" }
        self.init("tasks", name: task.name, number: task.identifier, text: text)
    }
}

struct MCUmgrResult: RecordedResult {
    let device: DeviceReference
    let answer: MCUmgrAnswer
    let timestamp: Timestamp

    static let record = RecordKind<Self>("mcumgr", "a part of what a device answers to a command of MCUmgr") {
        RecordField.device { $0.device }
        RecordField("action", .string, "action of the command line, such as `images`") { $0.answer.action }
        RecordField(
            "name",
            orNull: .string,
            "name of a counter, setting, file or task, or version of an image"
        ) {
            $0.answer.name
        }
        RecordField(
            "number",
            orNull: .integer,
            "value of a counter, number of the buffers, octets of a slot, slot of an image, or status of a command"
        ) {
            $0.answer.number
        }
        RecordField("hex", orNull: .hex, "octets of a setting or file, or hash of an image") {
            $0.answer.octets
        }
        RecordField("image", orNull: .integer, "number of the program of an image or of a slot; else null") {
            $0.answer.place?.image
        }
        RecordField("slot", orNull: .integer, "slot of an image, or number of a slot; else null") {
            $0.answer.place?.slot
        }
        RecordField(
            "states",
            orNull: .array(of: .string),
            "`active`, `confirmed`, `pending`, `permanent` and `not bootable`, as far as they hold for an image; null for what is none"
        ) { $0.answer.states }
        RecordField("text", orNull: .string, "answer in words; null for a file") { $0.answer.text }
    }

    /// Several lines stay several: what a shell prints has line feeds.
    func text(_ style: TextStyle) -> String? {
        answer.text.map { text in
            text.split(separator: "\n" as Character, omittingEmptySubsequences: false)
                .map { TerminalText.escaped(String($0)) }.joined(separator: "\n")
        }
    }

    /// A file is written as it is.
    var rawBytes: [UInt8]? { answer.text == nil ? answer.octets : nil }
}
