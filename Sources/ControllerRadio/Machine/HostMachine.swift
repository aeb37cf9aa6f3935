// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// A host on one controller: everything between HCI packets and the channels of links.
///
/// It has no clock and sends nothing itself: each function is an event, takes the instant, and returns what is to be
/// done.
struct HostMachine: Sendable {
    enum State: Sendable {
        case settingUp(ControllerSetup)
        case ready
        case failed
    }

    /// A link, from its first event to its last.
    struct Link: Sendable {
        let origin: LinkOrigin
        var frames = FrameReassembler()
        /// Data that have come while the link was being encrypted, and until when they wait for the event of that.
        var held: [HCIACLPacket] = []
        var heldUntil = Instant.zero
        /// Whether this host wants its end.
        var end = EndWish.none
        /// Why this host has ended it, if the controller's reason does not say it.
        var cause: RadioError.Cause?

        var isEnding: Bool { if case .none = end { false } else { true } }
    }

    /// The end of a link, as far as this host wants it.
    enum EndWish: Sendable {
        case none
        /// As soon as all data have left the controller, or at that time.
        case afterData(Instant)
        /// The controller was told.
        case commanded
    }

    /// The time for which the end of a link waits for its last data.
    static let farewell = Duration.milliseconds(500)
    /// The end of an attempt to connect by a controller that has failed.
    static let failed = Result<ConnectionHandle, AttemptFailure>.failure(
        AttemptFailure(cause: .connectFailed(.hardwareFailure))
    )
    /// The number of links. A controller that reports ever new ones must not fill the memory.
    static let linkLimit = 256

    var state: State
    var commands = ControllerCommandQueue()
    var data = ACLScheduler(packetLength: 27, packetCount: 0)
    var early = EarlyData()
    var initiator: Initiator
    private(set) var facts = ControllerFacts()
    var links: [ConnectionHandle: Link] = [:]
    private(set) var tracker = LinkTracker()
    var security: HostSecurity
    var addresses = OwnAddresses()
    var search = PrivateSearch()
    var resolving = ResolvingList(ControllerFacts())
    /// Whether this host has switched a scan on.
    var isListening = false
    private var leftovers: [ChannelID: ChannelLeftovers] = [:]
    let randomAddress: BluetoothAddress
    /// Until when the controller may report the end of an attempt that it has cancelled; `nil` before it says so.
    private var cancelledUntil: Instant?
    /// When the private address with which this host connects was made; `nil` for none.
    var privateSince: Instant?
    /// The number of packets from the controller that could not be understood.
    private(set) var malformedCount = 0

    /// Creates a host that has done nothing yet.
    ///
    /// - Parameters:
    ///   - randomAddress: The static random address of a controller without a public one.
    ///   - random: The unpredictable numbers of pairings.
    init(randomAddress: BluetoothAddress, random: PairingRandom = .system) {
        self.randomAddress = randomAddress
        security = HostSecurity(random)
        state = .settingUp(ControllerSetup(randomAddress: randomAddress))
        initiator = Initiator(ControllerFacts())
    }

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? {
        var deadline = commands.nextDeadline
        if let end = search.nextDeadline { deadline = min(deadline ?? end, end) }
        if let end = security.nextDeadline { deadline = min(deadline ?? end, end) }
        if initiator.isCancelling, let end = cancelledUntil { deadline = min(deadline ?? end, end) }
        for case .afterData(let end) in links.values.lazy.map(\.end) { deadline = min(deadline ?? end, end) }
        for link in links.values where !link.held.isEmpty {
            deadline = min(deadline ?? link.heldUntil, link.heldUntil)
        }
        return deadline
    }

    var isScannedByProgram: Bool { leftovers.values.contains(where: \.isScanning) }

    /// What the events have told about a link.
    func linkState(of handle: ConnectionHandle) -> LinkState {
        var state = tracker.state(of: handle) ?? LinkState()
        // A link begins on the PHY of its attempt, which is LE 1M for those of this host.
        if links[handle]?.origin.role == .central {
            state.transmitPHY = state.transmitPHY ?? .le1M
            state.receivePHY = state.receivePHY ?? .le1M
        }
        return state
    }

    // MARK: - Events from this side

    /// Begins to bring the controller up.
    mutating func begin(now: Instant) -> [HostAction] {
        let setup = ControllerSetup(randomAddress: randomAddress)
        state = .settingUp(setup)
        return perform(setup.begin(), now)
    }

