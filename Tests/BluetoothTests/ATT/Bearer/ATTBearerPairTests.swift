// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Two bearers at the ends of one channel")
struct ATTBearerPairTests {
    /// Two bearers connected by a channel without losses, each of them client and server.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func twoOfThemUnderstandEachOther(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pair = BearerPair()
        for number in 0..<200 as Range<UInt64> {
            pair.submit(ATTTransactionID(rawValue: number), &generator)
            for _ in 0..<Int.random(in: 0...3, using: &generator) { pair.deliver(&generator) }
        }
        while pair.isBusy { pair.deliver(&generator) }
        #expect(pair.problems == [], "seed \(seed)")
        #expect(pair.submitted == pair.completed, "seed \(seed)")
        #expect(pair.bearers.map(\.mtu) == [185, 185], "seed \(seed)")
    }
}

/// Two bearers with a queue of PDUs in each direction.
private struct BearerPair {
    var bearers = [
        ATTBearer(maximumMTU: 185, server: .attached), ATTBearer(maximumMTU: 517, server: .attached),
    ]
    private(set) var submitted = 0
    private(set) var completed = 0
    private(set) var problems: [String] = []
    /// The PDUs on their way to each bearer.
    private var underWay: [[[UInt8]]] = [[], []]
    /// The requests that each server has not answered yet.
    private var toAnswer: [[ATTRequest]] = [[], []]

    var isBusy: Bool {
        problems.isEmpty && (underWay + [[], []] != [[], [], [], []] || !toAnswer.allSatisfy(\.isEmpty))
    }

    mutating func submit(_ id: ATTTransactionID, _ generator: inout SeededGenerator) {
        let side = Int.random(in: 0...1, using: &generator)
        submitted += 1
        switch Int.random(in: 0..<4, using: &generator) {
        case 0 where id.rawValue < 20:
            carryOut(bearers[side].submit(.offeringMTU(bearers[side].maximumMTU), id: id, now: .zero), on: side)
        case 0, 1: carryOut(bearers[side].submit(.reading(Handle(UInt16(id.rawValue))), id: id, now: .zero), on: side)
        case 2: carryOut(bearers[side].submit(.writing(0x0001, [1, 2]), id: id, now: .zero), on: side)
        default:
            let indication = HandleValueIndication(handle: 0x0001, value: [7])
            carryOut(bearers[side].submitIndication(indication, id: id, now: .zero), on: side)
        }
    }

    mutating func deliver(_ generator: inout SeededGenerator) {
        let side = Int.random(in: 0...1, using: &generator)
        if Bool.random(using: &generator), !toAnswer[side].isEmpty {
            let request = toAnswer[side].removeFirst()
            let answer: ATTAnswer =
                switch request {
                case .read(let read): .success(.read(ReadResponse(value: read.handle.encoded())))
                case .write: .success(.write(WriteResponse()))
                default: .failure(request.refused(.requestNotSupported))
                }
            carryOut(bearers[side].respond(answer), on: side)
        } else if !underWay[side].isEmpty {
            carryOut(bearers[side].pduReceived(underWay[side].removeFirst(), now: .zero), on: side)
        }
    }

    private mutating func carryOut(_ actions: [ATTBearer.Action], on side: Int) {
        for action in actions {
            switch action {
            case .send(let bytes): underWay[1 - side].append(bytes)
            case .completed(let id, .success(let response)):
                completed += 1
                if case .read(let read) = response, read.value != Handle(UInt16(id.rawValue)).encoded() {
                    problems.append("\(id.rawValue) got the answer to another request: \(response)")
                }
            case .completed(_, .failure(.mtuAlreadyExchanged)), .indicationConfirmed: completed += 1
            case .serve(.request(let request)): toAnswer[side].append(request)
            case .received(.indication): break
            default: problems.append("\(action)")
            }
        }
    }
}
