// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Glibc
import RadioSharing
import Records
import Terminal
import Toolkit

/// `blectl extcap`: answers Wireshark's questions, or gives it packets.
///
/// Spec: https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html
struct ExtcapRun {
    let command: ExtcapCommand
    let context: CommandContext

    func run() async throws {
        switch command.task {
        case .interfaces: try await list()
        case .dlts: try await emit(try await presentInterface(), .linkType)
        case .config: _ = try await presentInterface()
        case .capture:
            switch command.interface {
            case .adapter(let name): try await scan(on: name)
            case .session(let label): try await follow(try await session(label))
            case .world: try await follow(try world())
            case nil: break
            }
        }
    }

    /// Lists the interfaces. None is no error here, because Wireshark lists the interfaces of other programs, too.
    private func list() async throws {
        if !context.output.writesRecords {
            let help = "https://www.wireshark.org/docs/man-pages/extcap.html"
            try await context.output.write(
                "extcap {version=\(Program.version)}{help=\(help)}{display=Bluetooth Low Energy}"
            )
        }
        for (interface, title) in await interfaces() { try await emit(interface, .interface(title)) }
    }

    /// What there is, with what Wireshark shows.
    private func interfaces() async -> [(CaptureInterface, String)] {
        let adapters =
            (try? await AdapterSurvey(context.system, scope: context.scope, time: context.time).adapters()) ?? []
        var interfaces = adapters.map { adapter in
            let place = context.options.isSimulated ? "simulated" : "\(adapter.address)"
            return (CaptureInterface.adapter(adapter.name), "scan: \(adapter.name) (\(place))")
        }
        for session in await context.sessions(inOwnWorld: true).map(\.description) {
            interfaces.append((.session(session.name), "session: \(session.reference.text)"))
        }
        if context.options.sharedWorld != nil {
            interfaces.append((.world, "of all programs in the simulated world"))
        }
        return interfaces
    }

    /// The interface that Wireshark asks about, if it is there.
    private func presentInterface() async throws -> CaptureInterface {
        guard let wanted = command.interface, await interfaces().contains(where: { $0.0 == wanted }) else {
            let name = Prose.quoted(command.interface?.name ?? "")
            throw BlectlError(
                .notFound,
                "there is no interface \(name)",
                hint: "what there is: blectl extcap interfaces"
            )
        }
        return wanted
    }

    private func emit(_ interface: CaptureInterface, _ line: CaptureInterfaceResult.Line) async throws {
        let result = CaptureInterfaceResult(interface: interface, line: line, timestamp: Timestamp(context.time))
        try await context.output.emit(result)
    }

    /// Scans until Wireshark ends the process or closes its pipe. The packets are those of the capture of the run.
    private func scan(on adapter: String) async throws {
        let central = try await context.central(named: adapter, isForLinks: false)
        let controller: HCIController
        do {
            controller = try HCIController.open(central.radio, scope: context.scope, time: context.time)
        } catch {
            throw BlectlError(error, doing: "scan")
        }
        let pipe = context.options.capture.map { PipeReader(path: $0) }
        try await withCleanup {
            do {
                try await controller.withLeasedScan(
                    ScanParameters(),
                    in: context.stores.state,
                    privacy: context.runState.privacy,
                    time: context.time,
                    notes: context.diagnostics
                ) { scan in
                    try await scan.forEachBatch { _ in pipe?.isGone == true ? .stop : .goOn }
                }
            } catch let error as RadioError {
                // A cancelled scan is Wireshark's wish and not an error of the radio.
                guard error.cause != .cancelled else { throw CancellationError() }
                throw BlectlError(error, doing: "scan")
            }
        } cleanup: {
            await controller.close()
        }
    }

    // MARK: - Packets of other processes

    /// The way to the process of a session.
    private func session(_ label: String) async throws -> any RemoteConnector {
        let found = await context.sessions(inOwnWorld: true).first { $0.description.name == label }
        guard let support = context.sessions, let found else {
            let what = "there is no session '\(label)'"
            throw BlectlError(.notFound, what, hint: "what there is: blectl extcap interfaces")
        }
        return support.system.connector(at: found.entry.path)
    }

    /// The way to the process of the shared world.
    private func world() throws(BlectlError) -> any RemoteConnector {
        guard let path = context.options.sharedWorld, let connector = context.simulation.connector else {
            throw BlectlError(
                .usage,
                "'blectl-world' needs a world that programs share",
                hint: "blectl simulate serve --socket PATH, with that path in $BLECTL_SIMULATE"
            )
        }
        return connector(path)
    }

    /// Hands on what passes in another process, until that ends, or Wireshark does.
    private func follow(_ connector: any RemoteConnector) async throws {
        let pipe = context.options.capture.map { PipeReader(path: $0) }
        do throws(RadioError) {
            let packets = try remoteCapture(by: connector)
            defer {
                packets.close()
                if packets.droppedCount > 0 {
                    context.diagnostics.note(
                        "\(count: packets.droppedCount, "packet") not captured: they came too fast"
                    )
                }
            }
            while pipe?.isGone != true {
                for octets in try await packets.receiveWaiting() {
                    if let record = try? BTSnoopRecord(decoding: octets) { context.runState.addToCapture?(record) }
                }
            }
        } catch {
            try Task.checkCancellation()
            switch error.cause {
            // The process has ended, and with it the capture.
            case .closedByPeer, .cancelled: break
            default: throw BlectlError(error, doing: "capture")
            }
        }
    }
}

private struct PipeReader {
    let path: String

    /// Whether the path is a pipe that nobody reads any more.
    var isGone: Bool {
        // Opening a pipe for writing without waiting fails if it has no reader. A file is not opened for that.
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
        let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENXIO }
        close(descriptor)
        return false
    }
}
