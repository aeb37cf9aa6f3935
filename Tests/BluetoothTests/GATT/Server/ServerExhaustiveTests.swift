// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT server: every opcode and every length")
struct ServerExhaustiveTests {
    private func makeBench(mtu: UInt16) throws -> ServerBench {
        var bench = ServerBench(try GATTDatabase(services: GATTDatabaseTests.services))
        bench.mtu[ServerBench.first] = mtu
        for handle in bench.server.database.attributes.map(\.handle) { bench.values[handle] = .success([1, 2, 3]) }
        return bench
    }

    /// Checks that a request gets its response or an error that names it, and that other PDUs get nothing.
    private func check(_ octets: [UInt8], _ bench: inout ServerBench, mtu: Int) -> Bool {
        guard let opcode = octets.first.map(ATTOpcode.init(rawValue:)) else { return bench.send(octets).isEmpty }
        let answer = bench.send(octets).map { Hex.bytes($0) ?? [] }
        let response: ATTOpcode?
        switch ATTCatalog.format(of: opcode)?.kind {
        case .request(let expected): response = expected
        case nil: response = opcode.isCommand ? nil : .errorResponse
        case .command, .confirmation, .response, .notification, .indication: response = nil
        }
        guard let response else { return answer.isEmpty }
        guard answer.count == 1, let first = answer[0].first, answer[0].count <= mtu else { return false }
        if first == ATTOpcode.errorResponse.rawValue { return answer[0].count == 5 && answer[0][1] == opcode.rawValue }
        return first == response.rawValue
    }

    @Test(
        "every opcode with every length from 0 to MTU + 1",
        arguments: [(23, 0x00), (23, 0x01), (23, 0x03), (23, 0xFF), (517, 0x01)] as [(UInt16, UInt8)]
    )
    func everyOpcodeAndLength(mtu: UInt16, filling: UInt8) throws {
        var bench = try makeBench(mtu: mtu)
        var wrong: [String] = []
        for opcode in UInt8.min...UInt8.max {
            var octets = [opcode]
            for _ in 0...mtu {
                if !check(octets, &bench, mtu: Int(mtu)) { wrong.append(Hex.string(octets)) }
                octets.append(filling)
            }
        }
        #expect(check([], &bench, mtu: Int(mtu)))
        #expect(wrong.isEmpty)
    }

    @Test("every PDU of two octets")
    func everyTwoOctets() throws {
        var bench = try makeBench(mtu: 23)
        var wrong: [String] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max where !check([first, second], &bench, mtu: 23) {
                wrong.append(Hex.string([first, second]))
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("every handle and offset of every request, and every pair of small handles")
    func everyHandle() throws {
        var bench = try makeBench(mtu: 23)
        var wrong: [String] = []
        for handle in Array(0...0x20) + [0xFF, 0x100, 0x101, 0xFFFE, 0xFFFF] as [UInt16] {
            let low = UInt8(truncatingIfNeeded: handle)
            let high = UInt8(truncatingIfNeeded: handle >> 8)
            var pdus: [[UInt8]] = [
                [0x0A, low, high], [0x12, low, high], [0x12, low, high, 1, 0], [0x52, low, high, 1, 0],
            ]
            for offset in [0, 1, 2, 3, 4, 0xFF] as [UInt8] {
                pdus.append([0x0C, low, high, offset, 0])
                pdus.append([0x0C, low, high, offset, 0xFF])
                pdus.append([0x16, low, high, offset, 0, 1])
                pdus.append([0x18, 1])
            }
            for other in 0...0x20 as ClosedRange<UInt8> {
                pdus.append([0x0E, low, high, other, 0])
                pdus.append([0x20, low, high, other, 0])
                pdus.append([0x04, low, high, other, 0])
                for type in 0...6 as ClosedRange<UInt8> {
                    pdus.append([0x06, low, high, other, 0, type, 0x28, 0x0F, 0x18])
                    pdus.append([0x08, low, high, other, 0, type, 0x28])
                    pdus.append([0x08, low, high, other, 0, type, 0x29])
                    pdus.append([0x10, low, high, other, 0, type, 0x28])
                }
            }
            for octets in pdus where !check(octets, &bench, mtu: 23) { wrong.append(Hex.string(octets)) }
        }
        #expect(wrong.isEmpty)
    }
}
