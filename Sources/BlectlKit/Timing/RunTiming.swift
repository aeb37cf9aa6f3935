// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost
import Synchronization

/// The times of a run, and what was negotiated of its link (`--timing`).
///
/// It sees the packets of the run, so that requests are counted where they pass, whatever procedure sends them.
public final class RunTiming: Sendable {
    /// Requests of one kind.
    struct Requests: Sendable, Equatable {
        /// The number of requests that were sent.
        var count = 0
        /// The sum of the times from each request to its answer.
        var duration = Duration.zero
    }

    /// What is known at one moment.
    struct Snapshot: Sendable {
        /// The time of the scan; `nil` if there was none.
        var scan: Duration?
        /// The time until the link could be used, or until it was given up; `nil` if none was made.
        var connect: Duration?
        /// The number of attempts to make the link.
        var attempts = 0
        /// The requests by which attributes are found, and the exchange of the MTU.
        var discovery = Requests()
        /// All other requests.
        var requests = Requests()
        /// The ATT MTU; `nil` without a link for attributes.
        var mtu: UInt16?
        /// The properties of the link, as far as they are known.
        var link = LinkState()
        /// The security of the link; `nil` without one.
        var security: LinkSecurity?
        /// Why properties are not known.
        var unknown: [LinkReading.Property: LinkReading.Unknown] = [:]
        /// Whether a link was made.
        var isConnected = false
    }

    fileprivate struct Pending {
        let start: Instant
        let isDiscovery: Bool
    }

    fileprivate struct State {
        var now = Snapshot()
        /// The requests without an answer, by the number of the ATT channel: one for each.
        var pending: [Int: Pending] = [:]
        /// What the controllers tell of links. Handles are those of an adapter.
        var trackers: [ManagementIndex: LinkTracker] = [:]
        var handle: ConnectionHandle?
        /// The adapter that has the link.
        var adapter = ManagementIndex.none
        /// The properties that were read when the link was made.
        var read = LinkState()
        /// The MTU that one side has told, while the other has not.
        var proposedMTU: UInt16?
    }

    /// The ATT MTU of a new link.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 5.2.1
    fileprivate static let firstMTU: UInt16 = 23

    private let state = Mutex(State())

    /// A timing in which nothing has happened.
    public init() {}

    /// What is known now.
    var snapshot: Snapshot {
        state.withLock { state in
            var now = state.now
            let heard = state.handle.flatMap { state.trackers[state.adapter]?.state(of: $0) } ?? LinkState()
            now.link = heard.completed(by: state.read)
            return now
        }
    }

    // MARK: - Phases

    /// A scan for the device has ended.
    func scanned(for duration: Duration) {
        state.withLock { $0.now.scan = ($0.now.scan ?? .zero) + duration }
    }

    /// A connection was made or given up.
    ///
    /// - Parameters:
    ///   - duration: The time that it took, with what belongs to it: the wished properties and the security.
    ///   - attempts: The number of attempts.
    func connected(after duration: Duration, attempts: Int) {
        state.withLock { state in
            state.now.connect = (state.now.connect ?? .zero) + duration
            state.now.attempts += attempts
        }
    }

    /// The properties of the new link were read.
    ///
    /// - Parameters:
    ///   - reading: The properties.
    ///   - handle: The handle of the link, if it has one.
    ///   - carriesAttributes: Whether the link has an ATT MTU for this program.
    func read(_ reading: LinkReading, of handle: UInt16?, carriesAttributes: Bool = true) {
        state.withLock { state in
            state.now.isConnected = true
            if !carriesAttributes { state.now.mtu = nil }
            state.handle = handle.map { ConnectionHandle(rawValue: $0) } ?? state.handle
            state.read = reading.state
            state.now.unknown = reading.unknown
        }
    }

    /// The link has this security now.
    func secured(_ security: LinkSecurity) { state.withLock { $0.now.security = security } }

    // MARK: - Packets

    /// Sees the packets of the run.
    public var tap: PacketTap {
        { [self] packet in
            switch packet.channel {
            case .att: attribute(packet)
            case .hci: controller(packet)
            case .management, .l2cap: break
            }
        }
    }

    /// Sees the links of the run.
    public var linkTap: LinkTap {
        { [self] link in
            state.withLock { state in
                switch link.change {
                case .opened:
                    state.now.mtu = Self.firstMTU
                    state.proposedMTU = nil
                    state.handle = link.connectionHandle.map { ConnectionHandle(rawValue: $0) }
                    state.adapter = link.adapter
                case .ended: state.pending[link.number] = nil
                }
            }
        }
    }

    private func controller(_ packet: TappedPacket) {
        guard packet.direction == .received, case .event(let event)? = try? HCIPacket(decoding: packet.bytes),
            let decoded = try? HCIEvent(event)
        else { return }
        state.withLock { $0.trackers[packet.adapter, default: LinkTracker()].received(decoded) }
    }

    private func attribute(_ packet: TappedPacket) {
        guard let number = packet.link, let pdu = try? ATTPDU(decoding: packet.bytes) else { return }
        let isSent = packet.direction == .sent
        state.withLock { state in
            state.negotiated(pdu)
            switch pdu {
            case .client(.request(let request)) where isSent:
                let isDiscovery = request.isDiscovery
                state.count(isDiscovery) { $0.count += 1 }
                state.pending[number] = Pending(start: packet.instant, isDiscovery: isDiscovery)
            case .server(.response) where !isSent, .server(.error) where !isSent:
                guard let pending = state.pending.removeValue(forKey: number) else { return }
                state.count(pending.isDiscovery) { $0.duration += packet.instant - pending.start }
            default: break
            }
        }
    }
}

extension RunTiming.State {
    fileprivate mutating func count(_ isDiscovery: Bool, _ change: (inout RunTiming.Requests) -> Void) {
        if isDiscovery { change(&now.discovery) } else { change(&now.requests) }
    }

    /// Takes the MTU of both sides: the lesser one holds.
    fileprivate mutating func negotiated(_ pdu: ATTPDU) {
        switch pdu {
        case .client(.request(.exchangeMTU(let request))): proposedMTU = request.clientRxMTU
        case .server(.response(.exchangeMTU(let response))):
            guard let proposed = proposedMTU.take() else { return }
            now.mtu = max(RunTiming.firstMTU, min(proposed, response.serverRxMTU))
        case .server(.error(let error)) where error.requestOpcode == .exchangeMTURequest: proposedMTU = nil
        default: break
        }
    }
}

extension ATTRequest {
    /// Whether the request finds attributes, or is the exchange of the MTU, rather than one for a value.
    fileprivate var isDiscovery: Bool {
        switch self {
        case .exchangeMTU, .findInformation, .findByTypeValue, .readByGroupType: true
        case .readByType(let request):
            // Included services, characteristics, and the hash that confirms what is known of them.
            [0x2802, 0x2803, 0x2B2A].contains(request.attributeType)
        default: false
        }
    }
}
