// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import FirmwareUpdate
import Records
import Terminal
import Toolkit

/// A step of an update that was done, or how far one has come.
struct UpdateResult: CommandResult {
    enum Step: String, Sendable {
        /// The image runs already, or is in the other slot.
        case present
        /// A part was uploaded.
        case progress
        case uploaded
        /// The image is started next.
        case chosen
        /// The device was told to start anew.
        case reset
        /// The image runs.
        case running
        /// The image stays.
        case confirmed
    }

    let device: DeviceReference
    let step: Step
    /// The number of the program.
    let image: Int
    let version: FirmwareVersion
    let hash: [UInt8]
    /// The octets that the device has, and those of the file; `nil` for steps without an upload.
    var octets: (done: Int, total: Int)?
    /// The time of the upload, and the octets in it.
    var speed: (octets: Int, elapsed: Duration)?
    let words: String
    let timestamp: Timestamp

    /// The octets in a second; `nil` if there are none, or in no time.
    static func rate(_ speed: (octets: Int, elapsed: Duration)?) -> Double? {
        guard let speed, speed.elapsed > .zero, speed.octets > 0 else { return nil }
        return Double(speed.octets) / (speed.elapsed / .seconds(1))
    }

    /// The time until the end at the present speed.
    static func remaining(_ octets: (done: Int, total: Int)?, _ speed: (octets: Int, elapsed: Duration)?) -> Duration? {
        guard let octets, let rate = rate(speed) else { return nil }
        return .milliseconds(Int64(Double(octets.total - octets.done) / rate * 1_000))
    }

    static let record = RecordKind<Self>("update", "a step of an update of firmware") {
        RecordField.device { $0.device }
        RecordField(
            "step",
            .string,
            "`present`, `progress`, `uploaded`, `chosen`, `reset`, `running` or `confirmed`"
        ) { $0.step.rawValue }
        RecordField("image", .integer, "number of the program") { $0.image }
        RecordField("version", .string, "version of the image") { $0.version.description }
        RecordField("hash", .hex, "hash of the image") { $0.hash }
        RecordField("octets", orNull: .integer("bytes"), "what the device has; null unless uploading") {
            $0.octets?.done
        }
        RecordField("total", orNull: .integer("bytes"), "length of the file; null unless uploading") {
            $0.octets?.total
        }
        RecordField("rate_bytes_per_s", orNull: .number, "how fast it was uploaded; null if it was not") {
            rate($0.speed)
        }
        RecordField("remaining_ms", orNull: .number, "time left at that speed; null if not known") {
            remaining($0.octets, $0.speed).map { $0 / .milliseconds(1) }
        }
        RecordField("text", .string, "step in words") { $0.words }
    }

    var recordKind: RecordKind<Self> { Self.record }

    /// Progress is a line that a person sees until the next one.
    func text(_ style: TextStyle) -> String? { step == .progress ? nil : TerminalText.escaped(words) }
}
