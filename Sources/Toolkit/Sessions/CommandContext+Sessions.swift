// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
package import RadioSharing
import Terminal

extension CommandContext {
    /// A session that has answered, and the way to it.
    package struct FoundSession: Sendable {
        package let entry: SessionSocket
        package let client: SessionClient
        package let description: SessionDescription

        package var system: any RadioSystem { client.system(of: description) }
    }

    /// The connection for a command: on the link of a session if one fits, or else a direct one.
    package func connection(for device: DeviceOptions) async throws -> OneTimeConnection {
        if let shared = try await sharedConnection(for: device) { return shared }
        return try await ownConnection(for: device)
    }

    /// The connection on the link of a session that fits; `nil` if there is none.
    ///
    /// Throws a `BlectlError` if several fit, and if there is none where only a session could have the device.
    package func sharedConnection(for device: DeviceOptions) async throws -> OneTimeConnection? {
        try await sharedLink(for: device)?.connection
    }

    /// The same, with the adapter of the session.
    package func sharedLink(
        for device: DeviceOptions
    ) async throws -> (connection: OneTimeConnection, system: any RadioSystem)? {
        guard let session = try await session(for: device) else {
            if let missing = device.missing { throw missing.error }
            return nil
        }
        diagnostics.detail(
            "using session '\(session.description.name)' with \(session.description.reference.text)"
                + " (process \(session.description.process))"
        )
        let system = tapped(session.system)
        let central = Central(try system.radio(named: nil), scope: scope, time: time)
        var connection = OneTimeConnection(device, on: central, self)
        connection.found = session.description.reference(as: device.selector)
        // The process that holds the link has encrypted it.
        connection.connector.bonds = nil
        connection.connector.sharesLink = true
        connection.connector.chooseAgain = { await self.connector(insteadOf: session, for: $0, device) }
        return (connection, system)
    }

    /// The system of a session, whose packets a capture gets.
    private func tapped(_ system: any RadioSystem) -> any RadioSystem { sessions?.tapping(system) ?? system }

    /// Throws a `BlectlError` if a session has the device of a command that must be alone with it.
    ///
    /// - Parameter verb: What the command does with the device.
    package func checkIsAlone(with device: DeviceOptions, to verb: String) async throws {
        guard let session = try await sessionBeside(device)?.description else { return }
        throw BlectlError(
            .temporaryFailure,
            cannot: "\(verb) \(session.reference.text)",
            "session '\(session.name)' holds the link to it",
            hint: "blectl session stop \(Prose.quoted(session.name))"
        )
    }

    /// The session that has the device of a command which cannot use its link; `nil` if there is none.
    private func sessionBeside(_ device: DeviceOptions) async throws -> FoundSession? {
        guard !device.usesSessions, device.asksSessions, device.selector != nil else { return nil }
        var wanted = device
        wanted.usesSessions = true
        return try await session(for: wanted)
    }

    /// A connection to the device of a session that fits, for a command that cannot use the link of a session; `nil` if
    /// there is no such session. A device with a link does not advertise, so that it could not be found.
    func connectionBesideSession(for device: DeviceOptions) async throws -> OneTimeConnection? {
        // There is only one device at a socket, which needs no search.
        guard let session = try await sessionBeside(device), session.description.socket == nil else { return nil }
        let description = session.description
        let adapter = description.adapter.name
        // The kernel opens channels on the link that its adapter has. Any other controller has the session as its host.
        let central =
            ControllerPlace(adapter) == nil
            ? try await self.central(named: adapter, isForLinks: true)
            : Central(
                try tapped(session.client.system(of: description, scope: scope)).radio(named: nil),
                scope: scope,
                time: time
            )
        var connection = OneTimeConnection(device, on: central, self)
        connection.found = description.reference
        connection.session = description.name
        return connection
    }

    /// The way to a device whose session has ended: another session, or else a link of this command's own. `nil` if
    /// there is none at present.
    private func connector(
        insteadOf session: FoundSession,
        for reference: DeviceReference,
        _ device: DeviceOptions
    ) async -> DeviceConnector? {
        var device = device
        // The same device, whatever the search would find now.
        device.selector = .address(reference.address.address, reference.address.type)
        device.missing = nil
        diagnostics.detail("session '\(session.description.name)' has ended: choosing another way to \(reference.text)")
        do {
            return try await connection(for: device).connector
        } catch {
            guard !(error is CancellationError) else { return nil }
            let described = BlectlError(describing: error, doing: "connect to \(reference.text)")
            diagnostics.detail(described?.message ?? "\(error)")
            return nil
        }
    }

