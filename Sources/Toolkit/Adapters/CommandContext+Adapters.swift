// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
package import Terminal

extension CommandContext {
    /// The centrals on the adapters of `--adapter` that can be used, in the order of the names; for `all`, of the
    /// indices.
    ///
    /// Waits for those that are coming up. An adapter that cannot be used is left out with a remark. Throws the error
    /// of the first one if none can be used.
    package func centrals(isForLinks: Bool = true) async throws -> [Central] {
        guard options.adapters.isSeveral else { return [try await central(isForLinks: isForLinks)] }
        let names = try await adapterNames(isForLinks: isForLinks)
        // All at once, because each may wait for its adapter.
        let results = await withTaskGroup(of: (Int, Result<Central, BlectlError>).self) { group in
            for (index, name) in names.enumerated() {
                group.addTask {
                    let result = await Result { () async throws(BlectlError) in
                        try await self.central(named: name, isForLinks: isForLinks)
                    }
                    return (index, result)
                }
            }
            var results: [Int: Result<Central, BlectlError>] = [:]
            for await (index, result) in group { results[index] = result }
            return names.indices.compactMap { results[$0] }
        }
        try Task.checkCancellation()
        // The same adapter may be given twice, by its name and by its address.
        var opened: Set<String> = []
        let usable = results.compactMap { try? $0.get() }.filter { opened.insert($0.radio.adapter.name).inserted }
        if usable.isEmpty, case .failure(let error)? = results.first { throw error }
        for (name, result) in zip(names, results) {
            if case .failure(let error) = result { diagnostics.leaveOut(name, error) }
        }
        return usable
    }

    /// Throws if a part of the command names another adapter than the one whose address `--privacy` hides.
    package func checkPrivacy(on adapters: AdapterSelection) throws(BlectlError) {
        guard options.wantsPrivacy, adapters != .first, adapters != options.adapters else { return }
        let name = adapters.names.first ?? "hci0"
        throw BlectlError(
            .usage,
            cannot: "use \(adapters.text)",
            "'--privacy' hides the address of one adapter, and it is not that one",
            hint: "name the adapter for the whole run, and leave it out here: -i \(name) --privacy"
        )
    }

    /// The names of the adapters that are meant. If there is none, waits for one as long as `--wait-adapter` says.
    private func adapterNames(isForLinks: Bool) async throws -> [String] {
        guard options.adapters == .all else { return options.adapters.names }
        do throws(RadioError) {
            let present = try await system.adapters().map(\.name)
            if !present.isEmpty { return present }
        } catch {
            throw BlectlError(error, doing: "use Bluetooth")
        }
        return [try await central(named: nil, isForLinks: isForLinks).radio.adapter.name]
    }

    /// The connection of a command that has none yet: on the only adapter, or on the one that suits the device best.
    ///
    /// - Parameter limit: The time of the search by which one of several adapters is chosen; `nil` for `--timeout`.
    package func ownConnection(
        for device: DeviceOptions,
        within limit: Duration? = nil
    ) async throws -> OneTimeConnection {
        if let error = sessions?.worldError { throw error }
        guard options.adapters.isSeveral else {
            return OneTimeConnection(device, on: try await central(), self)
        }
        let candidates = try await centrals().map {
            OneTimeConnection(device, on: $0, self).timed(by: runState.timing, within: limit)
        }
        return try await AdapterChoice(among: candidates, state: stores.state, time: time, notes: diagnostics)
            .connection().timed(by: runState.timing, within: options.timeout)
    }

    /// The connection for a channel without attributes. The device of a held link or of a session is not looked for: a
    /// connected device does not advertise.
    package func channelConnection(for device: DeviceOptions) async throws -> OneTimeConnection {
        guard let held = caller.held else {
            if let beside = try await connectionBesideSession(for: device) { return beside }
            return try await ownConnection(for: device)
        }
        // Found first: of several adapters, the search has chosen one.
        let found = try await held.identified()
        var connection: OneTimeConnection
        // A command that shares a link has the attributes only.
        if await held.sharesLink {
            let adapter = await held.central.radio.adapter.name
            if let beside = try await connectionBesideSession(on: adapter, of: found, device) { return beside }
            connection = try await ownConnection(for: device)
        } else {
            connection = OneTimeConnection(device, on: await held.central, self)
        }
        connection.found = found
        return connection
    }

    /// The connection beside the session whose link a device of a shell uses; `nil` if the session has ended.
    private func connectionBesideSession(
        on adapter: String,
        of found: DeviceReference,
        _ device: DeviceOptions
    ) async throws -> OneTimeConnection? {
        // Another session may have the device on another adapter.
        var device = device
        // The words of a line may fit several devices; only the address identifies the one that the shell has found.
        if found.addressText != nil { device.selector = .address(found.address.address, found.address.type) }
        guard let beside = try await on(.one(adapter)).connectionBesideSession(for: device),
            beside.found?.address == found.address
        else { return nil }
        return beside
    }
}

extension [Central] {
    /// Runs `body` on several adapters at once, until the first one has a value. An adapter that fails is left out with
    /// a remark while others work. If all fail, the error is that of the first one.
    package func onEach<Value: Sendable>(
        notes: any NoteSink,
        _ body: @escaping @Sendable (Central, Int) async throws -> Value
    ) async throws -> Value {
        guard count > 1 else { return try await body(self[0], 0) }
        return try await withThrowingTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            for (index, central) in enumerated() {
                group.addTask { (index, await Result { try await body(central, index) }) }
            }
            defer { group.cancelAll() }
            var errors: [Int: any Error] = [:]
            for try await (index, result) in group {
                switch result {
                case .success(let value): return value
                case .failure(let error):
                    try Task.checkCancellation()
                    // Any other error, such as one of the output, is not about the adapter and ends all of them.
                    guard error is BlectlError || error is RadioError else { throw error }
                    errors[index] = error
                    // The last adapter needs no remark, because the command now ends with an error.
                    guard errors.count < count else { break }
                    notes.leaveOut(self[index].radio.adapter.name, error)
                }
            }
            if let first = errors.keys.min().flatMap({ errors[$0] }) { throw first }
            throw CancellationError()
        }
    }
}

extension NoteSink {
    /// Reports that the command continues without an adapter.
    fileprivate func leaveOut(_ adapter: String, _ error: any Error) {
        let reason = BlectlError(describing: error, doing: "use it").map { $0.reason } ?? "\(error)"
        note("going on without \(adapter): \(reason)")
    }
}
