// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

/// Reads the records of a capture in their order: follows connections, assembles fragments, and matches answers to
/// requests.
package struct CaptureDecoder {
    /// The maximum number of connections that are followed at a time; beyond it, the least recently used one is
    /// dropped.
    static let connectionLimit = 256
    /// The maximum number of octets of a request that is kept until its answer. An attribute has at most 512.
    private static let requestLimit = 1_024

    private struct Key: Hashable {
        /// The adapter; `nil` in a capture of one.
        let adapter: ManagementIndex?
        let origin: CapturedOrigin
        /// The handle of the connection, which is unique on an adapter only.
        let connection: ConnectionHandle
    }

    /// A request or an indication without an answer.
    private struct Pending {
        /// The number of the request's packet.
        let number: Int
        let time: WallTime
        let answer: ATTOpcode
        /// The opcode of the request, which an Error Response repeats.
        let opcode: ATTOpcode
        /// The request itself; `nil` for an indication, for one that is cut off, and for one of a length that no
        /// attribute needs.
        let request: ATTRequest?
        /// The attribute that the request names first; `nil` for none.
        let handle: Handle?
    }

    private struct Side: Hashable {
        /// The number of the bearer: 0 for that of the fixed channel.
        let bearer: Int
        /// The direction of what this side sends.
        let direction: CapturedPacket.Direction

        var other: Side { Side(bearer: bearer, direction: direction == .sent ? .received : .sent) }
    }

    /// The state of one connection. In each pair, the second value belongs to the packets that the host receives.
    private struct Connection {
        /// The device at the other end; `nil` if the connection began before the capture.
        var device: DeviceAddress?
        /// The resolvable private address of the device; `nil` if no event has named it beside the other address.
        var privateAddress: BluetoothAddress?
        /// The role of the host; `nil` if the connection began before the capture.
        var role: LERole?
        /// The MTU of the bearer on the fixed channel, in octets: 23 until the exchange.
        var mtu = ATTBearer.minimumMTU
        /// Joins the fragments that the host has sent.
        var sent = L2CAPReassembler()
        var received = L2CAPReassembler()
        var channels = CapturedChannels()
        /// Whether the beginning of a frame was cut off, so that its other fragments belong to no frame.
        var isCut: [CapturedPacket.Direction: Bool] = [:]
        /// The PDUs that wait for an answer, by the side that has sent the request. An ATT bearer has one request and
        /// one indication at a time in each direction.
        var pending: [Side: (request: Pending?, indication: Pending?)] = [:]
        /// The number of the packet that has used the connection last.
        var lastUse = 0

        /// Whether an announcement of that device may be another one of this connection.
        func isAnnouncedAgain(as peer: DeviceAddress, _ privateAddress: BluetoothAddress?) -> Bool {
            guard let device else { return false }
            // The event may add the identity to the private address under which the connection began.
            return device == peer || (device.kind == .resolvable && device.address == privateAddress)
        }

        mutating func append(_ data: HCIACLPacket, _ direction: CapturedPacket.Direction) -> L2CAPReassembler.Result {
            let result = direction == .sent ? sent.append(data) : received.append(data)
            guard isCut[direction] == true else { return result }
            if result == .stray { return .part(received: data.data.count, total: nil) }
            isCut[direction] = nil
            return result
        }

        /// Gives up a frame of a direction, of which a part is not in the capture.
        mutating func cut(_ direction: CapturedPacket.Direction) {
            if direction == .sent { sent = L2CAPReassembler() } else { received = L2CAPReassembler() }
            isCut[direction] = true
        }

        /// What a frame is, as its channel says, and the bearer of ATT that it belongs to.
        mutating func content(
            of frame: L2CAPFrame,
            _ direction: CapturedPacket.Direction,
            isCut: Bool = false
        ) -> (CapturedEvent.Content, CapturedChannel?, bearer: Int) {
            defer { if frame.isSignaling { pending = pending.filter { channels.isOpen($0.key.bearer) } } }
            let (content, channel) = channels.take(frame, direction, isCut: isCut)
            switch content {
            case .att(let octets, let bearer):
                return (.att(octets, pdu: isCut ? nil : try? ATTPDU(decoding: octets)), channel, bearer)
            case .frame: return (.frame(frame), channel, 0)
            case .part(let received, let total): return (.part(.part(received: received, total: total)), channel, 0)
            case .tooLong(let received, let total):
                return (.part(.tooLong(received: received, total: total)), channel, 0)
            }
        }

        /// Notes the MTU that an exchange has agreed on.
        mutating func note(_ pdu: ATTPDU, _ answered: CapturedEvent.Answered?) {
            guard case .server(.response(.exchangeMTU(let response))) = pdu,
                case .exchangeMTU(let request)? = answered?.request
            else { return }
            // Both sides may exchange. Spec: Core 5.4, Vol 3, Part F, 3.4.2.2
            mtu = max(mtu, min(request.clientRxMTU, response.serverRxMTU))
        }

        func describe(_ event: inout CapturedEvent) {
            (event.device, event.privateAddress, event.role, event.mtu) = (device, privateAddress, role, mtu)
        }
    }

    private var connections: [Key: Connection] = [:]
    /// Which connections commands and events are about.
    private var links = CapturedLinks()
    private var count = 0
    private var start: WallTime?

    /// Whether the texts of the packets have no values, names and keys.
    private let isRedacted: Bool

    package init(isRedacted: Bool = false) { self.isRedacted = isRedacted }

    package mutating func event(_ record: CapturedRecord) -> CapturedEvent {
        count += record.count
        let time = record.time
        let first = start ?? time
        start = first
        // Their difference saturates, where that of two integers would trap.
        let elapsed = Instant(nanoseconds: time.nanoseconds) - Instant(nanoseconds: first.nanoseconds)
        let packet: CapturedPacket
        switch record.content {
        case .packet(let content): packet = content
        case .malformed(let error, let octets):
            packet = CapturedPacket(.other(0, octets), .received)
            return event(.malformed(error, octets), packet, time, elapsed, record)
        }
        switch packet.content {
        case .management(let content): return event(.management(content), packet, time, elapsed, record)
        case .note(let text): return event(.remark(text), packet, time, elapsed, record)
        case .adapter(let text): return event(.remark("adapter \(text)"), packet, time, elapsed, record)
        case .other(let kind, let octets):
            return event(.remark("record of kind \(kind) \(Hex.string(octets))"), packet, time, elapsed, record)
        case .hci(let octets):
            do throws(DecodeError) {
                let hci = try HCIPacket(decoding: octets)
                guard case .acl(let data) = hci, isOfLink(data, packet.adapter, record.origin) else {
                    var event = event(.hci(hci), packet, time, elapsed, record)
                    note(hci, &event)
                    return event
                }
                return follow(data, packet, time, elapsed, record)
            } catch {
                if let cut = CutACLPacket(octets, missing: record.missing),
                    isOfLink(cut.packet, packet.adapter, record.origin)
                {
                    return follow(cut, packet, time, elapsed, record)
                }
                // A packet that was cut off may have the beginning of a key.
                var event = event(.malformed(error, HCISecrets.zeroed(octets)), packet, time, elapsed, record)
                if record.missing > 0, let cut = CutHCIPacket.packet(octets) { attribute(cut, &event) }
                return event
            }
        }
    }

    /// An event with the contents of the record. The facts about its connection are added later.
    private func event(
        _ content: CapturedEvent.Content,
        _ packet: CapturedPacket,
        _ time: WallTime,
        _ elapsed: Duration,
        _ record: CapturedRecord
    ) -> CapturedEvent {
        var event = CapturedEvent(
            number: count,
            time: time,
            elapsed: elapsed,
            adapter: packet.adapter,
            direction: packet.direction,
            content: content,
            isRedacted: isRedacted,
            missing: record.missing
        )
        event.origin = record.origin
        event.isPacket = record.count > 0
        return event
    }

    // MARK: - Connections

    /// Whether data belong to a link, and are not the log of a controller.
    private func isOfLink(_ data: HCIACLPacket, _ adapter: ManagementIndex?, _ origin: CapturedOrigin) -> Bool {
        HCIPacket.isLink(data.connection)
            || connections[Key(adapter: adapter, origin: origin, connection: data.connection)] != nil
    }

    /// Notes what a packet says about connections, and which ones it is about.
    private mutating func note(_ packet: HCIPacket, _ event: inout CapturedEvent) {
        if packet.endsAllLinks {
            connections = connections.filter { $0.key.adapter != event.adapter || $0.key.origin != event.origin }
        }
        attribute(packet, &event)
        for pair in StreamLink.all(of: packet) {
            let link = connections[Key(adapter: event.adapter, origin: event.origin, connection: pair.link)]
            begin(pair.stream, with: link?.device, link?.privateAddress, role: link?.role, event)
        }
        if case .event(let content) = packet, content.isAboutLinks { note(content, &event) }
    }

    /// Adds the connection that a packet is about, or the devices of several.
    private mutating func attribute(_ packet: HCIPacket, _ event: inout CapturedEvent) {
        let found = links.connections(of: packet, on: event.adapter)
        let known = found.compactMap { connections[Key(adapter: event.adapter, origin: event.origin, connection: $0)] }
        if found.count > 1 {
            event.furtherDevices = known.flatMap { [$0.device?.address, $0.privateAddress].compactMap(\.self) }
        } else if let connection = found.first {
            event.connection = connection
            known.first?.describe(&event)
        }
    }

    /// Notes that a connection has begun or ended.
    private mutating func note(_ packet: HCIEventPacket, _ event: inout CapturedEvent) {
        switch packet.decoded {
        case .known(let complete as LEConnectionCompleteEvent): begin(complete, privateAddress: nil, &event)
        case .known(let complete as LEEnhancedConnectionCompleteEvent):
            begin(complete.connection, privateAddress: complete.privateAddress, &event)
        case .known(let complete as DisconnectionCompleteEvent):
            event.connection = complete.connection
            let key = Key(adapter: event.adapter, origin: event.origin, connection: complete.connection)
            guard let connection = connections[key] else { return }
            connection.describe(&event)
            if complete.status == .success { connections[key] = nil }
        case .unknown:
            guard let link = ClassicLink(packet) else { return }
            event.device = link.device
            guard link.status == .success else { return }
            event.connection = link.connection
            begin(link.connection, with: link.device, nil, role: nil, event)
        default: break
        }
    }

    /// Begins a connection. A controller may announce one twice, so the same device on the same handle goes on.
    private mutating func begin(
        _ complete: LEConnectionCompleteEvent,
        privateAddress: BluetoothAddress?,
        _ event: inout CapturedEvent
    ) {
        // An attempt that was cancelled has no device, and so no address.
        let device = complete.peer.address.rawValue == 0 ? nil : complete.peer
        (event.device, event.privateAddress) = (device, privateAddress)
        guard complete.status == .success else { return }
        event.connection = complete.connection
        event.role = complete.role
        let key = Key(adapter: event.adapter, origin: event.origin, connection: complete.connection)
        // A second announcement of the same connection does not begin another one.
        if var connection = connections[key], connection.isAnnouncedAgain(as: complete.peer, privateAddress) {
            connection.device = complete.peer
            connection.privateAddress = privateAddress ?? connection.privateAddress
            connections[key] = connection
            event.privateAddress = connection.privateAddress
            event.isRepeated = true
            return
        }
        begin(complete.connection, with: device, privateAddress, role: complete.role, event)
    }

    /// Begins a connection in the place of an older one with its handle.
    private mutating func begin(
        _ connection: ConnectionHandle,
        with device: DeviceAddress?,
        _ privateAddress: BluetoothAddress?,
        role: LERole?,
        _ event: CapturedEvent
    ) {
        let key = Key(adapter: event.adapter, origin: event.origin, connection: connection)
        makeRoom(for: key)
        connections[key] = Connection(device: device, privateAddress: privateAddress, role: role, lastUse: count)
    }

    /// Gives up the connection that was used longest ago, if a new one has no room.
    private mutating func makeRoom(for key: Key) {
        guard connections[key] == nil, connections.count >= Self.connectionLimit,
            let oldest = connections.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
        else { return }
        connections[oldest] = nil
    }

    // MARK: - Data

    /// Follows the data of a connection, which may have begun before the capture.
    private mutating func follow(
        _ data: HCIACLPacket,
        _ packet: CapturedPacket,
        _ time: WallTime,
        _ elapsed: Duration,
        _ record: CapturedRecord
    ) -> CapturedEvent {
        let key = Key(adapter: packet.adapter, origin: record.origin, connection: data.connection)
        makeRoom(for: key)
        // Taken out, so that a change does not copy what the dictionary would still hold.
        var connection = connections.removeValue(forKey: key) ?? Connection()
        connection.lastUse = count
        defer { connections[key] = connection }
        let result = connection.append(data, packet.direction)
        var (content, channel, bearer): (CapturedEvent.Content, CapturedChannel?, Int) = (.part(result), nil, 0)
        if case .frame(let frame) = result {
            (content, channel, bearer) = connection.content(of: frame, packet.direction)
        }
        var event = event(content, packet, time, elapsed, record)
        event.connection = data.connection
        event.channel = channel
        connection.describe(&event)
        if case .att(_, let pdu?) = content {
            event.answered = match(pdu, event, bearer, &connection)
            connection.note(pdu, event.answered)
            event.bearer = bearer
            // The MTU of another bearer is that of its channel, which is larger than most values.
            event.mtu = bearer == 0 ? connection.mtu : .max
        }
        return event
    }

    /// Shows what there is of a packet whose end is not in the capture.
    private mutating func follow(
        _ cut: CutACLPacket,
        _ packet: CapturedPacket,
        _ time: WallTime,
        _ elapsed: Duration,
        _ record: CapturedRecord
    ) -> CapturedEvent {
        let key = Key(adapter: packet.adapter, origin: record.origin, connection: cut.packet.connection)
        makeRoom(for: key)
        // Taken out, so that a change does not copy what the dictionary would still hold.
        var connection = connections.removeValue(forKey: key) ?? Connection()
        connection.lastUse = count
        defer { connections[key] = connection }
        connection.cut(packet.direction)
        var (content, channel, bearer): (CapturedEvent.Content, CapturedChannel?, Int) = (cut.content, nil, 0)
        if let frame = cut.frame {
            (content, channel, bearer) = connection.content(of: frame, packet.direction, isCut: true)
        }
        var event = event(content, packet, time, elapsed, record)
        event.missing = cut.missing
        event.connection = cut.packet.connection
        event.channel = channel
        connection.describe(&event)
        if case .att(let octets, _) = content { event.answered = match(cut: octets, event, bearer, &connection) }
        return event
    }

    /// Notes the beginning of a request or an indication, or finds the one that the beginning of a PDU answers.
    private func match(
        cut octets: [UInt8],
        _ event: CapturedEvent,
        _ bearer: Int,
        _ connection: inout Connection
    ) -> CapturedEvent.Answered? {
        let own = Side(bearer: bearer, direction: event.direction)
        guard let opcode = octets.first.map({ ATTOpcode($0) }) else { return nil }
        func pending(_ answer: ATTOpcode) -> Pending {
            Pending(
                number: event.number,
                time: event.time,
                answer: answer,
                opcode: opcode,
                request: nil,
                handle: event.handles.first
            )
        }
        switch ATTCatalog.format(of: opcode)?.kind {
        case .request(let answer): connection.pending[own, default: (nil, nil)].request = pending(answer)
        case .indication:
            connection.pending[own, default: (nil, nil)].indication = pending(.handleValueConfirmation)
        case .response:
            guard let request = connection.pending[own.other]?.request else { return nil }
            let asked = opcode == .errorResponse ? octets.dropFirst().first.map { ATTOpcode($0) } : nil
            guard request.answer == opcode || request.opcode == asked else { return nil }
            connection.pending[own.other]?.request = nil
            return Self.answered(request, event)
        default: break
        }
        return nil
    }

    private static func answered(_ pending: Pending, _ event: CapturedEvent) -> CapturedEvent.Answered {
        let delay = Instant(nanoseconds: event.time.nanoseconds) - Instant(nanoseconds: pending.time.nanoseconds)
        return CapturedEvent.Answered(
            number: pending.number,
            handle: pending.handle,
            request: pending.request,
            delay: delay
        )
    }

    /// Notes a request or an indication, or finds the one that the PDU answers.
    private func match(
        _ pdu: ATTPDU,
        _ event: CapturedEvent,
        _ bearer: Int,
        _ connection: inout Connection
    ) -> CapturedEvent.Answered? {
        let octetCount = if case .att(let octets, _) = event.content { octets.count } else { 0 }
        func pending(_ opcode: ATTOpcode, _ answer: ATTOpcode, _ request: ATTRequest? = nil) -> Pending {
            Pending(
                number: event.number,
                time: event.time,
                answer: answer,
                opcode: opcode,
                request: octetCount <= Self.requestLimit ? request : nil,
                handle: pdu.handles.first
            )
        }
        func answered(_ pending: Pending?) -> CapturedEvent.Answered? {
            pending.map { Self.answered($0, event) }
        }
        let own = Side(bearer: bearer, direction: event.direction)
        let other = own.other
        switch pdu {
        case .client(.request(let request)):
            connection.pending[own, default: (nil, nil)].request = pending(
                request.opcode,
                request.responseOpcode,
                request
            )
        case .server(.indication):
            connection.pending[own, default: (nil, nil)].indication =
                pending(.handleValueIndication, .handleValueConfirmation)
        case .client(.confirmation):
            defer { connection.pending[other]?.indication = nil }
            return answered(connection.pending[other]?.indication)
        case .server(.response(let response)):
            guard let request = connection.pending[other]?.request, request.answer == response.opcode else {
                return nil
            }
            connection.pending[other]?.request = nil
            return answered(request)
        case .server(.error(let error)):
            guard let request = connection.pending[other]?.request, request.opcode == error.requestOpcode else {
                return nil
            }
            connection.pending[other]?.request = nil
            return answered(request)
        case .client, .server: break
        }
        return nil
    }
}
