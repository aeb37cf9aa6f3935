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
        var own = self
        own.options.adapters = .one(radio.adapter.name)
        let manager: AdapterManager
        do throws(RadioError) {
            manager = try AdapterManager.open(system, scope: scope, time: time)
        } catch {
            throw BlectlError(error, doing: "use private addresses").about(adapter: radio.adapter.name)
        }
        try await withCleanup {
            let lease = try await PrivacyLease.begin(on: radio, manager, self)
            own.privacy = lease.addresses
            try await withCleanup {
                try await body(own)
            } cleanup: {
                _ = try? await scope.shielded { await lease.end() }
            }
        } cleanup: {
            await manager.close()
        }
    }

    /// The private addresses at which this machine can be connected to; `nil` without `--privacy`.
    package func advertisedPrivacy(on adapter: AdapterDescription) throws -> PrivateAddresses? {
        guard let privacy, privacy.identity == nil else { return privacy }
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

    let addresses: PrivateAddresses
    private let radio: any Radio
    private let setup: PrivacySetup
    private let context: CommandContext
    /// The number of this program among the users; `nil` if privacy is the affair of another program.
    private let turn: (any Turn)?

    private static func action(_ radio: any Radio) -> String { "use private addresses on \(radio.adapter.name)" }

    private static func mark(_ radio: any Radio) -> String { "private-\(radio.adapter.name)" }

    // MARK: - Begin

    static func begin(
        on radio: any Radio,
        _ manager: AdapterManager,
        _ context: CommandContext
    ) async throws -> PrivacyLease {
        do {
            let setup = PrivacySetup(manager, on: ManagementIndex(radio.adapter.index))
            // Held until this program has a number, so that no other one switches privacy off in between.
            let switching = try await radio.takeTurn(.privacySwitch, by: context.time.now + turnTimeout) { _ in }
            defer { switching.end() }
            let keeper = try await context.system.manager(of: radio.adapter)
            let state = try await setup.state
            // A mark of an earlier boot means nothing: the kernel starts with privacy off.
            let isOurs = context.stores.state?.contents(of: mark(radio), limit: 4_096).bytes == ScanLease.thisBoot
            if state == .on, keeper != nil || !isOurs {
                let owner = keeper ?? "another program"
                context.diagnostics.note("the private addresses of \(radio.adapter.name) are those of \(owner)")
                let addresses = PrivateAddresses(of: nil, random: context.random)
                return PrivacyLease(addresses: addresses, radio: radio, setup: setup, context: context, turn: nil)
            }
            if let keeper { throw managed(radio, by: keeper) }
            let identity = DeviceIdentity(
                address: DeviceAddress(radio.adapter.address, .public),
                key: try await key(of: radio, context)
            )
            let turn = try await takeNumber(radio, context)
            do {
                if state != .on { try await switchOn(setup, identity.key, state, radio, context) }
            } catch {
                turn.end()
                throw error
            }
            let addresses = PrivateAddresses(of: identity, random: context.random)
            return PrivacyLease(addresses: addresses, radio: radio, setup: setup, context: context, turn: turn)
        } catch let error as RadioError {
            throw BlectlError(error, doing: action(radio)).about(adapter: radio.adapter.name)
        }
    }

    private static func managed(_ radio: any Radio, by keeper: String) -> BlectlError {
        BlectlError(
            .configurationError,
            cannot: action(radio),
            "\(keeper) manages it, and has its privacy off",
            hint: "put 'Privacy = device' into the section [General] of /etc/bluetooth/main.conf, and: "
                + "sudo systemctl restart bluetooth"
        )
        .about(adapter: radio.adapter.name)
    }

    private static func key(of radio: any Radio, _ context: CommandContext) async throws -> SecurityKey {
        guard let identities = context.stores.identities else {
            throw BlectlError(
                .cannotCreateOutput,
                cannot: action(radio),
                "there is no place for their key: neither HOME nor XDG_STATE_HOME names a folder"
            )
        }
        do {
            return try await identities.key(of: radio.adapter.address)
        } catch let error as KeyFileFailure {
            throw BlectlError(error, doing: action(radio))
        }
    }

    private static func takeNumber(_ radio: any Radio, _ context: CommandContext) async throws(RadioError)
        -> any Turn
    {
        var failure = RadioError(.adapterBusy, during: radio.adapter.name)
        for user in users {
            do throws(RadioError) {
                // Without waiting: the next number may be free.
                return try await radio.takeTurn(.privacy(user: user), by: context.time.now) { _ in }
            } catch {
                guard error.cause == .adapterBusy else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private static func switchOn(
        _ setup: PrivacySetup,
        _ key: SecurityKey,
        _ state: PrivacySetup.State,
        _ radio: any Radio,
        _ context: CommandContext
    ) async throws {
        guard state == .off else { throw RadioError(.unsupported, during: radio.adapter.name) }
        guard try await radio.awaitEndOfLinks(context.time) else {
            throw BlectlError(
                .temporaryFailure,
                cannot: action(radio),
                "it has to be switched off and on for that, and that would end the links of other programs",
                hint: "end them, or: \(AdapterHint.commandLine("reset", adapter: radio.adapter.name))"
            )
            .about(adapter: radio.adapter.name)
        }
        // Before the switch: a mark without privacy does no harm.
        context.stores.state?.replace(mark(radio), with: ScanLease.thisBoot)
        do throws(RadioError) {
            // The end of the task does not stop it half-way, because management commands are not cancelled: the adapter
            // must not stay off.
            try await setup.set(key)
        } catch {
            context.stores.state?.remove(mark(radio))
            throw error
        }
        context.diagnostics.detail(
            "\(radio.adapter.name) was switched off and on, because its privacy changes only then"
        )
    }

    // MARK: - End

    /// Switches privacy off if this was the last program that needed it. The task must not be cancelled.
    func end() async {
        guard let turn else { return }
        defer { turn.end() }
        do {
            let limit = context.time.now + Self.turnTimeout
            let switching = try await radio.takeTurn(.privacySwitch, by: limit) { _ in }
            defer { switching.end() }
            // Before the numbers are looked at, because its own one is among them.
            turn.end()
            guard try await isLast else { return }
            // The links of this program are closed, but the kernel may not have ended them yet.
            guard try await radio.awaitEndOfLinks(context.time) else {
                context.diagnostics.note(
                    "\(radio.adapter.name) keeps its private addresses, because another program is connected; "
                        + "the next command with --privacy switches them off"
                )
                return
            }
            try await setup.set(nil)
            context.stores.state?.remove(Self.mark(radio))
        } catch {
            let reason = (error as? RadioError)?.reason ?? "\(error)"
            context.diagnostics.note("the privacy of \(radio.adapter.name) was not switched off: \(reason)")
        }
    }

    /// Whether no other program needs privacy. No program begins or ends in the meantime, because this one has the turn
    /// at the switch.
    private var isLast: Bool {
        get async throws(RadioError) {
            for user in Self.users {
                do throws(RadioError) {
                    try await radio.takeTurn(.privacy(user: user), by: context.time.now) { _ in }.end()
                } catch {
                    guard error.cause == .adapterBusy else { throw error }
                    return false
                }
            }
            return true
        }
    }
}

extension CommandContext {
    /// Random numbers for private addresses.
    fileprivate var random: @Sendable () -> UInt64 {
        guard let identities = stores.identities else { return { UInt64.random(in: 0...UInt64.max) } }
        return { identities.random() }
    }
}
