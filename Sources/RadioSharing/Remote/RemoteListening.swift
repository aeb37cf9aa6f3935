// SPDX-License-Identifier: MIT

package import BluetoothHost

/// The source of the connections that other processes open to this one.
package protocol RemoteListening: Sendable {
    /// The next connection, for one consumer. Throws the reason why no more can come.
    func accept() async throws(RadioError) -> any PacketChannel

    /// Whether other processes can still find it.
    var isReachable: Bool { get }

    /// Stops listening. Accepted connections stay open. A second call does nothing.
    func close()
}
