// SPDX-License-Identifier: MIT

import Bluetooth

/// The number of an attempt to connect. Each is used once.
struct AttemptID: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt64
}

/// The commands by which a controller connects.
enum InitiatorCommand: Hashable, Sendable {
    /// A change of the filter accept list.
    case list
    case create
    case cancel
}

/// Connects to devices, to several at once if they are wanted at once.
///
/// A controller makes one attempt at a time. For one device the attempt names it; for several they are in the filter
/// accept list, and each link that comes ends the attempt, which then begins anew for the others. When the devices that
/// are wanted change, the attempt is cancelled. It ends by an event then as well: by one of a link, if that was faster.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.12, 7.8.13 and 7.8.66
struct Initiator: Sendable {
    enum Action: Hashable, Sendable {
        /// Send the command, and hand the status of its answer to `answered`.
        case send(HCICommandPacket, InitiatorCommand)
        /// The attempt has led to a link.
        case connected(AttemptID, ConnectionHandle)
        case failed(AttemptID, HCIStatus, Failure)
        /// Nobody wants the link any more.
        case unwanted(ConnectionHandle)
    }

    /// Where an attempt has failed.
    enum Failure: Hashable, Sendable {
        /// The controller has refused the command.
        case refused
        /// The controller has begun, and the link was not established.
        case notEstablished
    }

    private enum State: Sendable {
        case idle
        /// The filter accept list is filled: commands that are left.
        case listing([HCICommandPacket], targets: [DeviceAddress])
        /// The command is sent, and the controller has not accepted it yet.
        case starting([DeviceAddress])
        case initiating([DeviceAddress])
        case cancelling([DeviceAddress])
    }

    private struct Attempt: Sendable {
        let id: AttemptID
        let device: DeviceAddress
        /// The number of times that the link was not established.
        var failures = 0
    }

    /// The number of times that an attempt is made again at once when its link was not established (0x3E), before its
    /// user is told.
    private static let retries = 3

    private let facts: ControllerFacts
    /// The type of the address with which it connects.
    var ownAddressType: LEOwnAddressType
    private var state = State.idle
    private var attempts: [Attempt] = []

    init(_ facts: ControllerFacts) {
        self.facts = facts
        ownAddressType = facts.ownAddressType
    }

    var attemptIDs: [AttemptID] { attempts.map(\.id) }

    /// Whether the end of a cancelled attempt is awaited.
    var isCancelling: Bool { if case .cancelling = state { true } else { false } }

    mutating func connect(_ id: AttemptID, to device: DeviceAddress) -> [Action] {
        attempts.append(Attempt(id: id, device: DeviceAddress(device.address, device.type.connectionType)))
        return adapt()
    }

    /// Ends an attempt that is not wanted any more.
    mutating func abandon(_ id: AttemptID) -> [Action] {
        attempts.removeAll { $0.id == id }
        return adapt()
    }

    /// Takes the status of the answer to a command; `nil` if it has none.
    mutating func answered(_ command: InitiatorCommand, _ status: HCIStatus?) -> [Action] {
        switch (command, state) {
        case (.list, .listing(let commands, let targets)):
            // A list that cannot be filled would connect to others, or to nobody.
            guard status == .success else { return refused(targets, status) }
            return list(commands, targets)
        case (.create, .starting(let targets)):
            guard status == .success else { return refused(targets, status) }
            state = .initiating(targets)
            return adapt()
        case (.cancel, .cancelling) where status != .success:
            // There was no attempt any more. If a link has ended it, its event has come, or will be seen as one that
            // was not expected.
            state = .idle
            return adapt()
        default: return []
        }
    }

    /// Takes the event of a link of this host as central, or of the end of the attempt.
    ///
    /// - Parameter identity: The identity address of a device, which may be reported by another address than it is wanted
    ///   by.
    mutating func completed(
        _ event: LEConnectionCompleteEvent,
        identity: (DeviceAddress) -> DeviceAddress = { $0 }
    ) -> [Action] {
        guard event.status == .success else {
            let targets = self.targets
            state = .idle
            return failed(targets, event.status) + adapt()
        }
        let device = identity(DeviceAddress(event.peer.address, event.peer.type.connectionType))
        func isMeant(_ wanted: DeviceAddress) -> Bool { identity(wanted) == device }
        // The link of an attempt before, which the controller did not cancel any more, is no end of the present one.
        if targets.contains(where: isMeant) { state = .idle }
        let winners = attempts.filter { isMeant($0.device) }
        attempts.removeAll { isMeant($0.device) }
        let results: [Action] =
            winners.isEmpty
            ? [.unwanted(event.connection)] : winners.map { .connected($0.id, event.connection) }
        return results + adapt()
    }

