// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
package import CommandLineInterface
package import Records
import Synchronization
package import Terminal
package import Toolkit

/// The recordings of a run beside its results: the capture of `--capture` and the diagram of `--diagram`.
package final class RunCapture: Sendable {
    /// The open files, behind one lock: packets come from several tasks, and their order matters.
    private struct State: Sendable {
        /// Turns packets into records.
        var converter = CaptureConverter()
        /// The capture; `nil` for none.
        var file: CaptureFile?
        /// The diagram, and the decoder of its records; `nil` without a diagram.
        var drawing: (decoder: CaptureDecoder, diagram: SequenceDiagram)?
        var isReported = false

        /// Writes packets to the capture and draws them, without values, names and keys if they are redacted. The
        /// diagram goes on after the capture has failed.
        mutating func write(_ packets: [CaptureConverter.Packet], isRedacted: Bool) {
            for packet in isRedacted ? packets.map(\.redacted) : packets {
                file?.write(packet)
                guard var event = drawing?.decoder.event(packet.record) else { continue }
                event.isRedacted = isRedacted
                drawing?.diagram.add(event)
            }
        }

        mutating func takeFailure() -> BlectlError? {
            guard !isReported, let failure = file?.failure else { return nil }
            isReported = true
            return failure
        }
    }

    private let state: Mutex<State>
    /// Takes the failure of the capture while the run goes on, and knows whether packets are redacted now.
    private let diagnostics: Diagnostics
    /// The file of the diagram; `nil` for none.
    private let picture: (file: OutputFile, format: DiagramFormat)?

    /// Opens the files for the run of a command; `nil` if there are none. Throws if one cannot be created.
    ///
    /// - Parameter line: The words of the command line, with the name of the program.
    package init?(of request: CommandRequest, line: [String] = [], _ diagnostics: Diagnostics) throws(BlectlError) {
        let options = request.global
        // `trace` draws the packets that it reads.
        guard request.usesRadio, options.capture != nil || options.diagram != nil else { return nil }
        self.diagnostics = diagnostics
        var state = State()
        if let path = options.capture {
            // The words have names and values, which a redacted capture does not tell, and digits of a pairing, which none
            // tells.
            let isSecret = options.streams.isRedacted || line.contains { $0.hasPrefix("--passkey") }
            let words = isSecret ? [request.name.rawValue] : Array(line.dropFirst())
            let comment = ([Program.name] + words).map(Prose.word).joined(separator: " ")
            state.file = try CaptureFile(path, for: options.adapters, request.command.captureStyle, comment: comment)
        }
        if let diagram = options.diagram {
            picture = (try OutputFile(diagram.path), diagram.format)
            state.drawing = (CaptureDecoder(), SequenceDiagram())
        } else {
            picture = nil
        }
        let failure = state.takeFailure()
        self.state = Mutex(state)
        if let failure { diagnostics.error(failure) }
    }

    package var tap: PacketTap {
        { [self] packet in append { $0.packets(of: packet) } }
    }

    package var linkTap: LinkTap {
        { [self] link in append { $0.packets(of: link) } }
    }

    /// Adds the packet of a record with the datalink of the Linux monitor. Others are left out.
    package var add: @Sendable (BTSnoopRecord) -> Void {
        { [self] record in
            guard let packet = try? CapturedPacket(record, of: .linuxMonitor), case .hci(let octets) = packet.content
            else { return }
            let adapter = packet.adapter ?? .none
            append { _ in
                [.init(octets: octets, direction: packet.direction, adapter: adapter, timestamp: record.timestamp)]
            }
        }
    }

    /// Adds packets, and reports a failure of the capture once. The run goes on without the capture.
    private func append(_ packets: (inout CaptureConverter) -> [CaptureConverter.Packet]) {
        let failure = state.withLock { state in
            let packets = packets(&state.converter)
            state.write(packets, isRedacted: diagnostics.redactsPackets)
            return state.takeFailure()
        }
        if let failure { diagnostics.error(failure) }
    }

    /// Ends the files after the run, and returns the status of both: that of the run, unless it has succeeded and a
    /// file has failed.
    package func finish(_ status: ExitStatus, _ output: Output, _ time: any TimeSource) async -> ExitStatus {
        var failure = state.withLock { $0.file?.failure }
        let droppedCount = state.withLock { $0.file?.droppedCount ?? 0 }
        if let picture, let diagram = state.withLock({ $0.drawing?.diagram }) {
            do throws(BlectlError) {
                try picture.file.write(diagram.file(picture.format))
            } catch {
                diagnostics.error(error)
                failure = failure ?? error
            }
        }
        if droppedCount > 0 {
            diagnostics.note("\(count: droppedCount, "packet") not captured: the reader of the pipe is too slow")
        }
        if let failure, output.writesRecords {
            try? output.put(ErrorResult(error: diagnostics.redacted(failure), timestamp: Timestamp(time)))
            await output.drain()
        }
        await diagnostics.drain()
        return status == .success ? failure?.status ?? status : status
    }
}
