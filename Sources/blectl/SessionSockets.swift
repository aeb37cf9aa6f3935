// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import LinuxRadio
import RadioSharing
import SimulatedRadio
import Toolkit

extension PacketSocket: RemoteConnector {}
extension PacketListener: RemoteListening {}

/// The sockets of sessions. Those of a world in virtual time are reached through its clock, with the path as the name of
/// the session's offer; the sockets themselves are then for processes in real time, which list and stop sessions.
struct SessionSockets: SessionSystem {
    /// The clock of the command's world; `nil` in real time.
    let clock: JoinedClock?

    func connector(at path: String) -> any RemoteConnector {
        clock.map { ClockedSession(clock: $0.member, socket: worldSocket(at: path), path: path) }
            ?? worldSocket(at: path)
    }

    func listen(at path: String) throws(RadioError) -> any RemoteListening {
        let listener = try worldSocket(at: path).listen()
        return clock.map { ClockedListener(listener, path, $0.member) } ?? listener
    }
}

/// A session in the same world in virtual time.
private struct ClockedSession: RemoteConnector {
    let clock: MemberClock
    let socket: PacketSocket
    let path: String

    func connect() throws(RadioError) -> any PacketChannel {
        // The socket of a process that was killed is found here.
        try socket.check()
        return try clock.open(path)
    }
}

/// The listener of a session in virtual time.
private struct ClockedListener: RemoteListening {
    private let listener: PacketListener
    private let path: String
    private let clock: MemberClock

    init(_ listener: PacketListener, _ path: String, _ clock: MemberClock) {
        self.listener = listener
        self.path = path
        self.clock = clock
        clock.offer(path) { channel in listener.add(channel) }
    }

    var isReachable: Bool { listener.isReachable }

    func accept() async throws(RadioError) -> any PacketChannel { try await listener.accept() }

    func close() {
        clock.withdraw(path)
        listener.close()
    }
}
