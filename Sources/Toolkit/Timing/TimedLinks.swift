// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Synchronization

/// The links of a run as its packets show them: their properties, and the operations that count the packets
/// (`--timing`).
///
/// A link may serve several operations one after the other, as in a script and in a shell. Therefore the link keeps the
/// negotiated properties, and the operation keeps the times.
package final class TimedLinks: Sendable {
    /// The properties of a link, as far as its packets show them.
    package struct Properties: Sendable {
        /// The ATT MTU; `nil` without a link for attributes.
        package var mtu: UInt16?
        /// The properties of the link, as far as they are known.
        package var state = LinkState()
        /// The security of the link; `nil` without one.
        package var security: LinkSecurity?
        /// Why properties are not known.
        package var unknown: [LinkReading.Property: LinkReading.Unknown] = [:]
        package var isConnected = false
    }

    fileprivate struct Link {
        /// The number of its ATT channel; `nil` when that has ended.
        var number: Int?
        var properties = Properties()
        var handle: ConnectionHandle?
        var adapter = ManagementIndex.none
        var isRead = false
        /// Whether this program has sent a request on it.
        var carriesAttributes = false
        /// The MTU in a request that has no response yet.
        var proposedMTU: UInt16?
    }

    fileprivate struct Pending {
        let start: Instant
        let isDiscovery: Bool
        /// The operations that the request counts for: also those whose end comes before the answer.
        let timings: [RunTiming]
    }

    /// The bearers of a link on which a request may wait.
    fileprivate struct PendingPlace: Hashable {
        /// The number of the ATT channel.
        let link: Int
        let isEnhanced: Bool
    }

    fileprivate struct State {
        var links: [DeviceAddress: Link] = [:]
        /// The requests without an answer.
        var pending: [PendingPlace: [Pending]] = [:]
        /// The events of the controllers about links, by adapter, because each controller numbers its links itself.
        var trackers: [ManagementIndex: LinkTracker] = [:]
        var timings: [RunTiming] = []
    }

    /// The ATT MTU of a new link.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 5.2.1
    fileprivate static let firstMTU: UInt16 = 23
    /// The maximum number of devices whose links are kept: more than any run has, because what a peer causes must be
    /// bounded.
    fileprivate static let linkLimit = 1_000

    private let state = Mutex(State())

    /// The links of a run that has none yet.
    package init() {}

    // MARK: - Operations

    /// An operation begins.
    ///
    /// - Parameters:
    ///   - scope: The links that count for it.
    ///   - device: The device whose link it uses, if that is known already.
    package func begin(_ scope: RunTiming.Scope, on device: DeviceAddress? = nil) -> RunTiming {
        let timing = RunTiming(on: self, scope)
        state.withLock { $0.timings.append(timing) }
        if let device { timing.uses(device) }
        return timing
    }

    package func wholeRun() -> RunTiming { begin(.all) }

    package func end(_ timing: RunTiming) { state.withLock { $0.timings.removeAll { $0 === timing } } }

    // MARK: - Properties

    package func isOpen(_ device: DeviceAddress) -> Bool { state.withLock { $0.links[device]?.number != nil } }

    /// Whether the properties of the link to a device were read since it was made.
    func isRead(_ device: DeviceAddress) -> Bool { state.withLock { $0.links[device]?.isRead ?? false } }

    package func properties(of device: DeviceAddress) -> Properties {
        state.withLock { state in
            guard let link = state.links[device] else { return Properties() }
            var properties = link.properties
            let heard = link.handle.flatMap { state.trackers[link.adapter]?.state(of: $0) } ?? LinkState()
            // An event after the reading is newer than it, and one before it says the same.
            properties.state = heard.completed(by: link.properties.state)
            return properties
        }
    }

    /// The properties of the link to a device were read.
    ///
    /// - Parameters:
    ///   - reading: The properties.
    ///   - handle: The handle of the link, if it has one.
    ///   - carriesAttributes: Whether the link has an ATT MTU for this program.
    package func read(
        _ reading: LinkReading,
        of device: DeviceAddress,
        _ handle: UInt16?,
        carriesAttributes: Bool = true
    ) {
        change(device) { link in
            link.isRead = true
            link.properties.isConnected = true
            // A link that is used only for channels has no MTU of attributes.
            if !carriesAttributes, !link.carriesAttributes { link.properties.mtu = nil }
            link.handle = handle.map { ConnectionHandle(rawValue: $0) } ?? link.handle
            link.properties.state = reading.state
            link.properties.unknown = reading.unknown
        }
    }

    package func secured(_ security: LinkSecurity, of device: DeviceAddress) {
        change(device) { $0.properties.security = security }
    }

    private func change(_ device: DeviceAddress, _ change: (inout Link) -> Void) {
        state.withLock { $0.change(device, change) }
        reportUse(of: device) { $0.used(device) }
    }

    /// Reports a use of the link to a device to the operations that count on it.
    private func reportUse(of device: DeviceAddress, _ body: (RunTiming) -> Void) {
        for timing in state.withLock({ $0.timings }) where timing.counts(on: device) { body(timing) }
    }

    // MARK: - Packets

    package var tap: PacketTap {
        { [self] packet in
            switch packet.channel {
            case .att(let device): attribute(packet.bytes, packet, device)
            case .bearer(let device):
                if let pdu = (try? L2CAPFrame(decoding: packet.bytes))?.unit { attribute(pdu, packet, device) }
            case .hci: controller(packet)
            case .management, .l2cap: break
            }
        }
    }

    package var linkTap: LinkTap {
        { [self] tapped in
            switch tapped.change {
            case .opened:
                change(tapped.device) { link in
                    // Another channel on a link does not change the properties of the link.
                    guard link.number == nil else { return }
                    link.number = tapped.number
                    link.carriesAttributes = false
                    link.isRead = false
                    link.properties.mtu = Self.firstMTU
                    link.proposedMTU = nil
                    link.handle = tapped.connectionHandle.map { ConnectionHandle(rawValue: $0) }
                    link.adapter = tapped.adapter
                }
            case .ended:
                state.withLock { state in
                    state.pending = state.pending.filter { $0.key.link != tapped.number }
                    guard state.links[tapped.device]?.number == tapped.number else { return }
                    // The properties stay, because the timing at the end of a command reports those that the link had.
                    state.links[tapped.device]?.number = nil
                    state.links[tapped.device]?.isRead = false
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

    private func attribute(_ octets: [UInt8], _ packet: TappedPacket, _ device: DeviceAddress) {
        guard let number = packet.link, let pdu = try? ATTPDU(decoding: octets) else { return }
        let place = PendingPlace(link: number, isEnhanced: packet.channel == .bearer(device))
        let isSent = packet.direction == .sent
        if pdu.isExchangeOfMTU { change(device) { $0.negotiated(pdu) } }
        switch pdu {
        // Requests of the device to this program do not count.
        case .client(.request(let request)) where isSent:
            // Filtered outside of the lock, because each operation has a lock of its own.
            let timings = state.withLock { $0.timings }.filter { $0.counts(on: device) }
            let pending = Pending(start: packet.instant, isDiscovery: request.isDiscovery, timings: timings)
            state.withLock { state in
                // A bearer has one request at a time, and a link may have several enhanced ones. Which of them an answer
                // is for makes no difference to the sum of their times.
                if !place.isEnhanced { state.pending[place] = [] }
                state.pending[place, default: []].append(pending)
                state.links[device]?.carriesAttributes = true
            }
            for timing in timings {
                timing.used(device)
                timing.count(isDiscovery: pending.isDiscovery) { $0.count += 1 }
            }
        case .server(.response) where !isSent, .server(.error) where !isSent:
            let first = state.withLock { state in
                state.pending[place]?.isEmpty == false ? state.pending[place]?.removeFirst() : nil
            }
            guard let pending = first else { return }
            for timing in pending.timings {
                timing.count(isDiscovery: pending.isDiscovery) { $0.duration += packet.instant - pending.start }
            }
        default: break
        }
    }
}

extension TimedLinks.State {
    fileprivate mutating func change(_ device: DeviceAddress, _ change: (inout TimedLinks.Link) -> Void) {
        guard links[device] != nil || links.count < TimedLinks.linkLimit else { return }
        change(&links[device, default: TimedLinks.Link()])
    }
}

extension TimedLinks.Link {
    /// Takes the MTU of both sides: the lesser one holds.
    fileprivate mutating func negotiated(_ pdu: ATTPDU) {
        switch pdu {
        case .client(.request(.exchangeMTU(let request))): proposedMTU = request.clientRxMTU
        case .server(.response(.exchangeMTU(let response))):
            // A device may send a response that nothing has asked for.
            guard let proposed = proposedMTU.take() else { return }
            // A side that names less than 23 still accepts 23.
            properties.mtu = max(TimedLinks.firstMTU, min(proposed, response.serverRxMTU))
        case .server(.error(let error)) where error.requestOpcode == .exchangeMTURequest: proposedMTU = nil
        default: break
        }
    }
}

extension ATTPDU {
    fileprivate var isExchangeOfMTU: Bool {
        switch self {
        case .client(.request(.exchangeMTU)), .server(.response(.exchangeMTU)): true
        case .server(.error(let error)): error.requestOpcode == .exchangeMTURequest
        default: false
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
