// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Terminal

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

    /// Calls the function with each packet.
    ///
    /// - Returns: The reason why the file cannot be read to its end; `nil` if it was. What comes before is intact.
    package func forEach(_ body: (CapturedEvent) async throws -> Void) async throws -> BlectlError? {
        let source = try CaptureSource(paths: paths, blocking: blocking)
        var decoder = CaptureDecoder(isRedacted: isRedacted)
        while true {
            let record: CapturedRecord
            do {
                guard let next = try await source.next() else { return nil }
                record = next
            } catch let error as BlectlError where error.status == .badData {
                return error
            }
            let event = decoder.event(record)
            if record.lost > 0 {
                diagnostics.note("\(count: record.lost, "packet") lost before packet \(event.number)")
            }
            try await body(event)
        }
    }
}
