// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
package import Terminal

/// Connects to a device, and reports waits and retries.
package struct DeviceConnector: Sendable {
    package let central: Central
    package var options: ConnectionOptions
    /// The type of the device's address, if only the command line gives it.
    let givenAddressType: AddressType?
    /// The time limit of the subscriptions after a reconnection.
    package let timeout: Duration
    /// The GATT cache; `nil` for none.
    package let databases: (any DatabaseStore)?
    package let notes: any NoteSink
    package let malformedUpdates: MalformedUpdates
    /// The bonds that blectl keeps; `nil` for none.
    package var bonds: KernelBonds?
    /// Makes the guard that decides before the security of a link is raised; with `nil` the kernel decides alone.
    var guarded: (@Sendable (DeviceReference, KernelBonds) -> any LinkGuard)?
    /// Takes the time of the connection, and the properties of the link; `nil` for nothing.
    package var timing: RunTiming?
    /// Takes the security of the link whenever it is raised; `nil` for nothing.
    package var timedLinks: TimedLinks?
    /// Whether the link is one that another process holds.
    package var sharesLink = false
    /// Chooses again between the sessions and a link of one's own, when the session that has the link has ended.
    var chooseAgain: (@Sendable (DeviceReference) async -> DeviceConnector?)?

    /// The device. Sends nothing yet.
    package func peripheral(_ reference: DeviceReference) -> Peripheral {
        central.peripheral(reference.address, configuration: configuration(reference))
    }

    /// Connects to the device. Throws a `BlectlError` if that fails.
    package func connect(_ device: ConnectedDevice) async throws {
        // Before the link, so that a damaged file of bonds is an error before anything is sent.
        let bond = try bonds?.bond(with: device.reference.address, of: central.radio.adapter)
        notes.progress("connecting to \(device.reference.text) …")
        let start = central.time.now
        timing?.uses(device.reference.address)
        do {
            let connection = try await device.peripheral.connection()
            // Known only now, because the keys are loaded while the link is made.
            if let bond, let lack = bonds?.presentLack, options.encryptsBonded {
                let action = "connect to \(device.reference.text)"
                throw BlectlError(lack, bond, on: central.radio.adapter, doing: action).about(device: device.reference)
            }
            try await connection.prepare()
            if !options.bearers.isUsual { _ = try await device.peripheral.fulfil(options.bearers) }
            timing?.connected(after: central.time.now - start, attempts: await device.peripheral.attempts)
            await reportLink(of: device, connection)
        } catch {
            timing?.connected(after: central.time.now - start, attempts: await device.peripheral.attempts)
            throw describe(error, device.reference)
        }
        notes.clearProgress()
    }

    /// Reports to the timing that an existing link is used, and reads its properties if they are not known yet.
    package func uses(_ device: ConnectedDevice) async {
        guard let timing else { return }
        timing.uses(device.reference.address)
        guard !timing.links.isRead(device.reference.address), let connection = try? await device.peripheral.connection()
        else { return }
        await reportLink(of: device, connection)
    }

    /// Reports the properties and the security of a link to the timing.
    private func reportLink(of device: ConnectedDevice, _ connection: ATTConnection) async {
        guard let links = timing?.links else { return }
        let address = device.reference.address
        if let reading = try? await device.peripheral.linkReading(asksPeer: false) {
            links.read(reading, of: address, connection.connectionHandle)
        }
        // The process that holds a link answers with the MTU that the link has; the device is not asked.
        if sharesLink { _ = try? await connection.exchangeMTU() }
        links.secured(connection.security, of: address)
    }

    package func keepsBond(of reference: DeviceReference) -> Bool {
        (try? bonds?.bond(with: reference.address, of: central.radio.adapter)) != nil
    }

    private func configuration(_ reference: DeviceReference) -> Peripheral.Configuration {
        let (notes, malformedUpdates, options) = (notes, malformedUpdates, options)
        var security = options.security
        // Less than the limit of the operation, so that the error gives the reason and not only the timeout.
        security.timeout = min(timeout * 4 / 5, security.timeout)
        // Each of several values has half of that time.
        security.onDemandTimeout = min(timeout * 2 / 5, security.onDemandTimeout)
        var configuration = Peripheral.Configuration(
            connectTimeout: options.timeout,
            retries: options.retryPolicy,
            waits: options.waits,
            reconnection: options.reconnects ? .unlimited() : nil,
            // Without an address a stored database could be that of any device.
            store: options.usesCache && reference.address.address.rawValue != 0 ? store(for: reference) : nil,
            timeout: timeout,
            security: security,
            onRetry: { attempt, error, pause in
                let action = error.isLossOfLink ? "keep the link to" : "connect to"
                let why = BlectlError(error, doing: "\(action) \(reference.text)").message
                notes.note(options.retryNote(attempt, why, after: pause))
            },
            onWait: { error in
                notes.note(options.waitNote(error, reference))
            },
            onDiagnostic: { oddity in malformedUpdates.take(oddity) },
            onSecurityRaised: { [timedLinks] code, security in
                timedLinks?.secured(security, of: reference.address)
                let refusal = "ATT 0x\(Hex.string(code.rawValue, minimumDigits: 2)) \(code)"
                notes.note(
                    "\(reference.text) demands security (\(refusal)): the link is now \(security.text); asking again"
                )
            }
        )
        configuration.completeSecurity = { [self] in await completed($0, for: reference) }
        configuration.linkGuard = bonds.flatMap { guarded?(reference, $0) }
        if options.reconnects, let chooseAgain {
            configuration.chooseRoute = {
                guard let next = await chooseAgain(reference) else { return nil }
                return PeripheralRoute(next.central.radio, next.configuration(reference))
            }
        }
        configuration.link = options.link
        configuration.observesLink = options.observesLink
        configuration.bearers = options.bearers
        configuration.onBearers = { outcome in
            for line in outcome.lines { notes.detail("\(reference.text): \(line)") }
        }
        // Less than each of several values has, so that the value itself can still be read on the next link.
        configuration.exchangeTimeout = min(timeout * 2 / 5, configuration.exchangeTimeout)
        configuration.linkTimeout = LinkPreparation.limit(within: timeout)
        configuration.onLinkChanged = { change in
            for line in change.lines { notes.detail("\(reference.text): \(line)") }
        }
        return configuration
    }

    /// The store of the device's database. Findings about a bonded device on an unencrypted link are not stored,
    /// because any device could have sent them.
    private func store(for reference: DeviceReference) -> (any DatabaseStore)? {
        guard !options.encryptsBonded, keepsBond(of: reference) else { return databases }
        return databases.map { UnprovenDatabases(known: $0) }
    }

    /// The security of the next link. A bonded device authenticates before the first request: without its key no
    /// request is sent.
    private func completed(_ demanded: SecurityPolicy, for reference: DeviceReference) async -> SecurityPolicy {
        var security = demanded
        let bond = try? bonds?.bond(with: reference.address, of: central.radio.adapter)
        security.hasBond = bond != nil
        if bond != nil { await bonds?.load(for: central.radio.adapter) }
        if let bond, bond.level > .low, options.encryptsBonded {
            security.level = max(security.level, min(bond.level, .high))
            security.minimumKeySize = max(security.minimumKeySize, bond.keySize)
        }
        return security
    }

    /// The failure to connect in the words of a user. A cancellation stays as it is.
    private func describe(_ error: any Error, _ reference: DeviceReference) -> any Error {
        if let failure = error as? LinkChangeFailure {
            return BlectlError(failure, to: reference).about(device: reference)
        }
        if let error = error as? RadioError, options.link != nil || !options.bearers.isUsual {
            let isForBearers = options.link == nil && options.bearers.enhanced > 0
            let action = isForBearers ? "open enhanced bearers to" : "change the link to"
            return BlectlError(error, doing: "\(action) \(reference.text)").about(device: reference)
        }
        guard let failure = error as? ConnectFailure,
            let described = BlectlError(describing: failure, doing: "connect to \(reference.text)")?
                .about(device: reference)
        else { return error }
        if let hint = reference.hint(for: failure.error) { return described.with(hint: hint) }
        if sharesLink, failure.error.cause == .connectTimedOut {
            return described.with(hint: "a session has its link: blectl session list, or connect with --no-session")
        }
        guard let type = givenAddressType, failure.error.cause == .connectTimedOut else { return described }
        // No scan has confirmed the type, and with a wrong one the device does not answer.
        let hint = "is it switched on, near, and its address \(type)? without --address-type, a scan finds the type"
        return described.with(hint: hint)
    }
}

