// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Synchronization
import Terminal
import Toolkit

/// One pairing of `blectl pair` with a device that was found, from the preparation of the adapter to the result.
struct PairingRun: Sendable {
    let device: DeviceReference
    let options: PairOptions
    let demanded: SecurityPolicy
    let manager: AdapterManager
    /// The adapter, with the program that manages it.
    let adapter: AdapterDescription
    let radio: any Radio
    let bonds: any BondStore
    /// The person's keyboard; `nil` if there is none.
    let keyboard: TerminalKeyboard?
    /// The out-of-band data of the device; `nil` if none is given.
    let data: OutOfBandData.Pair?
    let context: CommandContext

    /// Pairs, keeps the keys, and emits the result. The adapter is then as it was before.
    func pair(over provider: any DeviceProvider) async throws {
        try await withCleanup {
            try await prepare()
            try await withCleanup {
                let (pairing, bond) = try await provider.withDevice { try await perform(on: $0) }
                try await report(pairing, bond)
            } cleanup: {
                await restore()
            }
        } cleanup: {
            await withdrawData()
        }
    }

    private var action: String { "pair with \(device.text)" }

    private var address: DeviceAddress { DeviceAddress(device.address.address, device.address.type.connectionType) }

    private var setup: PairingSetup { PairingSetup(manager, on: ManagementIndex(adapter.index)) }

    private var wish: PairingSetup.Wish {
        PairingSetup.Wish(
            // Pair Device carries the capability for this pairing. This one is for pairings that other devices start.
            capability: .noInputNoOutput,
            isBondable: options.wantsBond,
            secureConnections: options.secureConnections
        )
    }

    private var request: Pairer.Request {
        Pairer.Request(
            capability: options.capability(isInteractive: keyboard != nil),
            wantsBond: options.wantsBond,
            timeout: options.isTimeGiven ? context.options.timeout : PairingDialog.defaultTime,
            displayTime: options.isTimeGiven ? .zero : PairingDialog.defaultTime
        )
    }

    /// Just works proves nothing, and the user has given data or digits that have to prove something. A device in the
    /// middle could otherwise claim that it shows none.
    private var needsProof: Bool { data != nil || (options.passkey != nil && options.confirmation == nil) }

    // MARK: - The adapter

    /// Prepares the adapter, unless another program manages it.
    private func prepare() async throws {
        guard let keeper = adapter.manager else {
            return try await context.prepare(setup, wish, radio, bonds, action)
        }
        context.diagnostics.note("\(keeper) manages \(adapter.name): it keeps the keys, and its agent is asked, too")
        if options.secureConnections != nil || !options.wantsBond {
            throw BlectlError(
                .configurationError,
                cannot: action,
                "\(keeper) manages \(adapter.name), so --no-bond and --secure-connections cannot be set",
                hint: "leave them out, or end that program"
            )
        }
    }

    private func restore() async {
        guard adapter.manager == nil else { return }
        _ = try? await context.scope.shielded { [setup, wish] in await setup.restore(after: wish) }
    }

    /// Takes the data back from the kernel, which would use them for the next pairing with that device, too.
    private func withdrawData() async {
        guard data != nil, adapter.manager == nil else { return }
        _ = try? await context.scope.shielded { [setup] in await setup.withdrawOutOfBandData() }
    }

    // MARK: - The pairing

    /// Pairs with the connected device, and keeps the keys. Returns the bond, too; `nil` if no bond is wanted.
    private func perform(on connected: ConnectedDevice) async throws -> (Pairing, Bond?) {
        var dialog = PairingDialog(device: device, options: options, keyboard: keyboard, time: context.time) {
            try? await context.output.emit($0)
        }
        dialog.refusesConsent = needsProof
        let hasRefused = Mutex(false)
        dialog.onRefusedConsent = { hasRefused.withLock { $0 = true } }
        let link = try await connected.peripheral.connection()
        try await giveData()
        context.diagnostics.progress("pairing with \(device.text) …")
        // The management interface has one status for all failures. The packets of the Security Manager have the
        // reason.
        let observer = link.connectionHandle.flatMap {
            SecurityObserver(radio, link: ConnectionHandle(rawValue: $0), scope: context.scope)
        }
        defer { observer?.close() }
        let pairer = Pairer(manager, on: ManagementIndex(adapter.index), scope: context.scope, time: context.time)
        let pairing: Pairing
        do {
            pairing = try await pairer.pair(address, request, on: link, observing: observer, delegate: dialog)
        } catch let error as PairingError {
            throw explained(error, hasRefusedConsent: hasRefused.withLock { $0 })
        }
        context.diagnostics.clearProgress()
        try await check(pairing)
        return (pairing, try await keep(pairing))
    }