    /// The session that a command runs on; `nil` for none.
    private func session(for device: DeviceOptions) async throws -> FoundSession? {
        guard device.usesSessions, options.mayUseSessions else { return nil }
        let found = await sessions(inOwnWorld: true).filter { !isNamesake($0.description, device.selector) }
        guard !found.isEmpty else { return nil }
        let choice = SessionChoice(
            among: found.map(\.description),
            for: device.selector,
            adapters: options.adapters
        )
        switch choice {
        case .none: return nil
        case .one(let chosen):
            return found.first { $0.description == chosen }
        case .several(let fitting):
            let names = fitting.map { "'\($0.name)' (\($0.reference.text))" }
            throw BlectlError(
                .notFound,
                "several sessions fit: \(Prose.list(names, "and"))",
                hint: "-d \(Prose.quoted(fitting[0].name)), or --no-session"
            )
        }
    }

    /// Whether a command names the device of a session, and another one is bonded by that name. The name of the
    /// session itself was chosen by the user.
    private func isNamesake(_ session: SessionDescription, _ selector: DeviceSelector?) -> Bool {
        guard session.socket == nil, let selector, selector.isByName, session.name != selector.givenName else {
            return false
        }
        let bonded = BondedNames(knownBonds(of: session.adapter))
        return bonded.bond(withNameOf: session.device, session.deviceName) != nil
    }

    /// The sessions that answer. Removes the sockets of those whose processes have ended without doing so.
    ///
    /// - Parameter isOwnWorld: Whether only those with devices in the world of this command count.
    package func sessions(inOwnWorld isOwnWorld: Bool) async -> [FoundSession] {
        await sessionSurvey(inOwnWorld: isOwnWorld).found
    }

    /// The sessions that answer, and the names of those that do not answer in the time of `--timeout`.
    package func sessionSurvey(inOwnWorld isOwnWorld: Bool) async -> (found: [FoundSession], silent: [String]) {
        guard let support = sessions else { return ([], []) }
        var entries = support.folder.entries()
        guard !entries.isEmpty else { return ([], []) }
        if isOwnWorld {
            let world = options.worldDigits
            entries.removeAll { $0.world != world }
        }
        var found: [FoundSession] = []
        var silent: [String] = []
        for entry in entries {
            let client = SessionClient(support.system.connector(at: entry.path), time: time)
            do throws(RadioError) {
                let description = try await client.describe(timeout: options.timeout)
                // Without another name, a session has that of its device.
                diagnostics.conceal(description.deviceName)
                diagnostics.conceal(description.name)
                found.append(FoundSession(entry: entry, client: client, description: description))
            } catch {
                switch error.cause {
                // The session has ended between the listing and the question.
                case .socket(_, .noFile): break
                case .socket(_, .nobodyListens): await removeAbandoned(entry, support)
                case .closedByPeer, .linkLost, .cancelled:
                    diagnostics.detail("session '\(entry.label)' has ended")
                // The other end is a process, and not a controller.
                case .controllerSilent:
                    let reason = "its process has said nothing for \(options.timeout.text)"
                    diagnostics.note("session '\(entry.label)' is left out: \(reason)")
                    silent.append("\(entry.label)")
                default:
                    diagnostics.note("session '\(entry.label)' is left out: \(error.reason)")
                    silent.append("\(entry.label)")
                }
            }
        }
        return (found, silent)
    }

    /// Removes a socket on which nobody listens, but not that of a session that is just starting: it has the lock of
    /// the folder until it listens.
    private func removeAbandoned(_ entry: SessionSocket, _ support: SessionSupport) async {
        let lock = try? await support.folder.lock(time)
        defer { withExtendedLifetime(lock) {} }
        do throws(RadioError) {
            // Without the lock nothing is known.
            if lock != nil { try support.system.connector(at: entry.path).connect().close() }
            diagnostics.detail("session '\(entry.label)' is left out: it may be starting")
        } catch {
            guard case .socket(_, .nobodyListens) = error.cause else { return }
            support.folder.remove(entry)
            diagnostics.note("session '\(entry.label)' has ended unexpectedly; its socket is removed")
        }
    }
}
