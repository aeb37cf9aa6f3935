// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Records
import Terminal
import Toolkit

/// A step of an update that was done, or how far one has come.
struct UpdateResult: RecordedResult {
    let device: DeviceReference
    let event: FirmwareUpdateEvent
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
            FirmwareUpdateEvent.Step.allCases.dropLast().map { "`\($0.rawValue)`" }.joined(separator: ", ")
                + " or `\(FirmwareUpdateEvent.Step.confirmed.rawValue)`"
        ) { $0.event.step.rawValue }
        RecordField("image", .integer, "number of the program") { $0.event.part.image }
        RecordField("version", .string, "version of the image, or what of the device it replaces") {
            $0.event.part.version
        }
        RecordField("hash", .hex, "hash of the image") { $0.event.part.hash }
        RecordField("octets", orNull: .integer("bytes"), "what the device has; null unless uploading") {
            $0.event.octets?.done
        }
        RecordField("total", orNull: .integer("bytes"), "length of the file; null unless uploading") {
            $0.event.octets?.total
        }
        RecordField("rate_bytes_per_s", orNull: .number, "how fast it was uploaded; null if it was not") {
            rate($0.speed)
        }
        RecordField("remaining_ms", orNull: .number, "time left at that speed; null if not known") {
            remaining($0.event.octets, $0.speed).map { $0 / .milliseconds(1) }
        }
        RecordField("text", .string, "step in words") { $0.words }
    }

    /// Progress is a line that a person sees until the next one.
    func text(_ style: TextStyle) -> String? { event.step == .progress ? nil : TerminalText.escaped(words) }
}