    /// Gives the kernel the out-of-band data of the device, if there are some.
    private func giveData() async throws {
        guard let data else { return }
        do throws(RadioError) {
            try await setup.give(data, of: address)
        } catch {
            throw BlectlError(error, doing: action).about(device: device)
        }
    }

    private func check(_ pairing: Pairing) async throws {
        if data != nil, pairing.method != .outOfBand { try await refuse(pairing, with: useless) }
        // Kernels before 5.7 ask nobody for consent.
        if needsProof, pairing.method == nil || pairing.method == .justWorks {
            try await refuse(pairing, with: unproven)
        }
        let keys = Bond(pairing, of: adapter.bondAddress, since: context.time.wallClock)
        guard keys.level >= demanded.level, keys.keySize >= demanded.minimumKeySize || demanded.level == .low else {
            try await refuse(pairing, with: weak(keys))
        }
    }

    /// Throws the error after the keys of the pairing were removed: a device that had to prove nothing is not trusted.
    private func refuse(_ pairing: Pairing, with error: BlectlError) async throws -> Never {
        _ = try? await context.scope.shielded { [setup] in try await setup.expel(pairing.device) }
        throw error
    }

    /// Keeps the keys. The link must not have ended yet, because the device has its half of the bond now.
    private func keep(_ pairing: Pairing) async throws -> Bond? {
        let keys = PairedKeys(bonds: bonds, adapter: adapter, setup: setup, scope: context.scope, time: context.time)
        return try await keys.keep(pairing, of: device, doing: action)
    }

    private func report(_ pairing: Pairing, _ bond: Bond?) async throws {
        let keys = bond ?? Bond(pairing, of: adapter.bondAddress, since: context.time.wallClock)
        let result = PairedResult(
            device: DeviceReference(address: pairing.device, name: device.name),
            adapter: adapter.name,
            pairing: pairing,
            bond: keys,
            keeper: .init(pairing, manager: adapter.manager, in: bonds, wantsBond: options.wantsBond),
            timestamp: Timestamp(context.time)
        )
        try await context.output.emit(result)
    }

    // MARK: - Errors

    /// The message for a pairing that is weaker than the command line demands.
    private func weak(_ keys: Bond) -> BlectlError {
        BlectlError(
            .protocolError,
            cannot: action,
            "the device agrees only on the level '\(keys.level)' and a key of \(keys.keySize) octets, "
                + "and such keys are not kept",
            hint: "pair without --security and --min-key-size, if that is good enough"
        )
        .about(device: device)
    }

    private func explained(_ error: PairingError, hasRefusedConsent: Bool) -> BlectlError {
        if data != nil, error.problem == .declined { return useless }
        if error.problem == .declined, hasRefusedConsent { return unproven }
        if options.secureConnections == .only, error.problem == .failed(.authenticationRequirements) {
            return insufficient
        }
        return BlectlError(error, doing: action, hasData: data != nil).about(device: device)
    }

    /// The message for a device that has paired, or would, without the data.
    private var useless: BlectlError {
        BlectlError(
            .protocolError,
            cannot: action,
            "the device pairs without Secure Connections, so that its out-of-band data prove nothing",
            hint: "pair without --oob, if that is good enough"
        )
        .about(device: device)
    }

    /// The message for a device that shows no digits, although the user has given some.
    private var unproven: BlectlError {
        BlectlError(
            .protocolError,
            cannot: action,
            "the device shows no digits in this pairing, so that the given passkey proves nothing",
            hint: "pair without --passkey, if that is good enough"
        )
        .about(device: device)
    }

    /// The message for a device that refuses the security requirements. The Security Manager has one reason for all of
    /// them.
    private var insufficient: BlectlError {
        BlectlError(
            .protocolError,
            cannot: action,
            "the device has no Secure Connections, which this command demands, or cannot protect the pairing as demanded "
                + "(SMP 0x03 authentication requirements)",
            hint: "pair without --secure-connections, if that is good enough"
        )
        .about(device: device)
    }
}