    private var targets: [DeviceAddress] {
        switch state {
        case .idle: []
        case .listing(_, let targets), .starting(let targets), .initiating(let targets), .cancelling(let targets):
            targets
        }
    }

    /// Makes the controller's attempt that of the devices that are wanted.
    private mutating func adapt() -> [Action] {
        var wanted: [DeviceAddress] = []
        for attempt in attempts where !wanted.contains(attempt.device) { wanted.append(attempt.device) }
        // Those that the list has no room for come when others have their links.
        wanted = Array(wanted.prefix(max(1, facts.acceptListSize)))
        switch state {
        case .idle:
            guard let first = wanted.first else { return [] }
            guard wanted.count > 1 else { return create([first]) }
            let devices = wanted.map { LEAddDeviceToFilterAcceptList($0).packet }
            return list([LEClearFilterAcceptList().packet] + devices, wanted)
        case .initiating(let targets) where targets != wanted:
            state = .cancelling(targets)
            return [.send(LECreateConnectionCancel().packet, .cancel)]
        case .listing, .starting, .initiating, .cancelling: return []
        }
    }

    /// Sends the next command that fills the list, or at its end the one that connects.
    private mutating func list(_ commands: [HCICommandPacket], _ targets: [DeviceAddress]) -> [Action] {
        guard let first = commands.first else { return create(targets) }
        state = .listing(Array(commands.dropFirst()), targets: targets)
        return [.send(first, .list)]
    }

    private mutating func create(_ targets: [DeviceAddress]) -> [Action] {
        guard let first = targets.first else { return [] }
        state = .starting(targets)
        // Without a pause, so that the first packet of the device is heard.
        let scan = LEInterval<625>(.milliseconds(60))
        guard facts.lists(LEExtendedCreateConnection.self) else {
            let command = LECreateConnection(
                scanInterval: scan,
                scanWindow: scan,
                usesAcceptList: targets.count > 1,
                peer: first,
                ownAddressType: ownAddressType,
                parameters: .preferred
            )
            return [.send(command.packet, .create)]
        }
        let command = LEExtendedCreateConnection(
            usesAcceptList: targets.count > 1,
            ownAddressType: ownAddressType,
            peer: first,
            le1M: .init(scanInterval: scan, scanWindow: scan, parameters: .preferred)
        )
        return [.send(command.packet, .create)]
    }

    /// The controller has refused: those attempts end, because nothing says that it would do the same again.
    private mutating func refused(_ targets: [DeviceAddress], _ status: HCIStatus?) -> [Action] {
        state = .idle
        let losers = attempts.filter { targets.contains($0.device) }
        attempts.removeAll { targets.contains($0.device) }
        return losers.map { .failed($0.id, status ?? .unspecifiedError, .refused) } + adapt()
    }

    /// The attempt has ended without a link. A cancelled one (0x02) has no fault, and a link that was not established
    /// (0x3E) is tried again.
    private mutating func failed(_ targets: [DeviceAddress], _ status: HCIStatus) -> [Action] {
        guard status != .unknownConnectionIdentifier, status != .operationCancelledByHost else { return [] }
        var losers: [AttemptID] = []
        for index in attempts.indices where targets.contains(attempts[index].device) {
            attempts[index].failures += 1
            let isRepeated =
                status == .connectionFailedToBeEstablished && attempts[index].failures <= Self.retries
            if !isRepeated { losers.append(attempts[index].id) }
        }
        attempts.removeAll { losers.contains($0.id) }
        return losers.map { .failed($0, status, .notEstablished) }
    }
}

/// Whose wish a link was.
struct LinkOrigin: Hashable, Sendable {
    let peer: DeviceAddress
    let role: LERole
}
