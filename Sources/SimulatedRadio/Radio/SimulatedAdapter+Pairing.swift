// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

/// A pairing that runs.
struct ActivePairing: Sendable {
    let command: SimulatedKernel.PairingCommand
    /// The channel of the program that has asked for it.
    let channel: SimulatedManagementChannel?
    /// The link, the device there, and the course of the pairing; `nil` until there is a link.
    var course: Course?
    var timer = DeadlineTimer()

    struct Course: Sendable {
        let link: SimulatedLink
        let station: Int
        /// The address of the device on the air.
        let address: DeviceAddress
        /// Whether the link was made for the pairing.
        let isOwnLink: Bool
        var machine: PairingMachine
    }
}

// The kernel's side of pairing and encryption, as far as links and time are concerned. All but the entry points are
// called with the lock held.
extension SimulatedAdapter {
    // MARK: - Pairing

    /// Begins a pairing that the kernel has accepted. Connects if there is no link.
    func begin(
        _ command: SimulatedKernel.PairingCommand,
        from channel: SimulatedManagementChannel?,
        _ state: inout RunningWorld.State
    ) {
        state.adapters[number]?.pairing = ActivePairing(command: command, channel: channel)
        guard !start(&state, isOwnLink: false) else { return }
        scope.spawn { [self] in
            let limit = time.now + SimulatedKernel.connectTimeout
            let made = try? await connect(to: command.device, deadline: limit)
            world.state.withLock { state in
                guard state.adapters[number]?.pairing?.command == command else { return }
                if made == nil || !start(&state, isOwnLink: true) { endPairing(.connectFailed, &state) }
            }
            // A pairing that was given up meanwhile needs no link.
            if let made, !isPairing(over: made.link) { made.close() }
        }
    }

    private func isPairing(over link: SimulatedLink) -> Bool {
        world.state.withLock { $0.adapters[number]?.pairing?.course?.link === link }
    }

    /// Starts the course of the pairing on the link to its device. Returns `false` if there is none.
    private func start(_ state: inout RunningWorld.State, isOwnLink: Bool) -> Bool {
        guard let adapter = state.adapters[number], var pairing = adapter.pairing,
            let (end, station) = state.linkEnd(to: pairing.command.device, of: number)
        else { return false }
        let command = pairing.command
        let offer = PairingMachine.Offer(
            request: command.request,
            demandsSecureConnections: command.demandsSecureConnections,
            data: command.data,
            digits: state.adapters[number]?.makePasskey() ?? 0,
            devicesDigits: state.adapters[number]?.makePasskey() ?? 0,
            interval: end.link.currentShape.interval
        )
        pairing.course = ActivePairing.Course(
            link: end.link,
            station: station,
            address: end.peer,
            isOwnLink: isOwnLink,
            machine: PairingMachine(offer, with: state.stations[station].device.pairing)
        )
        state.adapters[number]?.pairing = pairing
        state.adapters[number]?.show(.pairingRequest(command.request), on: end.link.handle, isFromHost: true)
        advance(&state) { $0.start(now: $1) }
        return true
    }

    /// Gives the pairing an event, and carries out what comes of it.
    func advance(
        _ state: inout RunningWorld.State,
        _ event: (inout PairingMachine, Instant) -> [PairingMachine.Action]
    ) {
        guard var course = state.adapters[number]?.pairing?.course else { return }
        let actions = event(&course.machine, time.now)
        state.adapters[number]?.pairing?.course = course
        for action in actions { carryOut(action, course, &state) }
        let link = course.link
        let deadline = state.adapters[number]?.pairing?.course?.machine.nextDeadline
        state.adapters[number]?.pairing?.timer.arm(deadline, in: scope, time) { [self] in
            world.state.withLock { state in
                guard state.adapters[number]?.pairing?.course?.link === link else { return }
                state.adapters[number]?.pairing?.timer.fired()
                advance(&state) { $0.timerFired(now: $1) }
            }
        }
    }

    private func carryOut(
        _ action: PairingMachine.Action,
        _ course: ActivePairing.Course,
        _ state: inout RunningWorld.State
    ) {
        guard let pairing = state.adapters[number]?.pairing else { return }
        let device = ManagementAddress(pairing.command.device)
        switch action {
        case .ask(.consent):
            tell(UserConfirmationRequestEvent(device, isOnlyConsent: true, value: 0), &state)
        case .ask(.compare(let digits)):
            tell(UserConfirmationRequestEvent(device, isOnlyConsent: false, value: digits), &state)
        case .ask(.passkey): tell(UserPasskeyRequestEvent(device), &state)
        case .show(let digits): tell(PasskeyNotifyEvent(device, passkey: digits), &state)
        case .encrypt(let agreement): course.link.become(agreement.security)
        case .finished(.paired(let agreement)): succeed(agreement, pairing, course, &state)
        case .finished(.failed(let reason, let isByDevice)):
            state.adapters[number]?.show(.pairingFailed(reason), on: course.link.handle, isFromHost: !isByDevice)
            endPairing(.authenticationFailed, &state)
        case .finished(.silence):
            // The end of the link tells the rest.
            course.link.closeByHost(.linkLost(.connectionTerminatedByLocalHost))
        }
    }

