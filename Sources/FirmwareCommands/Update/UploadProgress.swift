// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Terminal
import Toolkit

/// What an update has done, in words, and how far an upload has come, how fast, and how long it takes still.
final class UploadProgress {
    /// The least time between two records.
    private static let period = Duration.seconds(1)

    private let device: DeviceReference
    private let context: OperationContext
    private let output: Output
    private let line: PacedProgress
    /// When the upload began, and how much the device had then.
    private var start: (moment: Instant, octets: Int)?
    /// When the present link began to carry it, and how much the device had then: the speed is that of this link.
    private var link: (moment: Instant, octets: Int)?
    private var lastRecord: Instant?

    init(_ device: DeviceReference, _ context: OperationContext, _ output: Output) {
        self.device = device
        self.context = context
        self.output = output
        line = PacedProgress(context.notes)
    }

    func lost() { link = nil }

    /// The record of a step; `nil` for progress that is not worth one.
    func result(_ event: FirmwareUpdateEvent) -> UpdateResult? {
        switch event.step {
        case .progress: return event.octets.flatMap { progressed(event, $0) }
        case .uploaded:
            line.end()
            let total = event.octets?.total ?? 0
            let elapsed = start.map { event.instant - $0.moment } ?? .zero
            let speed = (octets: total - (start?.octets ?? 0), elapsed: elapsed)
            (start, link) = (nil, nil)
            let rate = UpdateResult.rate(speed).map { ", \(Self.rate($0))" } ?? ""
            return result(event, "uploaded \(event.part.version): \(total) octets in \(elapsed.text)\(rate)", speed)
        default:
            context.notes.clearProgress()
            return result(event, Self.words(event))
        }
    }

    private func progressed(_ event: FirmwareUpdateEvent, _ octets: (done: Int, total: Int)) -> UpdateResult? {
        // The speed counts from the first answer, which was preceded by erasing.
        guard start != nil, let link else {
            if start == nil { start = (event.instant, octets.done) } else { link = (event.instant, octets.done) }
            return nil
        }
        let speed = (octets: max(0, octets.done - link.octets), elapsed: event.instant - link.moment)
        let words = Self.words(octets, speed)
        line.show(at: event.instant) { words }
        guard output.writesRecords, lastRecord.map({ event.instant - $0 >= Self.period }) ?? true else { return nil }
        lastRecord = event.instant
        return result(event, words, speed)
    }

    private func result(
        _ event: FirmwareUpdateEvent,
        _ words: String,
        _ speed: (octets: Int, elapsed: Duration)? = nil
    ) -> UpdateResult {
        UpdateResult(device: device, event: event, speed: speed, words: words, timestamp: Timestamp(context.time))
    }

    private static func words(_ event: FirmwareUpdateEvent) -> String {
        let version = event.part.version
        switch (event.step, event.detail) {
        case (.present, .starts): return "\(version) runs already, and is confirmed"
        case (.present, _): return "\(version) is there already"
        // A device at a socket has no address.
        case (.bootLoader, .address(let place)) where place.address.rawValue != 0:
            return "the boot loader runs at \(place.address)"
        case (.bootLoader, _): return "the boot loader runs"
        case (.chosen, .starts(let isForGood)): return "\(version) is started next, \(isForGood ? "for good" : "once")"
        case (.reset, _): return "the device starts anew"
        case (.running, .revision(let revision)): return "the device is back, with firmware \(revision)"
        case (.confirmed, _): return "\(version) is confirmed"
        default: return "\(version) runs"
        }
    }

    /// `uploading: 40960 of 102400 octets (40 %), 81.2 kB/s, 1 s left`
    private static func words(
        _ octets: (done: Int, total: Int),
        _ speed: (octets: Int, elapsed: Duration)
    ) -> String {
        var words = "uploading: \(octets.done) of \(octets.total) octets"
        if octets.total > 0 { words += " (\(octets.done * 100 / octets.total) %)" }
        if let rate = UpdateResult.rate(speed) { words += ", \(Self.rate(rate))" }
        if let rest = UpdateResult.remaining(octets, speed) {
            words += ", \(Int((rest / .seconds(1)).rounded(.up))) s left"
        }
        return words
    }

    /// A speed in kB/s, of 1,000 octets, with one digit behind the point; a lower one in octets.
    private static func rate(_ rate: Double) -> String {
        guard rate >= 1_000 else { return "\(Int(rate.rounded())) B/s" }
        let tenths = Int((rate / 100).rounded())
        return "\(tenths / 10).\(tenths % 10) kB/s"
    }
}
