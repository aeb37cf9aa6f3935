// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Glibc
import Terminal
package import Toolkit

/// Reads a capture from its beginning to its end, packet by packet. A capture in progress and a pipe work, too.
package struct CaptureReading {
    private let paths: [String]
    private let isRedacted: Bool
    private let blocking: BlockingRunner?
    private let diagnostics: Diagnostics

    /// - Parameters:
    ///   - paths: The files; `-` for standard input.
    ///   - context: Its diagnostics get the number of lost packets.
    package init(_ paths: [String], in context: CommandContext) {
        self.paths = paths
        isRedacted = context.options.streams.isRedacted
        blocking = context.process.blocking
        diagnostics = context.diagnostics
    }

    /// Whether the files can be read a second time: a pipe gives its octets once. What is missing, or a folder, is told on
    /// opening.
    package var isRepeatable: Bool {
        paths.allSatisfy { path in
            var status = stat()
            return path != "-"
                && (stat(path, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT))
        }
    }

    /// Calls the function with each packet, with the attributes that it is about.
    ///
    /// - Parameters:
    ///   - gatt: What is known so far, which grows.
    ///   - isFirst: Whether another reading follows, which tells of lost packets.
    /// - Returns: The reason why the file cannot be read to its end; `nil` if it was. What comes before is intact.
    package func forEach(
        _ gatt: inout CapturedGATT,
        isFirst: Bool = false,
        _ body: (CapturedEvent, CapturedGATT) async throws -> Void
    ) async throws -> BlectlError? {
        let source = try CaptureSource(paths: paths, blocking: blocking)
        var decoder = CaptureDecoder(isRedacted: isRedacted)
        var cutCount = 0
        defer { if !isFirst { tell(cutCount) } }
        while true {
            let record: CapturedRecord
            do {
                guard let next = try await source.next() else { return nil }
                record = next
            } catch let error as BlectlError where error.status == .badData {
                return error
            }
            var event = decoder.event(record)
            if record.lost > 0, !isFirst {
                diagnostics.note("\(count: record.lost, "packet") lost before packet \(event.number)")
            }
            if event.missing > 0, event.connection != nil { cutCount += 1 }
            gatt.add(&event)
            try await body(event, gatt)
        }
    }

    /// Tells that packets of links are cut, without which a capture without values would be a riddle.
    private func tell(_ cutCount: Int) {
        guard cutCount > 0 else { return }
        diagnostics.note(
            "the capture has only the beginnings of \(count: cutCount, "packet") of links, and not the values in them; on "
                + "Android, the snoop log has them if it is \"Enabled\", and not \"Enabled Filtered\""
        )
    }
}
