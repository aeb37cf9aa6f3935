// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension ShellSession {
    /// Carries out a command that only the shell has. Returns its status; `nil` if Ctrl-C has ended it.
    func perform(_ builtin: ShellBuiltin, _ argument: String?) async -> ExitStatus? {
        switch builtin {
        case .connect:
            guard let device = await device(argument, mayBeNew: true) else { return .usage }
            // Lines go on to mean the present device if the new one is not there.
            begin(using: device)
            let status = await inForeground { await self.connect(device) }
            await end(using: device)
            if status == .success { current = device }
            return status
        case .disconnect:
            guard let device = await device(argument, mayBeNew: false) else { return .usage }
            await device.connection.disconnect()
            return .success
        case .use:
            guard let argument else { return fail("use: which device?", hint: "'links' shows those of this shell") }
            guard let device = await device(argument, mayBeNew: false) else { return .usage }
            current = device
            return .success
        case .links:
            await listDevices()
            return .success
        case .jobs:
            for job in jobs.running {
                try? context.output.put(ShellJobResult(job: job, timestamp: Timestamp(context.time)))
            }
            return .success
        case .stop: return await stop(argument)
        case .wait: return await wait(argument)
        case .help:
            if let argument, let own = ShellBuiltin(word: argument) {
                await show("\(own.synopsis)\n  \(own.summary)")
            } else {
                await show(ShellBuiltin.overview)
            }
            return .success
        case .exit: return .success
        }
    }

    /// The device that an argument names, or the present one. Reports if there is none.
    private func device(_ argument: String?, mayBeNew: Bool) async -> ShellDevice? {
        guard let argument else {
            if let current { return current }
            _ = fail("no device is named", hint: "connect DEVICE; 'scan' shows what is there")
            return nil
        }
        do throws(DeviceIdentifier.Problem) {
            let selector: DeviceSelector =
                switch try DeviceIdentifier(argument) {
                case .address(let address): .address(address, nil)
                case .name(let name): .name(name)
                }
            for device in devices where await device.isMeant(by: selector) { return device }
            guard mayBeNew else {
                _ = fail(
                    "\(Prose.quoted(argument)) is not a device of this shell",
                    hint: "connect \(ShellLine.escaped(argument))"
                )
                return nil
            }
            return await newDevice(DeviceOptions(selector: selector, connection: options.connection))
        } catch {
            _ = fail("invalid device \(Prose.quoted(argument)): \(error.expectation)", hint: nil)
            return nil
        }
    }

    /// The device of options. Reports if there cannot be one.
    func newDevice(_ wanted: DeviceOptions) async -> ShellDevice? {
        do {
            return try await heldDevice(for: wanted)
        } catch {
            if let described = BlectlError(describing: error, doing: "use Bluetooth") {
                context.diagnostics.error(described)
            }
            return nil
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

    private func stop(_ argument: String?) async -> ExitStatus? {
        guard let argument else { return fail("stop: which command?", hint: "'jobs' shows their numbers; stop all") }
        guard let chosen = argument == "all" ? Array(background.keys) : numbers(argument) else {
            return noJob(argument)
        }
        for number in chosen { background[number]?.task.cancel() }
        return await inForeground {
            await self.untilEnded(chosen)
            return .success
        }
    }

    private func wait(_ argument: String?) async -> ExitStatus? {
        guard let chosen = argument.map(numbers) ?? Array(background.keys) else { return noJob(argument ?? "") }
        // Ctrl-C ends the wait, and the commands go on.
        return await inForeground {
            await self.untilEnded(chosen)
            return .success
        }
    }

    /// The job of a number; `nil` if there is none.
    private func numbers(_ text: String) -> [Int]? { Int(text).flatMap { background[$0] == nil ? nil : [$0] } }

    private func noJob(_ argument: String) -> ExitStatus {
        fail("no command \(Prose.quoted(argument)) runs in the background", hint: "'jobs' shows their numbers")
    }

    private func fail(_ message: String, hint: String?) -> ExitStatus {
        context.diagnostics.error(BlectlError(.usage, message, hint: hint))
        return .usage
    }
}