extension DeviceReference {
    /// What to do about a failure to connect to a device that was heard on LE Coded; `nil` if that is not the reason.
    ///
    /// The kernel connects upon an advertisement that it hears itself, on the PHYs that it has selected. From Linux 6.4
    /// on these are all that the controller has, and before LE 1M alone.
    package func hint(for error: RadioError) -> String? {
        guard wasHeardOnCoded, error.cause == .connectTimedOut else { return nil }
        return "it advertises on LE Coded, where Linux before 6.4 connects only if 'sudo btmgmt phy' shows LECODEDTX"
            + " and LECODEDRX among the selected PHYs; else, is it still near?"
    }
}

extension RadioError {
    /// Whether there was a link, and it has ended. Without a status of another kind, it may as well never have been
    /// established: the kernel has no errno for that.
    fileprivate var isLossOfLink: Bool {
        switch cause {
        case .closedByPeer: true
        case .linkLost(let status?): status != .connectionFailedToBeEstablished
        default: false
        }
    }
}

/// The stored database of a device that has not authenticated on this link: it is used once the device has confirmed
/// it, and findings are not added.
private struct UnprovenDatabases: DatabaseStore {
    let known: any DatabaseStore

    func load(_ device: DeviceAddress) -> StoredDatabase? { known.load(device) }

    func save(_ stored: StoredDatabase, of device: DeviceAddress) async {}

    func refusesMTUExchange(_ device: DeviceAddress) -> Bool { known.refusesMTUExchange(device) }
}

/// The texts and limits that attempts to connect share, for attributes and for channels.
extension ConnectionOptions {
    /// How often, and after which pauses, a failed attempt is repeated.
    var retryPolicy: RetryPolicy { RetryPolicy(retries: retries, retriesTimeouts: retriesTimeouts) }

    /// How long another program that has the device is waited for.
    var waits: Duration { waitsForOthers ? timeout : .zero }

    func retryNote(_ attempt: Int, _ why: String, after pause: Duration) -> String {
        "attempt \(attempt) of \(retries + 1): \(why); trying again in \(pause)"
    }

    /// The message that the command waits, because another program has the device.
    func waitNote(_ error: RadioError, _ device: DeviceReference) -> String {
        "waiting for \(device.text): \(error.reason)"
    }
}
