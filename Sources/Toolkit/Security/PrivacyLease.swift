// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Terminal

extension CommandContext {
    /// Runs `body` with private addresses in place of the adapter's own if the command wants them (`--privacy`), and
    /// then leaves the adapter as it was, also after an error or a cancellation.
    func withPrivacy(_ body: (CommandContext) async throws -> Void) async throws {
        guard options.wantsPrivacy else { return try await body(self) }
        let radio = try await central(isForLinks: false).radio
        try await withManager(of: radio.adapter, doing: "use private addresses") { manager in
            let lease = PrivacyLease(
                radio: radio,
                setup: PrivacySetup(manager, of: radio.adapter),
                stores: stores,
                time: time,
                notes: diagnostics
            )
            let (addresses, turn) = try await lease.begin(in: system)
            var runState = runState
            runState.privacy = addresses
            let own = on(.one(radio.adapter.name)).with(runState: runState)
            try await withCleanup {
                try await body(own)
            } cleanup: {
                if let turn { _ = try? await scope.shielded { await lease.end(turn) } }
            }
        }
    }

    /// The private addresses at which this machine can be connected to; `nil` without `--privacy`.
    package func advertisedPrivacy(on adapter: AdapterDescription) throws -> PrivateAddresses? {
        guard let privacy = runState.privacy, privacy.identity == nil else { return runState.privacy }
        throw BlectlError(
            .configurationError,
            cannot: "advertise with private addresses on \(adapter.name)",
            "another program has switched its privacy on, and keeps the key of the addresses",
            hint: "end that program, or leave out --privacy"
        )
    }
}

/// The use of an adapter's privacy by this process.
///
/// The kernel switches privacy only while the adapter is off. The first program that needs privacy therefore switches
/// the adapter off and on, and so does the last one. These programs take turns at the switch, and each has a number
/// while it needs privacy. A file records a program that was killed before it could switch privacy off.
private struct PrivacyLease: Sendable {
    /// The maximum number of programs that use privacy at once.
    private static let users = [UInt8](0..<16)
    /// How long to wait while another program switches.
    private static let turnTimeout = Duration.seconds(10)

    let radio: any Radio
    let setup: PrivacySetup
    let stores: DataStores
    let time: any TimeSource
    let notes: any NoteSink

    private var action: String { "use private addresses on \(radio.adapter.name)" }

    private var mark: String { "private-" + radio.adapter.name.map { $0 == "/" ? "-" : "\($0)" }.joined() }

    // MARK: - Begin

    /// Switches privacy on if it is off. Returns its addresses, and the number of this program among the users; `nil` if
    /// privacy is the affair of another program.
    func begin(in system: any RadioSystem) async throws -> (PrivateAddresses, (any Turn)?) {
        do {
            // Held until this program has a number, so that no other one switches privacy off in between.
            let switching = try await radio.takeTurn(.privacySwitch, by: time.now + Self.turnTimeout) { _ in }
            defer { switching.end() }
            let keeper = try await system.manager(of: radio.adapter)
            let state = try await setup.state
            // A mark of an earlier boot means nothing: the kernel starts with privacy off.
            let isOurs = stores.state?.contents(of: mark, limit: 4_096).bytes == ScanLease.thisBoot
            if state == .on, keeper != nil || !isOurs {
                let owner = keeper ?? "another program"
                notes.note("the private addresses of \(radio.adapter.name) are those of \(owner)")
                return (PrivateAddresses(of: nil, random: random), nil)
            }
            if let keeper { throw managed(by: keeper) }
            let identity = DeviceIdentity(address: radio.adapter.identityAddress, key: try await key())
            let turn = try await takeNumber()
            do {
                try await state == .on ? setup.join(identity.key) : switchOn(identity.key, state)
            } catch {
                turn.end()
                throw error
            }
            return (PrivateAddresses(of: identity, random: random), turn)
        } catch let error as RadioError {
            throw BlectlError(error, doing: action).about(adapter: radio.adapter.name)
        }
    }

