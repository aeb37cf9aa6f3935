// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost

extension PacketSocket {
    /// Waits for the turn among the blectl programs of this machine that use the adapter of the process at the socket.
    ///
    /// - Parameters:
    ///   - adapter: The name of the adapter, for errors.
    ///   - deadline: The end of the wait. One in the past waits not at all.
    ///   - time: The clock of the deadline.
    ///   - onWait: Called with the holder, if known, and again when another program holds the turn.
    package func takeTurn(
        _ subject: TurnSubject,
        of adapter: String,
        by deadline: Instant,
        _ time: any TimeSource,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        // The names of turns are short, and a path may be long. Two paths may lead to one socket.
        guard let file = UnixSocket.FileIdentity(path) else {
            throw RadioError(.socket(path: path, .noFile), during: adapter)
        }
        let place = "socket \(file.device):\(file.inode)"
        let queue = TurnQueue(subject, at: place, of: adapter, on: try thread.get(), time)
        return try await queue.turn(by: deadline, onWait: onWait)
    }
}
