// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CaptureCommands
import CommandLineInterface
import Records
import Terminal
import Toolkit

extension ShellSession {
    /// The device of a line, which is one of the shell's from now on. Nothing is looked for yet.
    ///
    /// - Parameters:
    ///   - timing: The times of the line, to which a choice among adapters belongs; `nil` for none.
    ///   - timeout: The time of the line for a search; `nil` for that of the shell.
    func heldDevice(
        for wanted: DeviceOptions,
        timedBy timing: RunTiming? = nil,
        within timeout: Duration? = nil
    ) async throws -> ShellDevice {
        if let current, wanted.selector == nil || wanted.selector == .name(ShellDevice.placeholder) { return current }
        if let selector = wanted.selector {
            for device in devices where await isMeant(device, by: selector) { return device }
        }
        var wanted = wanted
        // The link outlasts the line, so that the options of the shell decide whether it is made again.
        wanted.connection.reconnects = options.connection.reconnects
        // A later line may want its times or its properties.
        wanted.connection.observesLink = options.connection.observesLink
        // Later lines may use the link of a session, although one that opens a channel cannot.
        wanted.usesSessions = wanted.asksSessions
        let chosen = wanted
        let connection = try await connection(for: chosen, timedBy: timing, within: timeout)
        // While the adapter was opened, another line may have asked for the same device.
        if let selector = wanted.selector {
            for device in devices where device.selector == selector { return device }
        }
        let device = ShellDevice(
            number: nextDevice,
            selector: wanted.selector,
            connection: HeldConnection(connection) { try await self.connection(for: chosen) }
        )
        nextDevice += 1
        devices.append(device)
        if current == nil { current = device }
        return device
    }

    /// The connection for a device: on the link of a session that holds it, or else a direct one.
    private func connection(
        for device: DeviceOptions,
        timedBy timing: RunTiming? = nil,
        within timeout: Duration? = nil
    ) async throws -> OneTimeConnection {
        let context = context.timed(by: timing)
        var connection: OneTimeConnection
        if let shared = try await context.sharedConnection(for: device) {
            connection = shared
        } else if let central, !context.options.adapters.isSeveral {
            connection = OneTimeConnection(device, on: central, context)
        } else {
            connection = try await context.ownConnection(for: device, within: timeout)
            // With several adapters, each device has a choice of its own among them.
            if !context.options.adapters.isSeveral { central = connection.connector.central }
        }
        connection.announcesDevice = isInteractive
        return connection
    }

    /// The links of the devices that `diff` compares, by the words of the line. Without them, it would connect to a
    /// device that has a link, which the device and the kernel refuse.
    func links(for words: [String], _ timing: RunTiming?) async -> [String: HeldConnection] {
        var links: [String: HeldConnection] = [:]
        for (word, selector) in context.liveDevices(among: words) {
            for device in devices where await isMeant(device, by: selector) {
                guard await device.connection.isConnected else { continue }
                links[word] = device.connection.timed(by: timing)
                break
            }
        }
        return links
    }

    /// Whether a line that has this selector means the device. A connected device does not advertise its services, so
    /// that it is asked for them.
    private func isMeant(_ device: ShellDevice, by selector: DeviceSelector) async -> Bool {
        if await device.isMeant(by: selector) { return true }
        guard case .advertising(let pattern, let services) = selector, !services.isEmpty,
            await device.connection.isConnected, let connected = try? await device.connection.connect()
        else { return false }
        if let pattern, connected.reference.name.map({ pattern.matches($0) }) != true { return false }
        let time = context.time
        let hasAll = try? await untilDeadline(time.now + context.options.timeout, time) {
            for service in services where try await connected.peripheral.services(service).isEmpty { return false }
            return true
        }
        return hasAll == true
    }

    /// Closes the link to a device that a script of a line is about to use: the script makes, checks and closes links
    /// itself. The next line makes the link of the shell again.
    func release(_ wanted: DeviceOptions) async {
        guard let selector = wanted.selector else { return }
        for device in devices where await isMeant(device, by: selector) {
            guard await device.connection.isConnected else { continue }
            guard uses[device.number] == nil else {
                let label = TerminalText.escaped(await device.label)
                let holder = "a command in the background: 'jobs' lists them"
                context.diagnostics.note("the link to \(label) stays with \(holder)")
                continue
            }
            await device.connection.disconnect()
        }
    }

    func begin(using device: ShellDevice) { uses[device.number, default: 0] += 1 }