    /// Random numbers for private addresses.
    private var random: @Sendable () -> UInt64 {
        guard let identities = stores.identities else { return { UInt64.random(in: 0...UInt64.max) } }
        return { identities.random() }
    }

    private func managed(by keeper: String) -> BlectlError {
        BlectlError(
            .configurationError,
            cannot: action,
            "\(keeper) manages it, and has its privacy off",
            hint: "put 'Privacy = device' into the section [General] of /etc/bluetooth/main.conf, and: "
                + "sudo systemctl restart bluetooth"
        )
        .about(adapter: radio.adapter.name)
    }

    private func key() async throws -> SecurityKey {
        guard let identities = stores.identities else {
            throw BlectlError(
                .cannotCreateOutput,
                cannot: action,
                "there is no place for their key: neither HOME nor XDG_STATE_HOME names a folder"
            )
        }
        do {
            return try await identities.key(of: radio.adapter.bondAddress)
        } catch let error as KeyFileFailure {
            throw BlectlError(error, doing: action)
        }
    }

    private func takeNumber() async throws(RadioError) -> any Turn {
        var failure = RadioError(.adapterBusy, during: radio.adapter.name)
        for user in Self.users {
            do throws(RadioError) {
                // Without waiting: the next number may be free.
                return try await radio.takeTurn(.privacy(user: user), by: time.now) { _ in }
            } catch {
                guard error.cause == .adapterBusy else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func switchOn(_ key: SecurityKey, _ state: PrivacySetup.State) async throws {
        guard state == .off else { throw RadioError(.unsupported, during: radio.adapter.name) }
        guard try await radio.awaitEndOfLinks(time) else {
            throw BlectlError(
                .temporaryFailure,
                cannot: action,
                "it has to be switched off and on for that, and that would end the links of other programs",
                hint: "end them, or: \(AdapterHint.commandLine("reset", adapter: radio.adapter.name))"
            )
            .about(adapter: radio.adapter.name)
        }
        // Before the switch: a mark without privacy does no harm.
        stores.state?.replace(mark, with: ScanLease.thisBoot)
        do throws(RadioError) {
            // The end of the task does not stop it half-way, because management commands are not cancelled: the adapter
            // must not stay off.
            try await setup.set(key)
        } catch {
            stores.state?.remove(mark)
            throw error
        }
        notes.detail("\(radio.adapter.name) was switched off and on, because its privacy changes only then")
    }

    // MARK: - End

    /// Switches privacy off if this was the last program that needed it. The task must not be cancelled.
    func end(_ turn: any Turn) async {
        defer { turn.end() }
        do {
            let switching = try await radio.takeTurn(.privacySwitch, by: time.now + Self.turnTimeout) { _ in }
            defer { switching.end() }
            // Before the numbers are looked at, because its own one is among them.
            turn.end()
            guard try await isLast else { return }
            // The links of this program are closed, but the kernel may not have ended them yet.
            guard try await radio.awaitEndOfLinks(time) else {
                notes.note(
                    "\(radio.adapter.name) keeps its private addresses, because another program is connected; "
                        + "the next command with --privacy switches them off"
                )
                return
            }
            try await setup.set(nil)
            stores.state?.remove(mark)
        } catch {
            let reason = (error as? RadioError)?.reason ?? "\(error)"
            notes.note("the privacy of \(radio.adapter.name) was not switched off: \(reason)")
        }
    }

    /// Whether no other program needs privacy. No program begins or ends in the meantime, because this one has the turn
    /// at the switch.
    private var isLast: Bool {
        get async throws(RadioError) {
            for user in Self.users {
                do throws(RadioError) {
                    try await radio.takeTurn(.privacy(user: user), by: time.now) { _ in }.end()
                } catch {
                    guard error.cause == .adapterBusy else { throw error }
                    return false
                }
            }
            return true
        }
    }
}
