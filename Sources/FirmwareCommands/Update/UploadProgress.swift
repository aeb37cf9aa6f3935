// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import FirmwareUpdate
import Records
import Toolkit

/// How far an upload has come, how fast, and how long it takes still.
final class UploadProgress {
    /// The least time between two records.
    private static let period = Duration.seconds(1)

    private let context: OperationContext
    private let output: Output
    private let line: PacedProgress
    /// When the first link began, and how much the device had then.
    private var start: (moment: Instant, octets: Int)?
    /// When the present link began, and how much the device had then: the speed is that of this link.
    private var link: (moment: Instant, octets: Int)?
    private var lastRecord: Instant?

    init(_ context: OperationContext, _ output: Output) {
        self.context = context
        self.output = output
        line = PacedProgress(context.notes)
    }

    /// A link begins, and the device has that many octets as far as is known.
    func begin(_ octets: Int) {
        link = nil
        start = start ?? (context.time.now, octets)
    }

    /// Shows the progress to a person. Returns a record for a program, once in a second.
    func result(_ part: FirmwareFile.Part, _ octets: Int, _ device: ConnectedDevice) -> UpdateResult? {
        let now = context.time.now
        // The speed counts from the first answer, which was preceded by erasing.
        guard let link else {
            link = (now, octets)
            return nil
        }
        let total = part.contents.octets.count
        let speed = (octets: max(0, octets - link.octets), elapsed: now - link.moment)
        let words = Self.words(octets, total, speed)
        line.show(at: now) { words }
        guard output.writesRecords, lastRecord.map({ now - $0 >= Self.period }) ?? true else { return nil }
        lastRecord = now
        return result(.progress, part, device, (octets, total), speed, words)
    }

    /// The result of the whole upload.
    func end(_ part: FirmwareFile.Part, _ device: ConnectedDevice) -> UpdateResult {
        line.end()
        let total = part.contents.octets.count
        let elapsed = start.map { context.time.now - $0.moment } ?? .zero
        let speed = (octets: total - (start?.octets ?? 0), elapsed: elapsed)
        let rate = UpdateResult.rate(speed).map { ", \(Self.rate($0))" } ?? ""
        let words = "uploaded \(part.contents.version): \(total) octets in \(elapsed.text)\(rate)"
        return result(.uploaded, part, device, (total, total), speed, words)
    }

    private func result(
        _ step: UpdateResult.Step,
        _ part: FirmwareFile.Part,
        _ device: ConnectedDevice,
        _ octets: (done: Int, total: Int),
        _ speed: (octets: Int, elapsed: Duration),
        _ words: String
    ) -> UpdateResult {
        UpdateResult(
            device: device.reference,
            step: step,
            image: part.image ?? 0,
            version: part.contents.version,
            hash: part.contents.hash,
            octets: octets,
            speed: speed,
            words: words,
            timestamp: Timestamp(context.time)
        )
    }

    /// `uploading: 40960 of 102400 octets (40 %), 81.2 kB/s, 1 s left`
    private static func words(_ octets: Int, _ total: Int, _ speed: (octets: Int, elapsed: Duration)) -> String {
        var words = "uploading: \(octets) of \(total) octets"
        if total > 0 { words += " (\(octets * 100 / total) %)" }
        if let rate = UpdateResult.rate(speed) { words += ", \(Self.rate(rate))" }
        if let rest = UpdateResult.remaining((octets, total), speed) { words += ", \(rest.components.seconds) s left" }
        return words
    }

    /// A speed in kB/s, of 1,000 octets, with one digit behind the point.
    private static func rate(_ rate: Double) -> String {
        let tenths = Int((rate / 100).rounded())
        return "\(tenths / 10).\(tenths % 10) kB/s"
    }
}
