// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl trace`: prints the packets of a capture.
struct TraceRun {
    let options: TraceOptions
    let context: CommandContext

    /// Prints the packets that the filter lets through. The file is read as a stream, so that a capture in
    /// progress and a pipe work too.
    func run() async throws {
        // Created before the reading, so that a file that cannot be written costs no time.
        let picture = try context.options.diagram.map { file in (try OutputFile(file.path), file.format) }
        var diagram = SequenceDiagram()
        let failure = try await read(drawing: &diagram)
        // Written before the error of a damaged file is thrown, so that the intact packets are drawn.
        if let (file, format) = picture { try file.write(format.file(of: diagram)) }
        if let failure { throw failure }
    }

    /// Prints the packets and draws them. Returns the reason why the file cannot be read to its end; `nil` if it was.
    private func read(drawing diagram: inout SequenceDiagram) async throws -> BlectlError? {
        let source = try ByteSource(path: options.file, blocking: context.process.blocking)
        var reader = BTSnoopReader()
        var decoder: CaptureDecoder?
        var drops: UInt32 = 0
        var offset = 0
        do {
            while true {
                let octets = try await source.next(after: offset)
                if octets.isEmpty { break }
                offset += octets.count
                reader.append(octets)
                while let record = try reader.next() {
                    // Made late, because the header of the capture chooses the decoder.
                    if decoder == nil { decoder = try self.decoder(reader.header) }
                    guard let event = decoder?.event(record) else { break }
                    // The number in a record counts all drops since the capture began. It may wrap.
                    if record.cumulativeDrops != drops {
                        let lost = record.cumulativeDrops &- drops
                        context.diagnostics.note("\(count: Int(lost), "packet") lost before packet \(event.number)")
                        drops = record.cumulativeDrops
                    }
                    // The decoder needs every packet, because later ones refer to earlier ones; only the output
                    // is filtered.
                    guard options.match(event) else { continue }
                    diagram.add(event)
                    // A diagram replaces the lines, but not the records, which a program reads.
                    guard context.options.diagram == nil || context.output.writesRecords else { continue }
                    try await context.output.emit(PacketResult(event: event))
                }
            }
            // Otherwise the message would complain about a header that the writer has not begun yet.
            guard offset > 0 else {
                return noCapture("\(name) is empty")
            }
            try reader.finish()
            return nil
        } catch let error as BTSnoopError where error.cause == BTSnoopHeader.otherFile {
            return noCapture("\(name) is not a btsnoop capture")
        } catch let error as BTSnoopError {
            return BlectlError(.badData, cannot: "read all of \(name)", "\(error)")
        }
    }

    /// The error for a file that is no capture.
    private func noCapture(_ message: String) -> BlectlError {
        BlectlError(
            .badData,
            message,
            hint: "a capture comes from 'blectl --capture FILE COMMAND', or from 'btmon -w FILE'"
        )
    }

    private var name: String { options.file == "-" ? "standard input" : options.file }

    /// A decoder for the kind of link in the header of the capture.
    private func decoder(_ header: BTSnoopHeader?) throws(BlectlError) -> CaptureDecoder {
        let datalink = header?.datalink ?? .h4
        guard [.h4, .unencapsulatedHCI, .linuxMonitor].contains(datalink) else {
            throw BlectlError(
                .badData,
                cannot: "read \(name)",
                "it has \(datalink), and only 1001 (HCI), 1002 (H4) and 2001 (monitor) are known"
            )
        }
        return CaptureDecoder(datalink, isRedacted: context.options.streams.isRedacted)
    }
}
