// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import Bluetooth

/// A server that answers correctly at first, and then at random.
private struct HostileServer {
    var generator: SeededGenerator
    var bench: ServerBench

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        bench = ServerBench(try GATTDatabase(services: GATTDatabaseTests.services))
        for attribute in bench.server.database.attributes { bench.values[attribute.handle] = .success([1, 2, 3]) }
    }

    /// A correct answer with some octets changed, cut or added. A malformed one counts as none, as in a bearer.
    mutating func answer(_ request: ATTRequest) -> ATTAnswer {
        while true {
            var octets = bench.send(request.encoded()).first.flatMap { Hex.bytes($0) } ?? []
            if Bool.random(using: &generator), octets.first == ATTOpcode.errorResponse.rawValue {
                octets = [request.responseOpcode.rawValue]
                octets += (0..<Int.random(in: 0...22, using: &generator)).map { _ in
                    UInt8.random(in: 0...3, using: &generator)
                }
            }
            for _ in 0..<Int.random(in: 0...2, using: &generator) where octets.count > 1 {
                let index = Int.random(in: 1..<octets.count, using: &generator)
                octets[index] = UInt8.random(in: 0...255, using: &generator)
            }
            if Int.random(in: 0..<8, using: &generator) == 0 { octets.removeLast(min(octets.count, 3)) }
            if Int.random(in: 0..<8, using: &generator) == 0 { octets += [0, 1, 2] }
            if let answer = try? ProcedureScript.answer(octets) { return answer }
        }
    }
}

@Suite("Procedures against a server that answers as it likes")
struct HostileServerTests {
    /// Runs a procedure to its end, and returns the number of its requests.
    private func requests<Procedure: GATTProcedure>(_ procedure: Procedure, _ server: inout HostileServer) -> Int {
        var procedure = procedure
        var step = procedure.start(mtu: 23)
        var count = 0
        while case .send(let request) = step, count <= 0x20000 {
            count += 1
            step = procedure.received(server.answer(request), mtu: 23)
        }
        return count
    }

    @Test("every procedure comes to an end, without a trap and within its bounds", arguments: 0..<64 as Range<UInt64>)
    func ends(seed: UInt64) throws {
        var server = try HostileServer(seed: seed)
        let long = [UInt8](repeating: 1, count: 100)
        let counts = [
            requests(MTUExchange(offering: 517), &server),
            requests(DiscoverServices(), &server),
            requests(DiscoverServices(primary: false), &server),
            requests(DiscoverServicesByUUID(0x180D), &server),
            requests(DiscoverIncludedServices(in: HandleRange(0x0E, 0x17)), &server),
            requests(DiscoverCharacteristics(in: HandleRange(0x0E, 0x17)), &server),
            requests(DiscoverDescriptors(in: HandleRange(0x13, 0x17)), &server),
            requests(ReadValue(0x0003), &server),
            requests(ReadByUUID(0x2A00, .all), &server),
            requests(ReadLongValue(0x0003), &server),
            requests(ReadMultipleValues([3, 5]), &server),
            requests(ReadVariableValues([3, 5]), &server),
            requests(WriteValue([1], to: 0x000B), &server),
            requests(WriteLongValue(long, to: 0x0016), &server),
            requests(ReliableWrite([HandleValue(0x0016, [1]), HandleValue(0x000B, [1])]), &server),
        ]
        #expect(counts.allSatisfy { $0 >= 1 && $0 <= 0x10000 }, "seed \(seed): \(counts)")
    }
}
