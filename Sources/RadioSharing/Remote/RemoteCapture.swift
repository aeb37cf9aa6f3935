// SPDX-License-Identifier: MIT

package import BluetoothHost

/// All packets of a process that shares its radio or a world, from now on: each a record of btsnoop with the datalink of
/// the Linux monitor. Throws a `RadioError` if the process cannot be reached.
package func remoteCapture(by connector: any RemoteConnector) throws(RadioError) -> any PacketChannel {
    try RemoteChannel(.capture, by: connector, during: "capture", lost: .closedByPeer(nil))
}
