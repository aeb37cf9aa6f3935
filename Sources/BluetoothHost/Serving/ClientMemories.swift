// SPDX-License-Identifier: MIT

package import Bluetooth

/// Keeps what a served device remembers of bonded centrals from one run to the next.
package protocol ClientMemories: Sendable {
    /// The stored memories, by the identity addresses of the centrals. Throws if they cannot be read.
    func memories() throws -> [DeviceAddress: GATTServer.ClientMemory]

    /// Takes the memories to store. The next `save` stores them.
    func remember(_ memories: [DeviceAddress: GATTServer.ClientMemory])

    /// The number of subscriptions among what was remembered last that are not kept, because there is no room for them.
    var droppedCount: Int { get }

    /// Keeps what was remembered last. Throws if it cannot be written.
    func save() async throws
}
