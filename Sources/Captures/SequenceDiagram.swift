// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

/// A sequence diagram: participants side by side, and the messages between them from top to bottom.
package struct SequenceDiagram: Equatable {
    package enum Style: Equatable {
        /// A request, a command, or the beginning or the end of a link.
        case request
        /// An answer without an error.
        case answer
        /// An answer that is an error, or a link that broke.
        case failure
        /// A value that was sent unasked.
        case update
    }

    /// An arrow between two participants, which are numbers from 0.
    package struct Arrow: Equatable {
        /// The participant at the beginning.
        package let source: Int
        /// The participant at the head.
        package let target: Int
        /// The message in words. It may contain text from the air, so it has to be escaped before printing.
        package let text: String
        package let style: Style
        /// The time since the beginning of the run or of the capture.
        package let elapsed: Duration
    }

    /// The maximum number of participants; messages between others are only counted.
    static let participantLimit = 9
    /// The maximum number of arrows; later ones are counted only.
    static let arrowLimit = 5_000

    /// A vertical line.
    private enum Lane: Hashable {
        /// This machine, with one of its adapters; `nil` if the adapter is not known.
        case host(ManagementIndex?)
        case device(BluetoothAddress)
        /// A device whose address is not known, by its connection.
        case connection(ManagementIndex?, ConnectionHandle?)
    }

    /// The participants from left to right; none before the first arrow.
    private var lanes: [Lane] = []
    private(set) var arrows: [Arrow] = []
    /// The number of arrows for which there was no room.
    private(set) var omittedCount = 0

    package init() {}

    /// The names of the participants, the host first: if it has several adapters, each is one. Names come over the air:
    /// not safe to print.
    var participants: [String] {
        let areSeveral = hosts.count > 1
        guard !lanes.isEmpty else { return [Self.host] }
        return lanes.map { lane in
            switch lane {
            case .host(let adapter): areSeveral ? adapter?.description ?? Self.host : Self.host
            case .device(let address): address.description
            case .connection(_, nil): "device"
            case .connection(let adapter, let connection?):
                ([areSeveral ? adapter?.description : nil, "connection \(connection)"]).compactMap(\.self)
                    .joined(separator: " ")
            }
        }
    }

    /// The name of the participant that is this machine.
    private static let host = "host"

    private var hosts: [Lane] { lanes.filter { if case .host = $0 { true } else { false } } }

    /// Adds the meaning of a packet; skips HCI commands and events that are not about a link.
    package mutating func add(_ event: CapturedEvent) {
        guard let (text, style, isFromDevice) = event.arrow else { return }
        renamePrivateLane(event)
        let other = event.device.map { Lane.device($0.address) } ?? .connection(event.adapter, event.connection)
        guard arrows.count < Self.arrowLimit, let host = participant(.host(event.adapter)),
            let device = participant(other)
        else {
            omittedCount += 1
            return
        }
        arrows.append(
            Arrow(
                source: isFromDevice ? device : host,
                target: isFromDevice ? host : device,
                text: text,
                style: style,
                elapsed: event.elapsed
            )
        )
    }

    /// Gives the lane of a private address the address that a later event has added, so that a device has one lane.
    private mutating func renamePrivateLane(_ event: CapturedEvent) {
        guard let device = event.device?.address, let privateAddress = event.privateAddress,
            !lanes.contains(.device(device)), let index = lanes.firstIndex(of: .device(privateAddress))
        else { return }
        lanes[index] = .device(device)
    }

    /// The number of a participant; `nil` for a new one beyond the limit.
    private mutating func participant(_ lane: Lane) -> Int? {
        if let index = lanes.firstIndex(of: lane) { return index }
        guard lanes.count < Self.participantLimit else { return nil }
        lanes.append(lane)
        return lanes.count - 1
    }

    /// The remark about omitted messages; `nil` if nothing is.
    var omission: String? { omittedCount == 0 ? nil : "\(count: omittedCount, "packet") more" }
}

extension CapturedEvent {
    /// The text of an arrow, its style, and whether it comes from the device; `nil` for a packet without an arrow.
    fileprivate var arrow: (text: String, SequenceDiagram.Style, isFromDevice: Bool)? {
        let isFromDevice = direction == .received
        switch content {
        case .att(let octets, let pdu):
            // Of a PDU whose end is missing, the opcode tells.
            let kind = missing == 0 ? nil : octets.first.flatMap { ATTCatalog.format(of: ATTOpcode($0))?.kind }
            return (text, pdu?.style ?? (octets.first == 0x01 ? nil : kind?.style) ?? .failure, isFromDevice)
        case .frame(let frame) where frame.isOfSecurityManager:
            return ("Security Manager \(text)", .request, isFromDevice)
        case .frame(let frame):
            let style: SequenceDiagram.Style = L2CAPText.isResponse(frame) ? .answer : .request
            return ("L2CAP \(text)", style, isFromDevice)
        case .hci(.event(let packet)): return packet.decoded.flatMap { linkArrow($0) }
        case .part(.tooLong), .part(.stray): return (text, .failure, isFromDevice)
        case .hci, .part, .management, .remark, .malformed: return nil
        }
    }

    /// The arrow of an event that begins or ends a link.
    private func linkArrow(_ event: HCIEvent) -> (text: String, SequenceDiagram.Style, isFromDevice: Bool)? {
        switch event {
        case .known(let complete as LEConnectionCompleteEvent): return arrow(of: complete)
        case .known(let complete as LEEnhancedConnectionCompleteEvent): return arrow(of: complete.connection)
        case .known(let complete as DisconnectionCompleteEvent):
            // The end of a link whose start is not in the capture, or whose end was drawn before.
            guard complete.status == .success, device != nil else { return nil }
            let isOwn = complete.reason == .connectionTerminatedByLocalHost
            let isOrderly = isOwn || complete.reason == .remoteUserTerminatedConnection
            let text = isOrderly ? "disconnect" : "link lost: \(complete.reason)"
            return (text, isOrderly ? .request : .failure, !isOwn)
        case .unknown(let packet):
            guard let link = ClassicLink(packet) else { return nil }
            guard link.status == .success else { return ("cannot connect: \(link.status)", .failure, false) }
            return ("connect", .request, false)
        default: return nil
        }
    }

    /// The arrow of a new link, from the side that has made it; `nil` for a repeated announcement.
    private func arrow(
        of complete: LEConnectionCompleteEvent
    ) -> (text: String, SequenceDiagram.Style, isFromDevice: Bool)? {
        guard complete.status == .success else {
            // An attempt that was cancelled is about no device.
            return device == nil ? nil : ("cannot connect: \(complete.status)", .failure, false)
        }
        return isRepeated ? nil : ("connect", .request, complete.role == .peripheral)
    }
}

extension ATTPDUKind {
    fileprivate var style: SequenceDiagram.Style {
        switch self {
        case .request, .command: .request
        case .confirmation, .response: .answer
        case .notification, .indication: .update
        }
    }
}

extension ATTPDU {
    /// How the PDU is drawn. Notifications and indications are updates, because no request precedes them.
    fileprivate var style: SequenceDiagram.Style {
        switch self {
        case .client(.confirmation): .answer
        case .client: .request
        case .server(.error): .failure
        case .server(.response): .answer
        case .server: .update
        }
    }
}
