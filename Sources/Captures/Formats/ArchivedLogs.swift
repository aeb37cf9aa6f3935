// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The captures in a zip archive, such as the bug report of Android, one after the other: the oldest first.
final class ArchivedLogs {
    private struct Log {
        let entry: ZipArchive.Entry
        let start: WallTime
    }

    /// The maximum number of captures of an archive.
    private static let limit = 256
    /// The folder of Android's Bluetooth logs in a bug report.
    private static let folder = "data/misc/bluetooth/logs/"
    private static let extensions = ["cfa", "btsnoop", "snoop", "pklg", "pcap", "pcapng"]
    /// What begins the packets of a bug report that has them in its text.
    private static let summary = "--- BEGIN:BTSNOOP_LOG_SUMMARY"

    private let archive: ZipArchive
    private var logs: ArraySlice<Log>
    private var current: (log: Log, records: LogRecords)?
    /// The first capture that cannot be read to its end. The others are read on.
    private var failure: (name: String, error: any Error)?

    init(_ archive: ZipArchive) throws {
        let candidates = archive.entries.filter { Self.isLog($0.name) && $0.length > 0 }
        guard candidates.count <= Self.limit else { throw ZipFault("it has more than \(Self.limit) captures") }
        var logs: [Log] = []
        var failure: (name: String, error: any Error)?
        for entry in candidates {
            do {
                var records = LogRecords(try archive.contents(of: entry))
                if let first = try records.next() { logs.append(Log(entry: entry, start: first.time)) }
            } catch CaptureFault.unknown, CaptureFault.foreign {
                // The folder also has what is no capture.
            } catch {
                if failure == nil { failure = (entry.name, error) }
            }
        }
        if logs.isEmpty {
            if let failure { throw failure.error }
            throw try Self.reason(archive, hasLogs: !candidates.isEmpty)
        }
        self.archive = archive
        self.failure = failure
        self.logs =
            logs.sorted { first, second in
                if first.start != second.start { return first.start < second.start }
                // What was the log before the current one.
                return first.entry.name.hasSuffix(".last") && !second.entry.name.hasSuffix(".last")
            }[...]
    }

    /// The entry that cannot be read to its end, or that is read; `nil` before the first.
    var name: String? { failure?.name ?? current?.log.entry.name }

    /// The next record; `nil` behind the last capture. Each capture begins with a remark that names it. Throws behind the
    /// last one if any of them is damaged.
    func next() throws -> CapturedRecord? {
        while true {
            do {
                if let record = try current?.records.next() { return record }
            } catch {
                if failure == nil, let current { failure = (current.log.entry.name, error) }
            }
            guard let log = logs.popFirst() else {
                current = nil
                if let failure { throw failure.error }
                return nil
            }
            current = (log, LogRecords(try archive.contents(of: log.entry)))
            return .remark(log.entry.name, at: log.start)
        }
    }

    /// Whether a file of an archive is a capture by its name or its folder.
    private static func isLog(_ name: String) -> Bool {
        guard !name.hasSuffix("/") else { return false }
        let base = name.split(separator: "/").last ?? ""
        return base.hasPrefix("btsnoop") || "/\(name)".contains(text: "/\(folder)")
            || extensions.contains(base.split(separator: ".").dropFirst().last?.lowercased() ?? "")
    }

    /// Why an archive has no capture.
    private static func reason(_ archive: ZipArchive, hasLogs: Bool) throws -> ZipFault {
        for entry in archive.entries where entry.name.hasSuffix(".txt") && !entry.name.contains("/") {
            let contents = try archive.contents(of: entry)
            var end = ""
            while true {
                let part = try contents.next()
                if part.isEmpty { break }
                let text = end + String(decoding: part, as: UTF8.self)
                // The packets as text are a summary: without most of the data.
                if text.contains(text: summary) {
                    return ZipFault(
                        "it has the packets only as a summary in \(entry.name): btsnooz.py of Android's sources reads it"
                    )
                }
                end = String(text.suffix(summary.utf8.count))
            }
        }
        return ZipFault(hasLogs ? "none of its Bluetooth logs is a capture with packets" : "it has no Bluetooth log")
    }
}

private struct LogRecords {
    private let contents: ZipContents
    private var reader = CaptureReader()
    private var isAtEnd = false

    init(_ contents: ZipContents) { self.contents = contents }

    mutating func next() throws -> CapturedRecord? {
        while true {
            if let record = try reader.next() { return record }
            if isAtEnd { return nil }
            let part = try contents.next()
            isAtEnd = part.isEmpty
            if isAtEnd { reader.end() } else { reader.append(part) }
        }
    }
}