    /// Sends a command of a channel. It waits while the controller is set up.
    mutating func submit(_ packet: HCICommandPacket, from channel: ChannelID, now: Instant) -> [HostAction] {
        leftovers[channel, default: ChannelLeftovers()].sent(packet)
        return makeRoom(for: packet, now) + perform(commands.submit(packet, from: .channel(channel), now: now), now)
    }

    /// Notes what the controller has refused to the channel whose command it answers.
    mutating func noteAnswer(_ event: HCIEvent) {
        guard case .known(let answer as CommandCompleteEvent) = event, case .channel(let channel)? = commands.awaiting
        else { return }
        leftovers[channel]?.answered(answer)
    }

    /// A channel has ended. What its user has left switched on is switched off.
    mutating func closed(_ channel: ChannelID, now: Instant) -> [HostAction] {
        commands.ended(channel)
        guard let leftovers = leftovers.removeValue(forKey: channel) else { return [] }
        return leftovers.commands.flatMap { perform(commands.submit($0, from: .host, now: now), now) }
            + (leftovers.hasSetAddress ? restoreAddress(now) : [])
    }

    mutating func send(_ frame: L2CAPFrame, on handle: ConnectionHandle) -> [HostAction] {
        // Most are answers, of which a peer that asks without end, and takes nothing, gets no more.
        let isSignal = frame.channel == .leSignaling || frame.channel == .securityManager
        guard !isSignal || data.waitingFrames(on: handle) < ACLScheduler.signalLimit else { return [] }
        data.enqueue(frame, on: handle)
        return transmitData()
    }

    /// Ends a link after its last data.
    mutating func end(_ handle: ConnectionHandle, now: Instant) -> [HostAction] {
        guard case .none? = links[handle]?.end else { return [] }
        links[handle]?.end = .afterData(now + Self.farewell)
        return endLinks(now)
    }

    mutating func timerFired(now: Instant) -> [HostAction] {
        perform(commands.timerFired(now: now), now) + perform(security.timerFired(now: now), now)
            + perform(search.timerFired(now: now), now) + endCancelled(now) + releaseHeld(now) + endLinks(now)
    }

    /// A controller that never reports the end of a cancelled attempt does not keep the next one from its beginning.
    private mutating func endCancelled(_ now: Instant) -> [HostAction] {
        guard initiator.isCancelling, let end = cancelledUntil, end <= now else { return [] }
        return perform(initiator.answered(.cancel, nil), now)
    }

    // MARK: - The controller

    /// Carries out the next step of the setup.
    mutating func perform(_ step: ControllerSetup.Step, _ now: Instant) -> [HostAction] {
        switch step {
        case .send(let packet): return perform(commands.submit(packet, from: .setup, now: now), now)
        case .ready(let facts):
            state = .ready
            self.facts = facts
            data = ACLScheduler(packetLength: facts.packetLength, packetCount: facts.packetCount)
            initiator = Initiator(facts)
            resolving = ResolvingList(facts)
            addresses = OwnAddresses(facts, random: randomAddress)
            security.ready(facts, identity: addresses.ofCentral)
            chooseAddressType()
            return [.ready(facts)] + perform(commands.release(now: now), now)
        case .unusable(_, nil): return fail(.unsupported)
        case .needsFirmware(let maker): return fail(.attachment(.needsFirmware(of: maker)))
        case .unusable(_, let status?): return fail(.commandRejected(status))
        }
    }

    /// The controller has lost its state: so have its links, and everything is set up again.
    mutating func restart(_ now: Instant) -> [HostAction] {
        let attempts = Set(initiator.attemptIDs).union(search.attemptIDs).sorted { $0.rawValue < $1.rawValue }
        let ended = links.keys.sorted { $0.rawValue < $1.rawValue }
        let unprotected = ended.flatMap { security.ended($0, .hardwareFailure, .linkLost(.hardwareFailure)) }
        let told = perform(unprotected, now)
        // Nothing of it would ever be reported again.
        let users = leftovers.filter { !$0.value.commands.isEmpty }.keys.sorted { $0.rawValue < $1.rawValue }
        links = [:]
        tracker = LinkTracker()
        early = EarlyData()
        leftovers = [:]
        search = PrivateSearch()
        isListening = false
        commands.reset()
        return told + ended.map { .linkEnded($0, .linkLost(.hardwareFailure)) }
            + attempts.map { .attemptEnded($0, Self.failed) }
            + users.map { .endChannel($0, .linkLost(.hardwareFailure)) } + begin(now: now)
    }

    mutating func fail(_ cause: RadioError.Cause) -> [HostAction] {
        state = .failed
        return [.failed(cause)]
    }

    mutating func noteMalformed() { malformedCount += 1 }

