// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// Hostile clients against the real server. Each test ends with an honest client that must be served, and with SIGINT.
@Suite("Hostile centrals", .startsPrograms(isLong: true))
struct HostileCentralTests {
    /// The maximum growth of a server, in kilobytes.
    private static let growth = 40_000

    @Test func `all opcodes at many lengths, and the server still answers`() async throws {
        try await ServedDevice.serve("pulse-strap") { served in
            try await ScriptedCentral.script {
                for opcode in UInt8.min...UInt8.max {
                    // A new link for each PDU, so that earlier ones have no influence.
                    let central = try ScriptedCentral.connected(to: served.path)
                    for length in [1, 2, 3, 4, 5, 6, 7, 9, 15, 22, 23, 24, 64, 248, 517] {
                        let octets = (1..<max(2, length)).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
                        try central.send([opcode] + octets.prefix(length - 1))
                        try central.send([])
                        var answers: [[UInt8]] = []
                        var answer = try central.ask([Opcode.read, 3, 0])
                        while !answer.starts(with: Array("\u{0B}Pulse".utf8)) {
                            answers.append(answer)
                            guard let next = central.receive() else { throw ScriptError("silent after \(opcode)") }
                            answer = next
                        }
                        let isRequest = opcode & 0x40 == 0 && !Self.isNoRequest.contains(opcode)
                        // The server is a client as well, so it confirms an indication.
                        let isAnswered = opcode == Opcode.indication ? answers == [[0x1E]] : answers.isEmpty
                        guard isRequest ? answers.count == 1 : isAnswered else {
                            throw ScriptError("\(opcode) with \(length) octets: \(answers)")
                        }
                    }
                }
            }
        }
    }

    /// The opcodes of PDUs from servers, and of the confirmation. None of them is answered.
    private static let isNoRequest: Set<UInt8> = [
        0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x1E, 0x21, 0x23,
    ]

    @Test func `pipelined requests get answers in order, or none`() async throws {
        try await ServedDevice.serve("workbench") { served in
            try await ScriptedCentral.script {
                let central = try ScriptedCentral.connected(to: served.path)
                for _ in 0..<200 {
                    try central.send([Opcode.read, 3, 0])
                    try central.send([Opcode.read, 5, 0])
                }
                var answers: [[UInt8]] = []
                // The first one, or the end of the link, is waited for as long as a busy machine takes.
                if let first = central.receive() {
                    answers.append(first)
                    while let answer = central.receive(milliseconds: 500) { answers.append(answer) }
                }
                guard (1...400).contains(answers.count), answers[0].count > 3 else {
                    throw ScriptError("\(answers.count) answers, the first is \(answers.first ?? [])")
                }
                // The server may have ended the link because of it; another one must work.
                try ServedDevice.useHonestly(served.path)
            }
        }
    }

