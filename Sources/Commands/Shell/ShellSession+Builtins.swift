// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

extension ShellSession {
    /// Carries out a command that only the shell has. Returns its status; `nil` if Ctrl-C has ended it.
    func perform(_ builtin: ShellBuiltin, _ argument: String?) async -> ExitStatus? {
        do throws(BlectlError) {
            return try await carryOut(builtin, argument)
        } catch {
            return report(error.about(builtin.rawValue))
        }
    }

    private func carryOut(_ builtin: ShellBuiltin, _ argument: String?) async throws(BlectlError) -> ExitStatus? {
        switch builtin {
        case .connect:
            guard let device = try await device(argument, mayBeNew: true) else { return nil }
            // Lines go on to mean the present device if the new one is not there.
            begin(using: device)
            let status = await inForeground { await self.connect(device) }
            await end(using: device)
            if status == .success { current = device }
            return status
        case .disconnect:
            try await device(argument, mayBeNew: false)?.connection.disconnect()
            return .success
        case .use:
            guard let argument else {
                throw BlectlError(.usage, "use: which device?", hint: "'links' shows those of this shell")
            }
            current = try await device(argument, mayBeNew: false) ?? current
            return .success
        case .links:
            await listDevices()
            return .success
        case .jobs:
            for job in jobs.running {
                try? context.output.put(ShellJobResult(job: job, timestamp: Timestamp(context.time)))
            }
            return .success
        case .stop: return try await stop(argument)
        case .clear:
            // ECMA-48, 8.3.21 and 8.3.39: the cursor goes home, and what is behind it is erased.
            if context.output.style.isTerminal { try? context.output.put("\u{1B}[H\u{1B}[2J") }
            return .success
        case .wait: return try await wait(argument)
        case .help:
            if let argument, let own = ShellBuiltin(word: argument) {
                await show("\(own.synopsis)\n  \(own.summary)")
            } else {
                await show(ShellBuiltin.overview(context.commands.table))
            }
            return .success
        case .exit: return .success
        }
    }

    /// The device that an argument names, or the present one; `nil` after a cancellation.
    private func device(_ argument: String?, mayBeNew: Bool) async throws(BlectlError) -> ShellDevice? {
        guard let argument else {
            if let current { return current }
            throw BlectlError(.usage, "no device is named", hint: "connect DEVICE; 'scan' shows what is there")
        }
        let selector: DeviceSelector
        do throws(DeviceIdentifier.Problem) {
            selector =
                switch try DeviceIdentifier(argument) {
                case .address(let address): .address(address, nil)
                case .name(let name): .name(name)
                }
        } catch {
            context.diagnostics.conceal(argument)
            throw BlectlError(.usage, "invalid device \(Prose.quoted(argument)): \(error.expectation)")
        }
        context.diagnostics.conceal(selector.givenName)
        for device in devices where await device.isMeant(by: selector) { return device }
        guard mayBeNew else {
            throw BlectlError(
                .usage,
                "\(Prose.quoted(argument)) is not a device of this shell",
                hint: "connect \(ShellLine.escaped(argument))"
            )
        }
        return try await newDevice(DeviceOptions(selector: selector, connection: options.connection))
    }

    /// The device of options; `nil` after a cancellation.
    func newDevice(_ wanted: DeviceOptions) async throws(BlectlError) -> ShellDevice? {
        do {
            return try await heldDevice(for: wanted)
        } catch {
            guard let described = BlectlError(describing: error, doing: "use Bluetooth") else { return nil }
            throw described
        }
    }

    private func listDevices() async {
        // The shell's own device stays, so that the next line looks for it again. It is shown when it is found.
        for device in devices where await device.connection.reference != nil {
            let result = ShellDeviceResult(
                name: await device.label,
                address: await device.connection.reference?.addressText,
                security: await device.connection.security,
                isCurrent: device.number == current?.number,
                timestamp: Timestamp(context.time)
            )
            try? context.output.put(result)
        }
    }

    private func stop(_ argument: String?) async throws(BlectlError) -> ExitStatus? {
        guard let argument else {
            throw BlectlError(.usage, "stop: which command?", hint: "'jobs' shows their numbers; stop all")
        }
        let number = Int(argument)
        guard argument == "all" || number.map({ background[$0] != nil }) == true else { throw Self.noJob(argument) }
        let chosen = number.map { [$0] } ?? Array(background.keys)
        for number in chosen { background[number]?.task.cancel() }
        return await inForeground {
            await self.untilEnded(chosen)
            return .success
        }
    }

    /// Waits for the end of one command in the background, or of all. Its status is that of the command, or the first
    /// failure of all that have ended since the last wait: they may have ended before this one.
    private func wait(_ argument: String?) async throws(BlectlError) -> ExitStatus? {
        let number = argument.flatMap { Int($0) }
        if let argument, number.map({ jobs.isKnown($0) }) != true { throw Self.noJob(argument) }
        // Ctrl-C ends the wait, and the commands go on.
        return await inForeground {
            await self.untilEnded(number.map { [$0] })
            return Task.isCancelled ? .success : await self.takeStatus(of: number)
        }
    }

    private func takeStatus(of number: Int?) -> ExitStatus { jobs.takeStatus(of: number) }

    private static func noJob(_ argument: String) -> BlectlError {
        BlectlError(
            .usage,
            "no command \(Prose.quoted(argument)) runs in the background",
            hint: "'jobs' shows their numbers"
        )
    }
}
