// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost

/// Reads the records of a capture in their order: follows connections, assembles fragments, and matches answers to
/// requests.
package struct CaptureDecoder {
    /// The maximum number of connections that are followed at a time; beyond it, the least recently used one is
    /// dropped.
    static let connectionLimit = 256

    private struct Key: Hashable {
        /// The adapter; `nil` in a capture of one.
        let adapter: ManagementIndex?
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
        let request: ATTOpcode
        /// The attribute that the request names first; `nil` for none.
        let handle: Handle?
    }

    /// The state of one connection. In each pair, the second value belongs to the packets that the host receives.
    private struct Connection {
        /// The device at the other end; `nil` if the connection began before the capture.
        var device: DeviceAddress?
        /// The resolvable private address of the device; `nil` if no event has named it beside the other address.
        var privateAddress: BluetoothAddress?
        /// The role of the host; `nil` if the connection began before the capture.
        var role: LERole?
        /// Joins the fragments that the host has sent.
        var sent = L2CAPReassembler()
        /// Joins the fragments that it has received.
        var received = L2CAPReassembler()
        /// The PDUs that wait for an answer, by the direction of the request. An ATT bearer has one request and one
        /// indication at a time in each direction.
        var pending: [CapturedPacket.Direction: (request: Pending?, indication: Pending?)] = [:]
        /// The number of the packet that has used the connection last.
        var lastUse = 0

        /// Whether an announcement of that device may be another one of this connection.
        func isAnnouncedAgain(as peer: DeviceAddress, _ privateAddress: BluetoothAddress?) -> Bool {
            guard let device else { return false }
            // The event may add the identity to the private address under which the connection began.
            return device == peer || (device.kind == .resolvable && device.address == privateAddress)
        }

        /// Adds the facts about the connection to an event.
        func describe(_ event: inout CapturedEvent) {
            (event.device, event.privateAddress, event.role) = (device, privateAddress, role)
        }
    }

    /// How the records are encapsulated.
    private let datalink: BTSnoopDatalink
    private var connections: [Key: Connection] = [:]
    private var count = 0
    /// The time of the first record.
    private var start: WallTime?

    /// Whether the texts of the packets have no values, names and keys.
    private let isRedacted: Bool

    package init(_ datalink: BTSnoopDatalink, isRedacted: Bool = false) {
        self.datalink = datalink
        self.isRedacted = isRedacted
    }

    package mutating func event(_ record: BTSnoopRecord) -> CapturedEvent {
        count += 1
        // A file may have any 64 bits as a time.
        let (nanoseconds, overflow) = record.timestamp.microsecondsSince1970.multipliedReportingOverflow(by: 1_000)
        let time = WallTime(
            nanosecondsSince1970: overflow ? (record.timestamp < .unixEpoch ? .min : .max) : nanoseconds
        )
        let first = start ?? time
        start = first
        // Their difference saturates, where that of two integers would trap.
        let elapsed = Instant(nanoseconds: time.nanoseconds) - Instant(nanoseconds: first.nanoseconds)
        let packet: CapturedPacket
        do throws(DecodeError) {
            packet = try CapturedPacket(record, of: datalink)
        } catch {
            packet = CapturedPacket(.other(UInt16(truncatingIfNeeded: record.flags), record.data), .received)
            return event(.malformed(error, record.data), packet, time, elapsed, record)
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
                guard case .acl(let data) = hci else {
                    var event = event(.hci(hci), packet, time, elapsed, record)
                    if case .event(let content) = hci { note(content, &event) }
                    return event
                }
                return follow(data, packet, time, elapsed, record)
            } catch {
                // A packet that was cut off may have the beginning of a key.
                return event(.malformed(error, HCISecrets.zeroed(octets)), packet, time, elapsed, record)
            }
        }
    }

    /// An event with the contents of the record. The facts about its connection are added later.
    private func event(
        _ content: CapturedEvent.Content,
        _ packet: CapturedPacket,
        _ time: WallTime,
        _ elapsed: Duration,
        _ record: BTSnoopRecord
    ) -> CapturedEvent {
        CapturedEvent(
            number: count,
            time: time,
            elapsed: elapsed,
            adapter: packet.adapter,
            direction: packet.direction,
            content: content,
            isRedacted: isRedacted,
            missing: record.missingLength
        )
    }

    // MARK: - Connections

    /// Notes that a connection has begun or ended.
    private mutating func note(_ packet: HCIEventPacket, _ event: inout CapturedEvent) {
        switch try? HCIEvent(packet) {
        case .known(let complete as LEConnectionCompleteEvent): begin(complete, privateAddress: nil, &event)
        case .known(let complete as LEEnhancedConnectionCompleteEvent):
            begin(complete.connection, privateAddress: complete.privateAddress, &event)
        case .known(let complete as DisconnectionCompleteEvent):
            event.connection = complete.connection
            let key = Key(adapter: event.adapter, connection: complete.connection)
            guard let connection = connections[key] else { return }
            connection.describe(&event)
            if complete.status == .success { connections[key] = nil }
        default: break
        }
    }

    /// Begins a connection. A controller may announce one twice, so the same device on the same handle goes on.
    private mutating func begin(
        _ complete: LEConnectionCompleteEvent,
        privateAddress: BluetoothAddress?,
        _ event: inout CapturedEvent
    ) {
        (event.device, event.privateAddress) = (complete.peer, privateAddress)
        guard complete.status == .success else { return }
        event.connection = complete.connection
        event.role = complete.role
        let key = Key(adapter: event.adapter, connection: complete.connection)
        // A second announcement of the same connection does not begin another one.
        if var connection = connections[key], connection.isAnnouncedAgain(as: complete.peer, privateAddress) {
            connection.device = complete.peer
            connection.privateAddress = privateAddress ?? connection.privateAddress
            connections[key] = connection
            event.privateAddress = connection.privateAddress
            event.isRepeated = true
            return
        }
        makeRoom(for: key)
        connections[key] = Connection(
            device: complete.peer,
            privateAddress: privateAddress,
            role: complete.role,
            lastUse: count
        )
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
        _ record: BTSnoopRecord
    ) -> CapturedEvent {
        let key = Key(adapter: packet.adapter, connection: data.connection)
        makeRoom(for: key)
        var connection = connections[key] ?? Connection()
        connection.lastUse = count
        defer { connections[key] = connection }
        let result = packet.direction == .sent ? connection.sent.append(data) : connection.received.append(data)
        let content: CapturedEvent.Content
        if case .frame(let frame) = result {
            content =
                frame.channel == .att
                ? .att(frame.payload, pdu: try? ATTPDU(decoding: frame.payload)) : .frame(frame)
        } else {
            content = .part(result)
        }
        var event = event(content, packet, time, elapsed, record)
        event.connection = data.connection
        connection.describe(&event)
        if case .att(_, let pdu?) = content { event.answered = match(pdu, event, &connection) }
        return event
    }

    /// Notes a request or an indication, or finds the one that the PDU answers.
    private func match(
        _ pdu: ATTPDU,
        _ event: CapturedEvent,
        _ connection: inout Connection
    ) -> CapturedEvent.Answered? {
        func pending(_ request: ATTOpcode, _ answer: ATTOpcode) -> Pending {
            Pending(number: event.number, time: event.time, answer: answer, request: request, handle: pdu.handles.first)
        }
        func answered(_ pending: Pending?) -> CapturedEvent.Answered? {
            pending.map {
                let delay = Instant(nanoseconds: event.time.nanoseconds) - Instant(nanoseconds: $0.time.nanoseconds)
                return CapturedEvent.Answered(number: $0.number, handle: $0.handle, delay: delay)
            }
        }
        let own = event.direction
        let other: CapturedPacket.Direction = own == .sent ? .received : .sent
        switch pdu {
        case .client(.request(let request)):
            connection.pending[own, default: (nil, nil)].request = pending(request.opcode, request.responseOpcode)
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
            guard let request = connection.pending[other]?.request, request.request == error.requestOpcode else {
                return nil
            }
            connection.pending[other]?.request = nil
            return answered(request)
        case .client, .server: break
        }
        return nil
    }
}
