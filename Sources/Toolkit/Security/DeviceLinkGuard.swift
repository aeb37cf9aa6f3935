// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Records
import Terminal

/// Decides whether the security of a link to a device may be raised, and pairs with the device if there is no key.
///
/// With `BT_SECURITY` the kernel pairs on its own if it has no sufficient key: with any device, and without storing the
/// keys. The kernel is therefore used only if it has the keys of the bond, or keys unknown to blectl. Otherwise blectl
/// pairs like `blectl pair`: with the person at the terminal, if the command has one. Elsewhere it pairs without a
/// person, and a pairing that needs one is left to `blectl pair`.
struct DeviceLinkGuard: LinkGuard {
    package let device: DeviceReference
    package let radio: any Radio
    package let kernel: KernelBonds
    package let context: CommandContext

    // A resolved address has another type code.
    private var address: DeviceAddress { DeviceAddress(device.address.address, device.address.type.connectionType) }
    private var action: String { "pair with \(device.text)" }
    private var withAnswers: String { "blectl pair \(address.address) --passkey DIGITS" }

    func mayRaise(_ link: ATTConnection, to level: SecurityLevel, within limit: Duration) async throws -> LinkVerdict {
        if let bond = try kernel.bond(with: device.address, of: radio.adapter) {
            try check(bond, level)
            return .encrypt(otherwise: useless(bond))
        }
        let present = link.security
        // A socket has no pairing, and a link with a key needs none.
        if radio.onlyPeer != nil || present.hasBond || present.isEncrypted { return .raise(otherwise: nil) }
        var adapter = radio.adapter
        adapter.manager = try await context.system.manager(of: adapter)
        if level > .medium {
            // The agent of a manager can ask a person.
            if adapter.manager != nil { return .raise(otherwise: nil) }
            guard context.pairing.person != nil else {
                throw BlectlError(
                    .protocolError,
                    cannot: action,
                    "the security '\(level)' needs a pairing that proves who the device is",
                    hint: withAnswers
                )
            }
        }
        do {
            return try await pair(link, adapter, to: level, within: limit)
        } catch let error as BlectlError where error.status == .permissionDenied {
            // The kernel may have keys all the same, of an earlier run with the capability or of another program.
            return .raise(otherwise: error)
        }
    }

    func mayPass(_ error: any Error) -> Bool {
        guard let status = BlectlError(describing: error, doing: action)?.status else { return false }
        // An adapter that is down or gone may come back.
        return status.isRetryable || status == .bluetoothUnavailable
    }

    func raised(_ security: LinkSecurity) { context.runState.timedLinks?.secured(security, of: device.address) }

    /// The message for a link on which nothing can be done with the keys of the bond.
    private func useless(_ bond: Bond) -> BlectlError {
        let address = bond.device.address
        return BlectlError(
            .protocolError,
            cannot: action,
            "the link could not be encrypted with the key of the bond",
            hint: "if one side has lost the key: blectl unpair \(address), then blectl pair \(address)"
        )
    }

    /// Throws if the keys of a bond are missing or insufficient: the kernel would pair again, with any device.
    private func check(_ bond: Bond, _ level: SecurityLevel) throws {
        if let lack = kernel.presentLack { throw BlectlError(lack, bond, on: radio.adapter, doing: action) }
        try require(level, of: bond)
    }

    /// Throws if the keys of a bond give less than a level.
    private func require(_ level: SecurityLevel, of bond: Bond) throws {
        guard level > bond.level else { return }
        let address = bond.device.address
        throw BlectlError(
            .protocolError,
            cannot: action,
            "the keys of the bond give no more than the security '\(bond.level)'",
            hint: "blectl unpair \(address), then blectl pair \(address) --passkey DIGITS"
        )
    }

    /// Pairs over the link, or over one of the kernel's own if the adapter has to be prepared first, which ends all
    /// links.
    private func pair(
        _ link: ATTConnection,
        _ adapter: AdapterDescription,
        to level: SecurityLevel,
        within limit: Duration
    ) async throws -> LinkVerdict {
        // Before the device has its half of a bond that nobody keeps here.
        do {
            if adapter.manager == nil { try kernel.store.checkIsWritable() }
        } catch let error as KeyFileFailure {
            throw BlectlError(error, doing: action)
        }
        return try await context.withManager(of: adapter, doing: action) { manager in
            let setup = PairingSetup(manager, on: ManagementIndex(adapter.index))
            let isReplaced = adapter.manager == nil ? try await prepare(setup, link, adapter) : false
            guard let pairing = try await pairing(manager, adapter, isReplaced ? nil : link, limit) else {
                // The kernel has keys of it already.
                return .raise(otherwise: nil)
            }
            let keys = PairedKeys(
                bonds: kernel.store,
                adapter: adapter,
                setup: setup,
                scope: context.scope,
                time: context.time
            )
            let bond = try await keys.keep(pairing, of: device, doing: action)
            let paired = bond ?? Bond(pairing, of: adapter.bondAddress, since: context.time.wallClock)
            await report(pairing, paired, adapter)
            // With weaker keys the kernel would pair again unasked. The bond stays, as that of `blectl pair` does.
            if level > .medium { try require(level, of: paired) }
            return isReplaced ? .replaced : .paired(isKept: bond != nil && adapter.manager == nil)
        }
    }

