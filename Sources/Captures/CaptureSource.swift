// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
package import Toolkit

/// The records of captures: of one in its order, of several in the order of time.
///
/// They are read as streams, so that a capture in progress and a pipe work too, and no more than a record of each is
/// held.
package final class CaptureSource {
    /// A capture, and the record of it that comes next.
    private struct Part {
        let stream: CaptureStream
        var record: CapturedRecord?
        var isAtEnd = false
    }

    private var parts: [Part]
    /// The first reason why a capture cannot be read to its end. The others are read on.
    private var failure: BlectlError?

    /// Opens captures, whose formats their first octets tell.
    ///
    /// - Parameters:
    ///   - paths: The files; `-` is standard input.
    ///   - blocking: Runs reads that may block; `nil` for the caller's thread.
    package init(paths: [String], blocking: BlockingRunner?) throws(BlectlError) {
        var parts: [Part] = []
        for path in paths { parts.append(Part(stream: try CaptureStream(path: path, blocking: blocking))) }
        self.parts = parts
    }

    /// The next record; `nil` at the end. Throws a `BlectlError` with the status `badData` where a capture is damaged, or
    /// is none; nothing can be read after that. Of several captures, the others are read to their ends before.
    package func next() async throws -> CapturedRecord? {
        // One capture waits for no record beyond the one that is given out.
        guard parts.count > 1 else { return try await parts.first?.stream.next() }
        var first: (index: Int, time: WallTime)?
        for index in parts.indices {
            try await fill(index)
            guard let time = parts[index].record?.time else { continue }
            if let first, first.time <= time { continue }
            first = (index, time)
        }
        guard let index = first?.index, var record = parts[index].record else {
            if let failure { throw failure }
            return nil
        }
        parts[index].record = nil
        record.origin.capture = parts[index].stream.path
        return record
    }

    /// Reads the record of a capture that comes next, unless it is there.
    private func fill(_ index: Int) async throws {
        guard parts[index].record == nil, !parts[index].isAtEnd else { return }
        do {
            parts[index].record = try await parts[index].stream.next()
            parts[index].isAtEnd = parts[index].record == nil
        } catch let error as BlectlError where error.status == .badData {
            failure = failure ?? error
            parts[index].isAtEnd = true
        }
    }
}