    mutating func track(_ event: HCIEvent) { tracker.received(event) }

    // MARK: - Actions of the parts

    mutating func perform(_ actions: [ControllerCommandQueue.Action], _ now: Instant) -> [HostAction] {
        var result: [HostAction] = []
        for action in actions {
            switch action {
            case .send(let packet, let owner):
                addresses.sent(packet)
                let bytes = HCIPacket.command(packet).encoded()
                let channel: ChannelID? = if case .channel(let id) = owner { id } else { nil }
                // Keys are for the controller only.
                result += [.showCommand(HCISecrets.zeroed(bytes), from: channel), .transmit(bytes)]
            case .ended(let owner, let outcome): result += ended(owner, outcome, now)
            case .unanswered(let owner, _):
                // A controller that does not even answer at the beginning will not do so later.
                result += owner == .setup ? fail(.controllerSilent) : ended(owner, .failure(.init(status: nil)), now)
            }
        }
        return result
    }

    private mutating func ended(
        _ owner: CommandOwner,
        _ outcome: Result<[UInt8], CommandRefusal>,
        _ now: Instant
    ) -> [HostAction] {
        if case .failure = outcome { addresses.refused() }
        switch owner {
        case .setup:
            guard case .settingUp(var setup) = state else { return [] }
            let step = setup.answered(outcome)
            state = .settingUp(setup)
            return perform(step, now)
        case .initiator(let command):
            let status: HCIStatus? =
                switch outcome {
                case .success: .success
                case .failure(let refusal): refusal.status
                }
            if command == .cancel { cancelledUntil = now + ControllerCommandQueue.answerLimit }
            return perform(initiator.answered(command, status), now)
        case .disconnect(let handle):
            // Usually its end was reported before.
            guard case .failure(let refusal) = outcome, links[handle] != nil else { return [] }
            // A link that the controller has lost without a word would be in the way of the next one to the device.
            if refusal.status == .unknownConnectionIdentifier { return ended(handle, .unspecifiedError, now) }
            links[handle]?.end = .afterData(now + Self.farewell)
            return []
        case .security(let handle):
            guard case .failure(let refusal) = outcome else { return [] }
            return perform(security.encryptionRefused(handle, refusal.status), now)
        case .resolving(let change):
            let isMade = if case .success = outcome { true } else { false }
            resolving.answered(change, isMade: isMade)
            return []
        case .host, .link, .channel: return []
        }
    }

    mutating func perform(_ actions: [Initiator.Action], _ now: Instant) -> [HostAction] {
        var result: [HostAction] = []
        for action in actions {
            switch action {
            case .send(let packet, let command):
                if command == .cancel { cancelledUntil = nil }
                if command == .create {
                    // Perhaps refused at the end of the channel that had set another one.
                    let isOthers = leftovers.values.contains(where: \.hasSetAddress)
                    result += renewAddress(now) + (isOthers ? [] : restoreAddress(now))
                }
                result += perform(commands.submit(packet, from: .initiator(command), now: now), now)
            case .connected(let id, let handle):
                result += [.attemptEnded(id, .success(handle))] + perform(search.ended(id), now)
            case .failed(let id, let status, let failure):
                let cause = RadioError.Cause(failedAttempt: status, failure)
                result.append(.attemptEnded(id, .failure(AttemptFailure(cause: cause))))
                result += perform(search.ended(id), now)
            case .unwanted(let handle): result += end(handle, now: now)
            }
        }
        return result
    }

    mutating func command(_ command: some HCICommand, from owner: CommandOwner = .host, _ now: Instant) -> [HostAction]
    {
        perform(commands.submit(command.packet, from: owner, now: now), now)
    }

    /// Hands the controller the data that it has room for.
    mutating func transmitData() -> [HostAction] {
        let packets = data.packets()
        var result = packets.map { HostAction.transmit(HCIPacket.acl($0).encoded()) }
        var seen: Set<ConnectionHandle> = []
        for packet in packets where seen.insert(packet.connection).inserted {
            if data.waitingFrames(on: packet.connection) == 0 { result.append(.drained(packet.connection)) }
        }
        return result
    }

    /// Tells the controller to end the links whose data are sent, or whose time is over.
    mutating func endLinks(_ now: @autoclosure () -> Instant) -> [HostAction] {
        var result: [HostAction] = []
        for (handle, link) in links.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard case .afterData(let deadline) = link.end, data.isAtRest(handle) || deadline <= now() else { continue }
            links[handle]?.end = .commanded
            result += command(HCIDisconnect(handle), from: .disconnect(handle), now())
        }
        return result
    }
}
