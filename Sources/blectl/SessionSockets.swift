// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import BluetoothHost
import LinuxRadio

struct SessionSockets: SessionSystem {
    /// The loop that waits for their packets; `nil` for a thread.
    var loop: EventLoop?

    private func socket(_ path: String) -> PacketSocket {
        PacketSocket(path: path, maximumLength: SimulatedPlace.maximumPacket, on: loop)
    }

    func connector(at path: String) -> any RemoteConnector { socket(path) }

    func listen(at path: String) throws(RadioError) -> any RemoteListening { try socket(path).listen() }

    func ask(at path: String, _ request: [UInt8], timeout: Duration) throws(RadioError) -> (
        answer: [UInt8], connection: any AskedSession
    ) {
        guard let loop else { throw RadioError(.unsupported, during: "session") }
        let asked = try socket(path).ask(request)
        return (try asked.receive(timeout: timeout), AskedConnection(socket: asked, loop: loop))
    }
}

/// A connection to a session that has answered.
private struct AskedConnection: AskedSession {
    let socket: AskedSocket
    let loop: EventLoop

    func takeChannel() throws(RadioError) -> any PacketChannel { try socket.channel(on: loop) }
}
