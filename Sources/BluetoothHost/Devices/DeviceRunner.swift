// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A client's link as the device sees it.
public protocol DeviceLink: Sendable {
    /// The client's identity address; `nil` if it is unknown.
    var identity: DeviceAddress? { get }

    /// The present security of the link.
    var security: LinkSecurity { get }

    /// Sends a PDU to the client. It is lost if the link has ended; `DeviceRunner.disconnected` reports that.
    func send(_ pdu: [UInt8], now: Instant)

    /// Ends the link.
    func hangUp(_ reason: HCIStatus)
}

/// A request or a command that a device has served, with its answer.
public struct DeviceExchange: Hashable, Sendable {
    /// The client that sent it.
    public let client: GATTServer.ClientID
    /// The request or command.
    public let request: ATTClientPDU
    /// The attribute at its handle at that time; `nil` if it does not refer to one attribute.
    public let place: GATTPlace?
    /// The answer; `nil` for a command.
    public let answer: ATTAnswer?
}

/// An event of a running device.
public enum DeviceEvent: Equatable, Sendable {
    /// A request or a command was served.
    case exchanged(DeviceExchange)
    /// A client violated the protocol, and the device ignored it.
    case odd(GATTServer.ClientID, ATTDiagnostic)
}

/// A running device. It carries PDUs between its links and its machine, and wakes the machine at its deadlines.
public actor DeviceRunner {
    private var machine: DeviceMachine
    private var links: [GATTServer.ClientID: any DeviceLink] = [:]
    private var timer = DeadlineTimer()
    private let time: any TimeSource
    private let scope: TaskScope
    private let onEvent: (@Sendable (DeviceEvent) -> Void)?

    /// Creates a device that starts with its first client; its timers run in the scope.
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

    /// A client has connected.
    public func connected(_ client: GATTServer.ClientID, over link: any DeviceLink) {
        links[client] = link
        perform(machine.connected(client, as: link.identity, security: { link.security }, now: now))
    }

    /// A client's link has ended.
    public func disconnected(_ client: GATTServer.ClientID) {
        links[client] = nil
        perform(machine.disconnected(client, now: now))
        if links.isEmpty { timer.stop() }
    }

    /// A client has sent a PDU.
    public func received(_ bytes: [UInt8], from client: GATTServer.ClientID) {
        perform(machine.pduReceived(bytes, from: client, now: now))
    }

    /// The MTU of a client's link in octets: 23 until the exchange.
    public func mtu(of client: GATTServer.ClientID) -> UInt16 { machine.mtu(of: client) }

    /// The time on the device's own clock, which begins with the program.
    private var now: Instant { .zero + (time.now - time.start) }

    private func timerFired() {
        timer.fired()
        perform(machine.timerFired(now: now))
    }

    private func perform(_ actions: [DeviceMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let client, let bytes): links[client]?.send(bytes, now: time.now)
            case .hangUp(let client, let reason): links[client]?.hangUp(reason)
            case .tell(let event): onEvent?(event)
            }
        }
        let deadline = machine.nextDeadline.map { time.start + ($0 - .zero) }
        timer.arm(deadline, in: scope, time) { [weak self] in await self?.timerFired() }
    }
}

extension ATTClientPDU {
    /// The handle of the one attribute to which the PDU refers; `nil` for other PDUs.
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
