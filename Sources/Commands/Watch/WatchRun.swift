// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl watch`: measurements, a serial port, or keys.
struct WatchRun {
    let options: WatchOptions
    let device: DeviceOptions
    let context: CommandContext

    /// Runs the operation for the kind of profile. Profiles of different kinds are never mixed: the parser
    /// rejects them.
    func run() async throws {
        switch options.profiles.first?.mode {
        case .serialPort: try await context.run(try serialPort(), on: device)
        case .keys(let pads): try await context.run(try keys(pads), on: device)
        case .stream, .snapshot, .storedRecords, nil: try await measurements()
        }
    }

    /// Watches measurements, on the live display if there is a terminal.
    private func measurements() async throws {
        let observation = LiveObservation(subject: options.title, limits: options.limits, thing: .measurement)
        // Values that are read once need no screen.
        try await context.run(
            WatchOperation(options),
            on: device,
            watching: options.isSnapshot ? nil : observation,
            drawing: options.chart
        )
    }

    /// The operation for a serial port. Standard input is opened here, so that a mistake costs no connection.
    private func serialPort() throws -> SerialOperation {
        let input = options.serial.isReceiveOnly ? nil : try ByteSource(path: "-", blocking: context.process.blocking)
        return SerialOperation(
            options: options.serial,
            listens: options.listens,
            limits: options.limits,
            input: input,
            isInteractive: input?.isTerminal ?? false,
            isForTerminal: context.output.style.isTerminal,
            reconnects: options.reconnects
        )
    }

    /// The operation for keys, with the programs that `--exec` assigns to them.
    private func keys(_ pads: [KeyPad]) throws -> KeysOperation {
        var programs: KeyPrograms?
        if !options.programs.isEmpty {
            guard let blocking = context.process.blocking else {
                throw BlectlError(
                    .usage,
                    cannot: "watch keys with --exec",
                    "virtual time does not pass while a program runs",
                    hint: "--simulate-time real"
                )
            }
            programs = KeyPrograms(
                options.programs,
                timeout: options.programTimeout,
                environment: context.process.variables(),
                start: blocking,
                time: context.time
            ) { [diagnostics = context.diagnostics] in diagnostics.note($0) }
        }
        return KeysOperation(pads: pads, limits: options.limits, programs: programs)
    }
}
