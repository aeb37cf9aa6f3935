// SPDX-License-Identifier: MIT

package import Bluetooth

/// Stores the memories of bonded centrals from one run of a served device to the next.
package protocol ClientMemories: Sendable {
    /// The stored memories, by the identity addresses of the centrals. Throws if they cannot be read.
    func memories() throws -> [DeviceAddress: GATTServer.ClientState]

    /// Takes the memories to store. The next `save` stores them.
    func remember(_ memories: [DeviceAddress: GATTServer.ClientState])

    /// The number of subscriptions in the latest memories that were not stored, because there is no room for them.
    var droppedCount: Int { get }

    /// Stores the latest memories. Throws if they cannot be written.
    func save() async throws
}
