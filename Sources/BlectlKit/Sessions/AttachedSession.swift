// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost

/// The session of a command, found and asked before anything else of the command exists: neither a thread nor a
/// simulated world is needed for a question to a process that holds the link.
package struct AttachedSession: Sendable {
    let entry: SessionSocket
    let description: SessionDescription
    /// The adapter of the session.
    package let system: any RadioSystem

    /// The session of this process, which has the link itself.
    init(_ entry: SessionSocket, _ description: SessionDescription, _ system: any RadioSystem) {
        self.entry = entry
        self.description = description
        self.system = system
    }

    /// A session that may fit a command: the only one in its world.
    package struct Candidate: Sendable {
        package let request: CommandRequest
        let device: DeviceOptions
        let entry: SessionSocket

        /// The request that makes the process of the session carry out the command; `nil` if this process has to do it.
        ///
        /// - Parameters:
        ///   - arguments: The words after the name of the program.
        ///   - environment: Returns the value of a variable; `nil` if it is not set.
        package func carrying(_ arguments: [String], environment: (String) -> String?) -> [UInt8]? {
            guard CarriedCommand.canCarry(request) else { return nil }
            return CarriedCommand.line(arguments, world: entry.world, environment: environment).request
        }

        /// The path of the socket.
        package var path: String { entry.path }

        /// The name of the session, for messages.
        package var label: String {
            // Without another name, it is that of the device.
            request.global.streams.isRedacted ? "…" : entry.label
        }

        /// The time in which the process of the session has to say something, or else it hangs.
        package var timeout: Duration { request.global.timeout }

        /// The error of a command whose session has hung.
        package var silence: BlectlError {
            BlectlError(
                .timedOut,
                cannot: "use session '\(label)'",
                "its process has said nothing for \(timeout.text)",
                hint: "end that process, or add --no-session"
            )
        }

        /// Compares the names of the sockets. `nil` unless exactly one may fit: the command then searches as usual, and
        /// reports any error.
        package init?(for request: CommandRequest, in folder: SessionFolder) {
            guard let device = request.command.device, device.usesSessions, request.global.mayUseSessions else {
                return nil
            }
            // When the session ends, such a command needs an adapter of its own.
            guard !device.connection.reconnects else { return nil }
            let entries = folder.entries()
            guard !entries.isEmpty else { return nil }
            let world = request.global.worldDigits
            let here = entries.filter { $0.world == world }
            guard here.count == 1, let entry = here.first else { return nil }
            if case .address(let address, _)? = device.selector, entry.address.rawValue != 0, address != entry.address {
                return nil
            }
            self.request = request
            self.device = device
            self.entry = entry
        }
    }

    /// Asks a session. `nil` if it does not answer, or if it does not fit.
    ///
    /// - Parameters:
    ///   - candidate: The session and the command.
    ///   - system: The sockets.
    ///   - time: The clock.
    ///   - bonds: The bonds of the user, by which a stranger with the name of a bonded device is known; `nil` for none.
    package init?(
        _ candidate: Candidate,
        by system: any SessionSystem,
        time: any TimeSource,
        bonds: (any BondStore)?
    ) {
        let (request, device, entry) = (candidate.request, candidate.device, candidate.entry)
        let attach = SessionClient.attach(to: entry.address, timeout: device.connection.timeout)
        do {
            let (answer, connection) = try system.ask(at: entry.path, attach, timeout: request.global.timeout)
            description = try SessionClient.description(of: answer)
            let client = SessionClient(system.connector(at: entry.path), asked: connection, time: time)
            self.system = client.system(of: description)
        } catch {
            return nil
        }
        self.entry = entry
        let choice = SessionChoice(among: [description], for: device.selector, adapters: request.global.adapters)
        guard choice == .one(description) else { return nil }
        let adapter = description.adapter.address
        // The bonded device has to be looked for on the air, which the radio of a session cannot do.
        guard !description.isNamesake(device.selector, among: { (try? bonds?.bonds(of: adapter)) ?? [] }) else {
            return nil
        }
    }
}
