// SPDX-License-Identifier: MIT

extension PeripheralHost {
    /// How a device is served.
    public struct Configuration: Sendable {
        /// The maximum number of centrals that are connected at once: 1 or more, 8 by default.
        public var maximumCentrals: Int
        /// How long a link may exist before its ATT channel arrives. After that, another program has taken the channel.
        public var channelTimeout: Duration
        /// Whether to wait for another program that serves, for as long as it serves, if it takes turns with this one.
        public var waits: Bool
        /// The private addresses at which the device is, in place of the adapter's own; `nil` for none.
        public var privacy: PrivateAddresses?
        /// Checks the signatures of writes; without it, signed writes are ignored.
        package var signatures: BondSignatures?
        /// The bonds with centrals, which also store their subscriptions.
        package var bonds: ServedBonds?
        /// Whether centrals pair meanwhile, and their keys are added to `bonds` a moment after the link is encrypted.
        package var keepsBonds = false
        /// Keeps the subscriptions of bonded centrals from one run to the next; without it, they end with the run.
        package var memories: (any ClientMemories)?

        /// The usual limits.
        public init(maximumCentrals: Int = 8, channelTimeout: Duration = .seconds(5), waits: Bool = true) {
            self.maximumCentrals = max(1, maximumCentrals)
            self.channelTimeout = channelTimeout
            self.waits = waits
        }
    }
}