    @Test func `no answer is longer than the MTU, whatever sizes were offered`() async throws {
        try await ServedDevice.serve("workbench") { served in
            try await ScriptedCentral.script {
                for sizes in [[0], [22], [23], [0, 517], [517, 23], [517], [65535], [65535, 0]] as [[UInt16]] {
                    let central = try ScriptedCentral.connected(to: served.path)
                    var server: UInt16 = 0
                    for size in sizes { server = try central.exchangeMTU(size) }
                    let least = max(23, min(server, sizes.map { max(23, $0) }.min() ?? 23))
                    let most = max(23, min(server, sizes.map { max(23, $0) }.max() ?? 23))
                    let list = try central.ask([Opcode.readByGroupType, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
                    let value = try central.ask([Opcode.read] + (try central.handleOfLongValue()))
                    guard list.count <= most, (least...most).contains(UInt16(value.count)) else {
                        throw ScriptError("MTU \(sizes): a list of \(list.count) and a value of \(value.count) octets")
                    }
                }
            }
        }
    }

    @Test func `reads of several attributes, and reads beyond the end`() async throws {
        try await ServedDevice.serve("workbench") { served in
            try await ScriptedCentral.script {
                let central = try ScriptedCentral.connected(to: served.path)
                let size = Int(try central.exchangeMTU(517))
                let long = try central.handleOfLongValue()
                for opcode in [0x0E, 0x20] as [UInt8] {
                    for octets in [0, 1, 2, 3, 5] {
                        let answer = try central.ask([opcode] + [3, 0, 3, 0, 3, 0].prefix(octets))
                        guard answer == [1, opcode, 0, 0, 4] else { throw ScriptError("\(octets): \(answer)") }
                    }
                    for count in [2, 3, 100, 122] {
                        for handle in [[3, 0], long] {
                            let answer = try central.ask(
                                [opcode] + Array(repeating: handle, count: count).flatMap { $0 }
                            )
                            guard answer[0] == opcode + 1, answer.count <= size else {
                                throw ScriptError("\(count) values: \(answer.count) octets of \(answer[0])")
                            }
                        }
                    }
                }
                for (offset, answer) in [(511, [0x0D, 0xFE]), (512, [0x0D]), (513, nil), (65535, nil)]
                    as [(Int, [UInt8]?)]
                {
                    let blob = try central.ask([Opcode.readBlob] + long + [UInt8(offset & 0xFF), UInt8(offset >> 8)])
                    let expected = answer ?? [1, Opcode.readBlob] + long + [7]
                    guard blob == expected else { throw ScriptError("blob at \(offset): \(blob)") }
                }
            }
        }
    }

    @Test func `prepared writes are bounded for each client, and end with it`() async throws {
        try await ServedDevice.serve("workbench") { served in
            let before = try served.holdings()
            try await ScriptedCentral.script {
                for round in 0..<1_000 {
                    let central = try ScriptedCentral.connected(to: served.path)
                    try central.exchangeMTU(247)
                    let long = try central.handleOfLongValue()
                    var refusal: [UInt8] = []
                    // Contiguous parts up to the end of 16 bits and beyond, or all parts at the same offset.
                    for number in 0..<(round < 3 ? 400 : 20) where refusal.isEmpty {
                        let offset = round % 2 == 0 ? UInt16(truncatingIfNeeded: number * 200) : 0
                        let part = [UInt8](repeating: 0x77, count: 200)
                        let head = [Opcode.prepareWrite] + long + [UInt8(offset & 0xFF), UInt8(offset >> 8)]
                        let answer = try central.ask(head + part)
                        if answer.first == 1 { refusal = answer }
                        guard answer.first == 0x17 || answer.last == 0x09 else { throw ScriptError("\(answer)") }
                    }
                    guard round >= 3 || refusal.last == 0x09 else { throw ScriptError("took 400 parts") }
                    guard round < 3 else { continue }
                    _ = try central.ask([Opcode.executeWrite, 1])
                    for (flags, answer) in [(1, [0x19]), (0, [0x19]), (2, nil), (0xFF, nil)] as [(UInt8, [UInt8]?)] {
                        let executed = try central.ask([Opcode.executeWrite, flags])
                        guard executed == answer ?? [1, Opcode.executeWrite, 0, 0, 4] else {
                            throw ScriptError("flags \(flags): \(executed)")
                        }
                    }
                }
            }
            let after = try served.holdings()
            #expect(after.kilobytes - before.kilobytes < Self.growth, "\(before) \(after)")
        }
    }

    @Test func `forbidden writes are refused, and odd ones answered`() async throws {
        try await ServedDevice.serve("pulse-strap") { served in
            try await ScriptedCentral.script {
                let central = try ScriptedCentral.connected(to: served.path)
                for handle in [0x0001, 0x0002, 0x0003] as [UInt8] {
                    let answer = try central.ask([Opcode.write, handle, 0, 0xFF])
                    guard answer == [1, Opcode.write, handle, 0, 3] else { throw ScriptError("written: \(answer)") }
                }
                // Each Client Characteristic Configuration, with all bits set, and with undefined bits.
                let list = try central.ask([Opcode.readByType, 1, 0, 0xFF, 0xFF, 0x02, 0x29])
                guard list.count > 4, list[0] == 0x09 else { throw ScriptError("no configuration: \(list)") }
                for value in [[3, 0], [0xFF, 0xFF], [], [1], [1, 0, 0], [0, 0]] as [[UInt8]] {
                    let answer = try central.ask([Opcode.write] + list[2...3] + value)
                    guard answer == [0x13] || answer.first == 1 else { throw ScriptError("\(value): \(answer)") }
                }
                try central.send([Opcode.confirmation])
                try central.send([0xD2, 3, 0] + [UInt8](repeating: 0xA5, count: 20))
                guard try central.ask([Opcode.read, 1, 0]) == [0x0B, 0x00, 0x18] else { throw ScriptError("lost") }
            }
        }
    }
}
