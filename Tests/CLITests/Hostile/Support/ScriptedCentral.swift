// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A client that sends the packets of a test. It blocks, so scripts run on a thread of their own.
final class ScriptedCentral {
    /// The maximum time for an answer on a busy machine, in milliseconds.
    private static let timeout: Int32 = 120_000
    /// The longest single wait. The machine may stand still while one of them passes, but hardly while all do.
    private static let wait: Int32 = 500

    private let socket: PacketSocket

    private init(_ socket: PacketSocket) { self.socket = socket }

    /// Runs a script on its own thread, because threads of Swift's pool must not block.
    static func script<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Connects. Tries again for a while if the listener's queue is full.
    static func connected(to path: String) throws -> ScriptedCentral {
        for _ in 0..<120_000 {
            if let socket = try PacketSocket.connected(to: path) { return ScriptedCentral(socket) }
            usleep(1_000)
        }
        throw ScriptError("nobody lets us in")
    }

    /// Sends a PDU. Waits if there is no room.
    func send(_ pdu: [UInt8]) throws {
        for _ in 0...Self.timeout / Self.wait {
            switch socket.send(pdu) {
            case .sent: return
            case .gone: throw ScriptError("the connection is gone")
            case .noRoom: PacketSocket.wait([(socket, Int16(POLLOUT))], milliseconds: Self.wait)
            }
        }
        throw ScriptError("no room for \(pdu.count) octets")
    }

    /// Sends a PDU repeatedly. Returns whether the server ended the connection before the limit.
    func isGivenUp(after limit: Int, times pdu: [UInt8]) -> Bool {
        for _ in 0..<limit {
            switch socket.send(pdu) {
            case .sent: continue
            case .gone: return true
            case .noRoom: PacketSocket.wait([(socket, Int16(POLLOUT))], milliseconds: Self.wait)
            }
        }
        return false
    }

    /// The next PDU; `nil` if none arrives in time, or if the connection ends.
    func receive(milliseconds: Int32 = timeout) -> [UInt8]? {
        var left = milliseconds
        while true {
            switch socket.receive() {
            case .packet(let pdu): return pdu
            case .end: return nil
            case .nothing:
                // What has come during the last wait is looked at.
                guard left >= 0 else { return nil }
                PacketSocket.wait([(socket, Int16(POLLIN))], milliseconds: min(left, Self.wait))
                left = left > 0 ? max(0, left - Self.wait) : -1
            }
        }
    }

    /// Sends a request, and returns its answer. Skips notifications and indications.
    func ask(_ request: [UInt8]) throws -> [UInt8] {
        try send(request)
        while let pdu = receive() {
            if pdu.first == Opcode.indication { try send([Opcode.confirmation]) }
            if pdu.first != Opcode.notification, pdu.first != Opcode.indication { return pdu }
        }
        throw ScriptError("no answer to \(request)")
    }

    /// Exchanges the MTU. Returns the size that the server offers.
    @discardableResult
    func exchangeMTU(_ size: UInt16) throws -> UInt16 {
        let answer = try ask([Opcode.mtu, UInt8(size & 0xFF), UInt8(size >> 8)])
        guard answer.count == 3, answer[0] == 0x03 else { throw ScriptError("MTU answered by \(answer)") }
        return UInt16(answer[1]) | UInt16(answer[2]) << 8
    }
}

extension ScriptedCentral {
    /// The handle of the workbench's value of 512 octets, found by discovery.
    func handleOfLongValue() throws -> [UInt8] {
        let uuid: [UInt8] = [
            0x01, 0x00, 0xEC, 0xB1, 0xA1, 0x51, 0x0E, 0x9D, 0x3A, 0x4C, 0xC7, 0x5E, 0x01, 0x01, 0xEC, 0xB1,
        ]
        let answer = try ask([Opcode.readByType, 1, 0, 0xFF, 0xFF] + uuid)
        guard answer.count > 4, answer[0] == 0x09 else { throw ScriptError("no long value: \(answer)") }
        return Array(answer[2...3])
    }
}

/// The reason why a script cannot continue.
struct ScriptError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The real binary as a server for scripts.
struct ServedDevice: Sendable {
    let path: String
    let blectl: LiveBlectl

    /// Serves a built-in device while `body` runs. Afterwards an honest client must still be served, and SIGINT must
    /// end the server normally.
    static func serve(
        _ name: String,
        options: [String] = [],
        through wrapper: [String] = [],
        _ body: @escaping @Sendable (ServedDevice) async throws -> Void
    ) async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.appendingPathComponent("s").path
            try await LiveBlectl.start(["--radio", "unix:\(path)", "serve", name] + options, through: wrapper) {
                blectl in
                try await blectl.waits(for: "\n", on: \.stdout)
                let served = ServedDevice(path: path, blectl: blectl)
                try await body(served)
                try await ScriptedCentral.script { try Self.useHonestly(path) }
                blectl.child.signal(SIGINT)
                let run = try await blectl.end()
                #expect(run.status == -SIGINT, "\(run.stderr)")
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    /// Acts as an honest client: finds the first service, and reads the device's name. Tries again if it is
    /// disconnected, because the server may still be busy with clients that have left.
    static func useHonestly(_ path: String) throws {
        for _ in 0..<200 {
            let central = try ScriptedCentral.connected(to: path)
            guard (try? central.exchangeMTU(100)) != nil else {
                usleep(50_000)
                continue
            }
            let services = try central.ask([Opcode.readByGroupType, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
            guard services.starts(with: [0x11, 6, 1, 0]) else { throw ScriptError("services: \(services)") }
            let name = try central.ask([Opcode.read, 3, 0])
            guard name.first == 0x0B, name.count > 4 else { throw ScriptError("name: \(name)") }
            return
        }
        throw ScriptError("sent away again and again")
    }

    /// The resources that the server uses: open descriptors, and kilobytes of memory.
    func holdings() throws -> (descriptors: Int, kilobytes: Int) {
        let process = "/proc/\(blectl.child.identifier)"
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "\(process)/fd").count
        return (descriptors, try residentKilobytes(of: blectl.child.identifier))
    }

    /// The resources as soon as fewer descriptors than that are open. A busy server closes those of clients that have
    /// left a while later; one that keeps them never comes below.
    func holdings(withDescriptorsBelow limit: Int) async throws -> (descriptors: Int, kilobytes: Int) {
        var present = try holdings()
        for _ in 0..<1_200 where present.descriptors >= limit {
            try await Task.sleep(for: .milliseconds(50))
            present = try holdings()
        }
        return present
    }
}

/// The memory of a process, in kilobytes.
func residentKilobytes(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
}