    private func succeed(
        _ agreement: PairingMachine.Agreement,
        _ pairing: ActivePairing,
        _ course: ActivePairing.Course,
        _ state: inout RunningWorld.State
    ) {
        state.adapters[number]?.pairing = nil
        pairing.timer.cancelled()
        let identity = state.stations[course.station].device.address
        guard
            let result = state.adapters[number]?.kernel.paired(
                agreement,
                pairing.command,
                identity: identity,
                address: course.address
            )
        else { return }
        perform(result.keys, from: nil, &state)
        perform(result.end, from: pairing.channel, &state)
        if course.isOwnLink { course.link.closeByHost() }
    }

    /// Ends the pairing without keys.
    func endPairing(_ status: ManagementStatus, _ state: inout RunningWorld.State) {
        guard let pairing = state.adapters[number]?.pairing else { return }
        state.adapters[number]?.pairing = nil
        pairing.timer.cancelled()
        let actions = state.adapters[number]?.kernel.pairingFailed(status, pairing.command) ?? []
        perform(actions, from: pairing.channel, &state)
        if let course = pairing.course, course.isOwnLink { course.link.closeByHost() }
    }

    /// A link has ended, and with it a pairing on it.
    func linkEnded(_ end: LinkEnd, _ state: inout RunningWorld.State) {
        if state.adapters[number]?.pairing?.course?.link === end.link { endPairing(.disconnected, &state) }
        if case .device(let station)? = end.sender {
            state.adapters[number]?.kernel.linkEnded(with: state.stations[station].device.address)
        }
        state.adapters[number]?.kernel.linkEnded(with: end.peer)
    }

    /// Ends the links to a device.
    func disconnect(_ device: DeviceAddress, _ state: inout RunningWorld.State) {
        state.linkEnd(to: device, of: number)?.end.close()
    }

    private func tell(_ event: some ManagementEventParameters, _ state: inout RunningWorld.State) {
        perform([.event(event.packet(about: SimulatedKernel.index))], from: nil, &state)
    }

    // MARK: - Encryption

    /// What raising the security of a link comes to.
    enum Raising: Hashable, Sendable {
        /// The link has the level.
        case met
        /// The kernel has no key that is good enough.
        case noKey
        /// The device has the same key.
        case key(LinkSecurity)
        /// The device has no key any more.
        case missing
        /// The device has another key.
        case otherKey
    }

    /// What raising the security of a link to a level comes to; `nil` for a link whose device does not pair.
    func raising(_ link: SimulatedLink, to level: SecurityLevel) -> Raising? {
        world.state.withLock { state in
            guard let adapter = state.adapters[number],
                case .device(let station)? = adapter.links.first(where: { $0.link === link })?.sender,
                let policy = state.stations[station].device.pairing
            else { return nil }
            let (present, identity) = (link.security, state.stations[station].device.address)
            if present.isEncrypted, present.level >= level { return .met }
            guard let key = adapter.kernel.keys.longTermKey(of: identity), key.level >= level else { return .noKey }
            switch policy.bonding {
            case .none, .forgotten: return .missing
            case .otherKey: return .otherKey
            case .kept: break
            }
            return SimulatedKeys.isRight(key, of: identity, with: adapter.kernel.profile.address)
                ? .key(key.security) : .otherKey
        }
    }
}

extension RunningWorld.State {
    /// The link of an adapter to a device of the world, by any address of the device that the kernel knows.
    func linkEnd(to device: DeviceAddress, of number: Int) -> (end: LinkEnd, station: Int)? {
        guard let adapter = adapters[number] else { return nil }
        let identity = adapter.kernel.keys.identity(of: device)
        for end in adapter.links where end.role == .central && end.link.isOpen {
            guard case .device(let station)? = end.sender else { continue }
            if end.peer == device || adapter.kernel.keys.identity(of: end.peer) == identity { return (end, station) }
        }
        return nil
    }

    /// The security that a link to a device has from its start.
    func initialSecurity(of station: Int, for number: Int) -> LinkSecurity {
        let device = stations[station].device
        guard let policy = device.pairing else { return device.link.security }
        guard policy.bonding == .kept, let kernel = adapters[number]?.kernel,
            let key = kernel.keys.longTermKey(of: device.address),
            SimulatedKeys.isRight(key, of: device.address, with: kernel.profile.address)
        else { return .none }
        var security = key.security
        security.isEncrypted = false
        return security
    }
}

extension PairingMachine.Agreement {
    /// The security of the link from now on.
    fileprivate var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true,
            isAuthenticated: method.isAuthenticated,
            isSecureConnections: isSecureConnections,
            keySize: keySize,
            hasBond: isBonding
        )
    }
}

extension LinkSecurity {
    /// The level of an encrypted link.
    fileprivate var level: SecurityLevel {
        guard isAuthenticated else { return .medium }
        return isSecureConnections && keySize == 16 ? .fips : .high
    }
}

extension DeadlineTimer {
    /// Cancels the sleeping task of a timer that is not needed any more.
    fileprivate func cancelled() {
        var timer = self
        timer.stop()
    }
}
