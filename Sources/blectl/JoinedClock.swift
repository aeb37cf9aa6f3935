// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Glibc
import LinuxRadio
import RadioSharing
import SimulatedRadio

/// The clock of a world in virtual time that another process keeps alive, and the way to that process.
struct JoinedClock: ClosableConnector {
    let time: VirtualTime
    let member: MemberClock
    private let socket: PacketSocket

    /// Joins the clock of the world at the path, in the calling thread; `nil` if the world is in real time, or cannot be
    /// reached: the command says so when it joins the world.
    init?(ofWorldAt path: String) {
        socket = worldSocket(at: path)
        let request = RemoteRequest.clock(process: UInt32(getpid()))
        guard let (answer, channel) = try? socket.connect(asking: request.encoded(), within: 5_000) else { return nil }
        guard let now = Self.moment(in: answer) else {
            channel.close()
            return nil
        }
        time = VirtualTime(at: now)
        member = MemberClock(joining: ClockLink(channel), time: time)
    }

    /// The first packet to a process that joins a clock.
    static func greeting(at now: Instant) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint64(UInt64(clamping: now.nanoseconds))
        return RemotePacket.data(writer.bytes).encoded()
    }

    private static func moment(in answer: [UInt8]) -> Instant? {
        guard case .data(let bytes)? = try? RemotePacket(decoding: answer) else { return nil }
        var reader = ByteReader(bytes)
        return (try? reader.uint64("Now")).map { Instant(nanoseconds: Int64(clamping: $0)) }
    }

    func connect() throws(RadioError) -> any PacketChannel { try member.open() }

    func shutDown() { socket.shutDown() }
}
