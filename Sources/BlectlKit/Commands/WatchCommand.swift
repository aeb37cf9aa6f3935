// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// `blectl watch`: measurements, a serial port, or keys.
struct WatchCommand {
    let options: WatchOptions
    let device: DeviceOptions
    let context: CommandContext

    init(_ options: WatchOptions, on device: DeviceOptions, _ context: CommandContext) {
        self.options = options
        self.device = device
        self.context = context
    }

    func run() async throws {
        switch options.profiles.first?.conduct {
        case .serialPort(let port): try await context.run(try serialPort(port), on: device)
        case .keys(let pads): try await context.run(try keys(pads), on: device)
        case .stream, .snapshot, .storedRecords, nil: try await measurements()
        }
    }

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

    private func serialPort(_ port: SerialPort) throws -> SerialOperation {
        let input = options.serial.isReceiveOnly ? nil : try ByteSource(path: "-", blocking: context.blocking)
        return SerialOperation(
            port: port,
            options: options.serial,
            limits: options.limits,
            input: input,
            isInteractive: input?.isTerminal ?? false,
            isForTerminal: context.output.style.isTerminal,
            reconnects: options.reconnects
        )
    }

    private func keys(_ pads: [KeyPad]) throws -> KeysOperation {
        var programs: KeyPrograms?
        if !options.programs.isEmpty {
            guard let blocking = context.blocking else {
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
                environment: context.variables(),
                start: blocking,
                time: context.time
            ) { [diagnostics = context.diagnostics] in diagnostics.note($0) }
        }
        return KeysOperation(pads: pads, limits: options.limits, handler: programs)
    }
}