    private func prepare(_ setup: PairingSetup, _ link: ATTConnection, _ adapter: AdapterDescription) async throws
        -> Bool
    {
        let isPrepared: Bool
        do throws(RadioError) {
            isPrepared = try await setup.isPrepared
        } catch {
            throw BlectlError(error, doing: action).about(adapter: adapter.name)
        }
        // The only link is that of this command, which gets a new one afterwards.
        let isAlone = radio.connectedAddresses().count <= 1
        if !isPrepared, isAlone { link.close() }
        // With links of other programs it fails, and gives the reason.
        try await context.prepare(setup, PairingSetup.Wish(), radio, kernel.store, action)
        return !isPrepared
    }

    /// Pairs with the person at the terminal, or else with consent only; the command itself is the consent. `nil` if the
    /// kernel has keys of the device.
    private func pairing(
        _ manager: AdapterManager,
        _ adapter: AdapterDescription,
        _ link: ATTConnection?,
        _ limit: Duration
    ) async throws -> Pairing? {
        context.diagnostics.progress("pairing with \(device.text) …")
        defer { context.diagnostics.clearProgress() }
        let pairer = Pairer(manager, on: ManagementIndex(adapter.index), scope: context.scope, time: context.time)
        let options = PairOptions()
        let person = context.pairing.person
        let request = Pairer.Request(
            capability: options.capability(isInteractive: person != nil),
            timeout: person == nil ? limit : max(limit, PairingDialog.defaultTime),
            displayTime: person == nil ? .zero : PairingDialog.defaultTime
        )
        // The management interface gives no reason for a failure; the Security Managers on the link do.
        let observer = link?.connectionHandle.flatMap {
            SecurityObserver(radio, link: ConnectionHandle(rawValue: $0), scope: context.scope)
        }
        defer { observer?.close() }
        do {
            guard let person else {
                return try await pairer.pair(
                    address,
                    request,
                    on: link,
                    observing: observer,
                    delegate: JustWorksDialog()
                )
            }
            // What the person has to know is not a result of this command.
            let dialog = PairingDialog(
                device: device,
                options: options,
                keyboard: person.keyboard,
                time: context.time
            ) { [diagnostics = context.diagnostics] in
                if let text = $0.text(.plain) { diagnostics.lines(text) }
            }
            return try await person.pauses.during(context.time) {
                try await pairer.pair(
                    address,
                    request,
                    on: link,
                    observing: observer,
                    delegate: dialog
                )
            }
        } catch let error as PairingError {
            if error.problem == .rejected(.alreadyPaired) { return nil }
            throw failure(error, hasPerson: person != nil)
        } catch let error as RadioError {
            throw BlectlError(error, doing: action).about(adapter: adapter.name)
        }
    }

    /// The failure of a pairing, with what may help.
    private func failure(_ error: PairingError, hasPerson: Bool) -> BlectlError {
        let failure = BlectlError(error, doing: action, hasData: hasPerson ? false : nil)
        let described = BlectlError(
            failure.status,
            cannot: action,
            failure.reason.hasPrefix("the pairing failed") ? failure.reason : "the pairing failed: \(failure.reason)",
            hint: failure.hint
        )
        return switch error.problem {
        case .failed(.authenticationRequirements), .failed(.passkeyEntryFailed), .rejected(.authenticationFailed),
            .declined:
            // The person had everything that `blectl pair` has.
            described.with(hint: hasPerson ? "try again" : withAnswers)
        case .failed(.confirmValueFailed) where hasPerson: described.with(hint: "try again")
        case .failed(.pairingNotSupported):
            described.with(hint: "it may have to be put into its pairing mode; then: blectl pair \(address.address)")
        case .failed(.outOfBandNotAvailable): described.with(hint: "blectl pair \(address.address) --oob FILE")
        default: described
        }
    }

    /// Reports that a command other than `pair` has paired: to a person, and to a program that reads records.
    private func report(_ pairing: Pairing, _ bond: Bond, _ adapter: AdapterDescription) async {
        let result = PairedResult(
            device: DeviceReference(address: pairing.device, name: device.name),
            adapter: adapter.name,
            pairing: pairing,
            bond: bond,
            keeper: .init(pairing, manager: adapter.manager, in: kernel.store),
            timestamp: Timestamp(context.time)
        )
        if let text = result.text(TextStyle.plain) { context.diagnostics.note(text) }
        guard context.pairing.isRecorded, context.output.writesRecords else { return }
        // If the output has failed, the next record of the command says so.
        try? await context.output.emit(result)
    }
}

/// Agrees to a pairing that asks for nothing else.
private struct JustWorksDialog: PairingDelegate {
    func answer(_ prompt: PairingPrompt) async -> PairingAnswer { prompt == .consent ? .yes : .no }

    func took(_ step: PairingStep) async {}
}

extension BlectlError {
    /// The message for a bond whose keys the kernel has not got.
    package init(_ lack: KernelBonds.Lack, _ bond: Bond, on adapter: AdapterDescription, doing action: String) {
        let address = bond.device.address
        switch lack {
        case .managed(let name):
            self.init(
                .configurationError,
                cannot: action,
                "blectl keeps the keys of its bond, and \(name) manages \(adapter.name), which has keys of its own",
                hint: "end \(name); or let it keep the bond: blectl unpair \(address), then blectl pair \(address)"
            )
        case .refused(let error):
            let described = BlectlError(error, doing: action)
            self.init(
                described.status,
                cannot: action,
                "the kernel could not be given the keys of its bond: \(described.reason)",
                hint: described.hint
            )
        }
        self = about(adapter: adapter.name)
    }
}
