// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl extcap`: answers Wireshark's questions, or scans for it.
///
/// Spec: https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html
struct ExtcapRun {
    let command: ExtcapCommand
    let context: CommandContext

    func run() async throws {
        switch command.task {
        case .interfaces: try await list()
        case .dlts: try await context.output.emit(interface(command.adapter ?? "", .linkType))
        case .config: break
        case .capture: try await scan()
        }
    }

    /// Lists the adapters. None is no error here, because Wireshark lists the interfaces of other programs, too.
    private func list() async throws {
        let adapters =
            (try? await AdapterSurvey(context.system, scope: context.scope, time: context.time).adapters()) ?? []
        if !context.output.writesRecords {
            let help = "https://www.wireshark.org/docs/man-pages/extcap.html"
            try await context.output.write(
                "extcap {version=\(Program.version)}{help=\(help)}{display=Bluetooth Low Energy}"
            )
        }
        for adapter in adapters {
            let place = isSimulated ? "simulated" : "\(adapter.address)"
            try await context.output.emit(interface(adapter.name, .interface(place: place)))
        }
    }

    private func interface(_ adapter: String, _ line: CaptureInterfaceResult.Line) -> CaptureInterfaceResult {
        CaptureInterfaceResult(adapter: adapter, line: line, timestamp: Timestamp(context.time))
    }

    private var isSimulated: Bool {
        if case .simulation = context.options.radio { true } else { false }
    }

    /// Scans until Wireshark ends the process or closes its pipe. The packets are those of the capture of the run.
    private func scan() async throws {
        let central = try await context.central(named: command.adapter, isForLinks: false)
        let controller: HCIController
        do {
            controller = try HCIController.open(central.radio, scope: context.scope, time: context.time)
        } catch {
            throw BlectlError(error, doing: "scan")
        }
        let pipe = context.options.capture.map { PipeReader($0) }
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
}
