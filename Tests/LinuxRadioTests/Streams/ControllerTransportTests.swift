// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc
import Testing

@testable import LinuxRadio

@Suite("Transports to controllers", .timeLimit(.minutes(1)))
struct ControllerTransportTests {
    private let time = SystemTimeSource.linux

    private func connect(to place: ControllerPlace) async throws -> any PacketChannel {
        let transport = ControllerTransport(to: place)
        return try await transport.connect(by: time.now + .seconds(10)) { body in body() }
    }

    @Test func `nobody is sent into the group of root`() {
        // Its group is that of root on every Linux.
        #expect(RadioError.AttachmentProblem.notPermitted(port: "/dev/null").remedy == "sudo chown \"$USER\" /dev/null")
        #expect(RadioError.AttachmentProblem.notPermitted(port: "/nowhere").remedy.contains("dialout"))
    }

    @Test func `TCP by name and by address, IPv4 and IPv6`() async throws {
        let listener = socket(AF_INET, BLECTL_SOCK_STREAM, 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let octets = withUnsafeBytes(of: &address) { Array($0) }
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
        }
        #expect(octets.count == 16 && listen(listener, 4) == 0)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        let port = UInt16(bigEndian: address.sin_port)
        for host in ["127.0.0.1", "localhost"] {
            let channel = try await connect(to: .tcp(host: host, port: port))
            let accepted = accept(listener, nil, nil)
            _ = write(accepted, [0x2A] as [UInt8], 1)
            #expect(try await channel.receive() == [0x2A])
            close(accepted)
            channel.close()
        }
    }

    @Test func `a serial port passes octets as they are, and its end is an error`() async throws {
        var (near, far): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        try #require(openpty(&far, &near, &name, nil, nil) == 0)
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let channel = try await connect(to: .serial(path: path, speed: 115_200, hasFlowControl: true))
        close(near)
        // What a terminal would change: the end of a line, the end of a file, an interruption.
        let octets: [UInt8] = [0x0A, 0x0D, 0x04, 0x03, 0x00, 0xFF, 0x11, 0x13]
        try channel.send(octets)
        var buffer = [UInt8](repeating: 0, count: octets.count)
        #expect(read(far, &buffer, buffer.count) == octets.count && buffer == octets)
        _ = write(far, octets, octets.count)
        #expect(try await channel.receive() == octets)
        close(far)
        await #expect(throws: RadioError.self) { try await channel.receive() }
        let error = await #expect(throws: RadioError.self) {
            _ = try await connect(to: .serial(path: path, speed: 77, hasFlowControl: false))
        }
        #expect(error?.reason == "serial ports have no speed of 77 bit/s" && error?.adapter == "serial:\(path),77")
    }

    @Test func `a serial port is for one program until that closes it, also if another keeps it open`() async throws {
        var (near, far): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        try #require(openpty(&far, &near, &name, nil, nil) == 0)
        defer {
            close(near)
            close(far)
        }
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let place = ControllerPlace.serial(path: path, speed: 115_200, hasFlowControl: false)
        let channel = try await connect(to: place)
        await #expect(throws: RadioError.self, "it is taken") { _ = try await connect(to: place) }
        channel.close()
        // The descriptor is closed by the thread that waits for it.
        let isFree = { flock(near, LOCK_EX | LOCK_NB) == 0 }
        while !isFree() { await Task.yield() }
        flock(near, LOCK_UN)
        try await connect(to: place).close()
    }

    @Test(
        arguments: [
            .tcp(host: "127.0.0.1", port: 1), .tcp(host: "::1", port: 1), .tcp(host: "no-such-host.invalid", port: 1),
            .unix(path: "/nonexistent/controller"), .unix(path: "/etc/passwd"),
            .serial(path: "/nonexistent", speed: 115_200, hasFlowControl: false),
            .serial(path: "/dev/null", speed: 115_200, hasFlowControl: false),
        ] as [ControllerPlace]
    )
    func `where no controller is, none is reached`(place: ControllerPlace) async {
        await #expect(throws: RadioError(.controllerUnreachable, during: place.name, on: place.name)) {
            _ = try await connect(to: place)
        }
    }
}