    /// A line does not use a device any more. A device that no line has found is none of the shell's, unless the shell
    /// was started with it.
    func end(using device: ShellDevice) async {
        // The only suspension comes first: no other line can begin to use the device between the count and the removal.
        let isFound = await device.connection.reference != nil
        let others = uses[device.number, default: 1] - 1
        uses[device.number] = others > 0 ? others : nil
        let isOwn = options.device.map { $0.selector == device.selector } ?? false
        guard !isFound, others <= 0, !isOwn else { return }
        devices.removeAll { $0.number == device.number }
        if current?.number == device.number { current = nil }
    }

    func connect(_ device: ShellDevice) async -> ExitStatus {
        do {
            _ = try await device.connection.connect()
            return .success
        } catch {
            let action = "connect to \(TerminalText.escaped(await device.label))"
            guard !Task.isCancelled, let described = BlectlError(describing: error, doing: action) else {
                return .success
            }
            return report(described.about(ShellBuiltin.connect.rawValue, device: await device.connection.reference))
        }
    }

    func prompt() async -> String {
        guard let current else { return ShellPrompt.text(nil, isConnected: false) }
        return ShellPrompt.text(
            await current.label,
            isConnected: await current.connection.isConnected,
            usesUnicode: context.output.style.usesUnicode
        )
    }

    // MARK: - Links

    /// Begins to watch new links: their loss is reported above the prompt, and the attributes of the devices are
    /// discovered for completion.
    func lookAfterLinks() async {
        for device in devices where !watched.contains(device.number) {
            guard await device.connection.isConnected, let connected = try? await device.connection.connect() else {
                continue
            }
            guard let link = try? await connected.peripheral.connection() else { continue }
            watched.insert(device.number)
            context.scope.spawn { await self.lookAfter(device, link) }
            context.scope.spawn { await self.discover(connected) }
        }
    }

    private func lookAfter(_ device: ShellDevice, _ link: ATTConnection) async {
        let end = await link.untilEnded()
        watched.remove(device.number)
        guard let end, end.cause != .closedLocally else { return }
        await announce(device, "was lost: \(end.reason)")
    }

    /// Reports a change of a link, unless the command in the foreground does. The prompt follows.
    private func announce(_ device: ShellDevice, _ what: String) async {
        guard let terminal = host.terminal, !isBusy else { return }
        context.diagnostics.note("the link to \(TerminalText.escaped(await device.label)) \(what)")
        terminal.control.post(.prompt(await prompt()))
    }

    /// Discovers the attributes of a device for completion, in the pauses of other requests.
    private func discover(_ device: ConnectedDevice) async {
        let peripheral = device.peripheral
        let time = context.time
        let found = try? await withDeadline(time.now + context.options.timeout, time, operation: "discovery") {
            _ = try await peripheral.tree()
            let link = try await peripheral.connection()
            return try await peripheral.database.answer(on: link) { known throws(DiscoveryStep) in known }
        }
        guard let found else { return }
        databases[device.reference.address] = found
        await refreshKnowledge()
    }

    /// Updates the words for completion.
    func refreshKnowledge() async {
        var names: [String] = []
        for device in devices { names.append(await device.label) }
        for known in KnownDevices(in: context.stores.state).all.prefix(100) {
            names.append(known.name ?? known.address.address.description)
        }
        let address = await current?.connection.reference?.address
        let database = address.flatMap { databases[$0] }
        // Names come over the air, and one with a dash at its beginning would be taken for an option.
        let safe = names.filter {
            $0 != ShellDevice.placeholder && $0 == TerminalText.escaped($0) && !$0.hasPrefix("-")
        }
        knowledge.update { known in
            known.devices = safe
            known.jobs = jobs.running.map(\.number)
            known.database = database
        }
    }
}

/// The text before the line that is typed: the device, and whether it is connected.
enum ShellPrompt {
    /// The maximum number of columns of a device's name.
    private static let nameLimit = 24

    /// The prompt.
    ///
    /// - Parameters:
    ///   - name: The name or the address of the device, which may be of a stranger's choice; `nil` for none.
    ///   - isConnected: Whether there is a link.
    ///   - usesUnicode: Whether the terminal shows more than ASCII.
    static func text(_ name: String?, isConnected: Bool, usesUnicode: Bool = true) -> String {
        guard let name else { return "blectl> " }
        let safe = TerminalText.escaped(name)
        let ellipsis = usesUnicode ? "…" : "~"
        let shown = TerminalText.fitted(
            usesUnicode ? safe : TerminalText.ascii(safe),
            columns: nameLimit,
            ellipsis: ellipsis
        )
        return isConnected ? "\(shown)> " : "\(shown) (not connected)> "
    }
}
