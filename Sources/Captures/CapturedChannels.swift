// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Toolkit

/// The channels of a connection that its signals open and close, and the bearers of ATT among them.
struct CapturedChannels {
    /// What a frame turns out to be.
    enum Content {
        case frame
        /// An ATT PDU of a bearer: 0 for that of the fixed channel.
        case att([UInt8], bearer: Int)
        /// A part of an ATT PDU; numbers of octets.
        case part(received: Int, total: Int)
        /// A frame with more octets than its unit; numbers of octets.
        case tooLong(received: Int, total: Int)
    }

    /// The maximum number of channel ends that are followed; beyond it, the oldest one is dropped.
    private static let limit = 64
    /// The longest unit whose octets are kept. No ATT PDU needs more.
    private static let unitLimit = 4_096

    /// Where a channel's frames in one direction go to.
    private struct End: Hashable {
        let direction: CapturedPacket.Direction
        /// The number at the side that receives them.
        let channel: L2CAPChannelID
    }

    fileprivate struct Channel {
        var known: CapturedChannel
        /// The number that both ends have, from 1.
        let bearer: Int
        /// The octets of a unit of ATT.
        var octets: [UInt8] = []
    }

    private struct Signal: Hashable {
        let direction: CapturedPacket.Direction
        let identifier: UInt8
    }

    /// The requests for channels without an answer. There is one at a time for each direction and identifier.
    private var requests: [Signal: CapturedSignal.Request] = [:]
    private var ends: [End: Channel] = [:]
    private var lastBearer = 0

    /// Whether a bearer of ATT may still be used.
    func isOpen(_ bearer: Int) -> Bool { bearer == 0 || ends.values.contains { $0.bearer == bearer } }

    /// Takes a frame, and follows the signals in it. Returns what it is, and its channel if signals have opened that.
    ///
    /// - Parameters:
    ///   - isCut: Whether only the beginning of the payload is there.
    mutating func take(
        _ frame: L2CAPFrame,
        _ direction: CapturedPacket.Direction,
        isCut: Bool
    ) -> (Content, CapturedChannel?) {
        if frame.channel == .att { return (.att(frame.payload, bearer: 0), nil) }
        if frame.isSignaling {
            if !isCut { follow(frame, direction) }
            return (.frame, nil)
        }
        let end = End(direction: direction, channel: frame.channel)
        guard var channel = ends[end] else { return (.frame, nil) }
        defer { ends[end] = channel }
        guard channel.known.isCreditBased else {
            return (channel.known.isOfATT ? .att(frame.payload, bearer: channel.bearer) : .frame, channel.known)
        }
        return isCut ? channel.takeCut(frame.payload) : channel.take(frame.payload, limit: Self.unitLimit)
    }

    // MARK: - Signals

    private mutating func follow(_ frame: L2CAPFrame, _ direction: CapturedPacket.Direction) {
        let other: CapturedPacket.Direction = direction == .sent ? .received : .sent
        for signal in (try? CapturedSignal.all(in: frame)) ?? [] {
            if let request = signal.request {
                requests[Signal(direction: direction, identifier: signal.identifier)] = request
            } else if let destinations = signal.destinations,
                let request = requests.removeValue(forKey: Signal(direction: other, identifier: signal.identifier))
            {
                for (source, destination) in zip(request.sources, destinations) where destination.rawValue != 0 {
                    // Frames go to the number that their receiver has chosen.
                    open(
                        request,
                        [End(direction: direction, channel: source), End(direction: other, channel: destination)]
                    )
                }
            } else if let ended = signal.ended {
                ends[End(direction: other, channel: ended.answering)] = nil
                ends[End(direction: direction, channel: ended.asking)] = nil
            }
        }
    }

    private mutating func open(_ request: CapturedSignal.Request, _ new: [End]) {
        lastBearer += 1
        for end in new {
            if ends[end] == nil, ends.count >= Self.limit,
                let oldest = ends.min(by: { $0.value.bearer < $1.value.bearer })?.key
            {
                ends[oldest] = nil
            }
            let known = CapturedChannel(
                number: end.channel,
                psm: request.psm,
                isCreditBased: request.isCreditBased
            )
            ends[end] = Channel(known: known, bearer: lastBearer)
        }
    }
}

extension CapturedChannels.Channel {
    /// Takes a frame of a credit-based channel: the first one of a unit begins with the unit's length.
    ///
    /// Spec: Core 5.4, Vol 3, Part A, 3.4
    fileprivate mutating func take(
        _ payload: [UInt8],
        limit: Int
    ) -> (CapturedChannels.Content, CapturedChannel) {
        var reader = ByteReader(payload)
        if known.unit == nil {
            guard let length = try? reader.uint16("L2CAP SDU Length") else { return (.frame, known) }
            known.unit = (0, Int(length))
            octets = []
        }
        guard var unit = known.unit else { return (.frame, known) }
        unit.received += reader.remaining
        if known.isOfATT, unit.total <= limit { octets += reader.rest() }
        // The channel keeps the state, and the result has that after the frame.
        var result = known
        result.unit = unit
        known.unit = unit.received < unit.total ? unit : nil
        guard known.isOfATT, unit.total <= limit else {
            // A unit with zeros in place of its contents, its length included, is not known any more.
            if unit.received > unit.total { result.unit = nil }
            return (.frame, result)
        }
        guard unit.received <= unit.total else {
            return (.tooLong(received: unit.received, total: unit.total), result)
        }
        return unit.received == unit.total
            ? (.att(octets, bearer: bearer), result) : (.part(received: unit.received, total: unit.total), result)
    }

    /// Takes a frame without its end. What follows of its unit cannot be put together.
    fileprivate mutating func takeCut(_ payload: [UInt8]) -> (CapturedChannels.Content, CapturedChannel) {
        let isFirst = known.unit == nil
        known.unit = nil
        guard known.isOfATT else { return (.frame, known) }
        guard isFirst else { return (.part(received: payload.count, total: payload.count), known) }
        return (.att(Array(payload.dropFirst(2)), bearer: bearer), known)
    }
}
