// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// One client's link as the device sees it.
public protocol DeviceLink: Sendable {
    /// Who the client is: its identity address, where it has one.
    var identity: DeviceAddress? { get }

    /// How the link is secured at this moment.
    var security: LinkSecurity { get }

    /// Sends a PDU to the client. A link that is gone loses it; its end is told by other means.
    func send(_ pdu: [UInt8], now: Instant)

    /// Ends the link.
    func hangUp(_ reason: HCIStatus)
}

/// A request or a command that a device was given, with what came of it.
public struct DeviceExchange: Hashable, Sendable {
    /// Who asked.
    public let client: GATTServer.ClientID
    /// What was asked.
    public let request: ATTClientPDU
    /// The type of the one attribute that it was about, as the database was then.
    public let attribute: BluetoothUUID?
    /// The answer; `nil` for a command, which has none.
    public let answer: ATTAnswer?
}

/// What a running device tells of its clients.
public enum DeviceEvent: Equatable, Sendable {
    /// A request or a command was served.
    case exchanged(DeviceExchange)
    /// A client did something odd, and nothing came of it.
    case odd(GATTServer.ClientID, ATTDiagnostic)
}

/// A running device: carries PDUs between its links and its machine, and wakes the machine when it asks for it.
public actor DeviceRunner {
    private var machine: DeviceMachine
    private var links: [GATTServer.ClientID: any DeviceLink] = [:]
    private var timer = DeadlineTimer()
    private let time: any TimeSource
    private let scope: TaskScope
    private let onEvent: (@Sendable (DeviceEvent) -> Void)?

    /// Switches the device on with its first client; its timers run in the scope.
    public init(
        _ device: DeviceDefinition,
        time: any TimeSource,
        scope: TaskScope,
        onEvent: (@Sendable (DeviceEvent) -> Void)? = nil
    ) {
        machine = DeviceMachine(device)
        self.time = time
        self.scope = scope
        self.onEvent = onEvent
    }

    /// A client is there.
    public func connected(_ client: GATTServer.ClientID, over link: any DeviceLink) {
        links[client] = link
        perform(machine.connected(client, as: link.identity, security: { link.security }, now: time.now))
    }

    /// A client's link is gone.
    public func disconnected(_ client: GATTServer.ClientID) {
        links[client] = nil
        perform(machine.disconnected(client, now: time.now))
        if links.isEmpty { timer.stop() }
    }

    /// A client sent a PDU.
    public func received(_ bytes: [UInt8], from client: GATTServer.ClientID) {
        perform(machine.pduReceived(bytes, from: client, now: time.now))
    }

    /// The MTU of a client's link: 23 until it was exchanged.
    public func mtu(of client: GATTServer.ClientID) -> UInt16 { machine.mtu(of: client) }

    private func timerFired() {
        timer.fired()
        perform(machine.timerFired(now: time.now))
    }

    private func perform(_ actions: [DeviceMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let client, let bytes): links[client]?.send(bytes, now: time.now)
            case .hangUp(let client, let reason): links[client]?.hangUp(reason)
            case .tell(let event): onEvent?(event)
            }
        }
        timer.arm(machine.nextDeadline, in: scope, time) { [weak self] in await self?.timerFired() }
    }
}

extension ATTClientPDU {
    /// The one attribute that it is about.
    public var handle: Handle? {
        switch self {
        case .request(.read(let pdu)): pdu.handle
        case .request(.readBlob(let pdu)): pdu.handle
        case .request(.write(let pdu)): pdu.handle
        case .request(.prepareWrite(let pdu)): pdu.handle
        case .command(.write(let pdu)): pdu.handle
        case .command(.signedWrite(let pdu)): pdu.handle
        case .request, .command, .confirmation, .unknown: nil
        }
    }
}
