// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// Enhanced bearers: they carry plain requests of clients while another one has the usual bearer. What changes the state of
// the device for all, such as a configuration or a prepared write, goes over the usual bearer only.

extension SharedBearer {
    /// The number of an enhanced bearer, from 1. Numbers are not used again.
    typealias LaneID = Int

    /// An enhanced bearer, and the request that waits for its answer.
    struct Lane: Sendable {
        var bearer: ATTBearer
        var job: (request: ATTRequest, client: ClientID)?
    }

    /// An enhanced bearer of the present link is open. Returns `nil` if it is of no use: clients know one MTU, and without
    /// a link it was of one that has ended.
    mutating func laneOpened(_ lane: LaneID, mtu: UInt16, now: Instant) -> [Action]? {
        guard bearer != nil, isMTUExchanged, mtu == self.mtu else { return nil }
        lanes[lane] = Lane(bearer: ATTBearer(enhancedMTU: mtu))
        return advance(now: now)
    }

    mutating func deviceSent(_ pdu: [UInt8], on lane: LaneID, now: Instant) -> [Action] {
        guard let effects = lanes[lane]?.bearer.pduReceived(pdu, now: now) else { return [] }
        return carryOut(effects, on: lane, after: pdu, now: now) + advance(now: now)
    }

    /// A bearer has ended. A request that changes nothing is made again; a client with another one gets an error.
    mutating func laneEnded(_ lane: LaneID, now: Instant) -> [Action] {
        guard let ended = lanes.removeValue(forKey: lane), let (request, client) = ended.job else { return [] }
        return lost(request, of: client) + advance(now: now)
    }

    mutating func lanesTimedOut(now: Instant) -> [Action] {
        lanes.keys.sorted().flatMap { lane in
            let effects = lanes[lane]?.bearer.timerFired(now: now) ?? []
            return carryOut(effects, on: lane, after: nil, now: now)
        }
    }

    /// Sends requests that wait over the bearers that have none.
    mutating func useLanes(now: Instant) -> [Action] {
        guard bearer?.isClosed == false else { return [] }
        var actions: [Action] = []
        for lane in lanes.keys.sorted() {
            guard let free = lanes[lane], free.job == nil, !free.bearer.isClosed else { continue }
            guard let (request, client) = takePlainRequest() else { return actions }
            lanes[lane]?.job = (request, client)
            let id = nextTransaction()
            let effects = lanes[lane]?.bearer.submit(request, id: id, now: now) ?? []
            actions += carryOut(effects, on: lane, after: nil, now: now)
        }
        return actions
    }

    private mutating func carryOut(
        _ effects: [ATTBearer.Action],
        on lane: LaneID,
        after pdu: [UInt8]?,
        now: Instant
    ) -> [Action] {
        var actions: [Action] = []
        for effect in effects {
            switch effect {
            case .send(let pdu): actions.append(.sendOnLane(pdu, lane))
            case .completed(_, let result):
                guard let (request, client) = lanes[lane]?.job else { continue }
                lanes[lane]?.job = nil
                switch result {
                case .success, .failure(.errorResponse), .failure(.invalidResponse):
                    if case .success(let response) = result { learn(from: response, to: .request(request, client)) }
                    actions += answered(request, of: client, result, pdu, now: now)
                case .failure(.tooLong):
                    // It came before the exchange of the MTU.
                    actions += answered(request, of: client, result, request.refused(.invalidPDU).encoded(), now: now)
                case .failure: actions += lost(request, of: client)
                }
            case .received(let value): if let pdu { actions += received(value, pdu, now: now) }
            case .close: actions.append(.closeLane(lane))
            case .report(let diagnostic): actions.append(.report(.device(diagnostic)))
            case .serve, .indicationConfirmed, .indicationFailed: break
            }
        }
        return actions
    }
}
