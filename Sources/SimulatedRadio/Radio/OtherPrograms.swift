// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The other programs of the simulated machine that have links when the world begins, and end soon after.
struct OtherPrograms: Sendable {
    private static let duration = Duration.seconds(3)

    /// The reason for which a connection fails while they run; `nil` if there are none.
    private let obstacle: RadioError.Cause?
    private let end: Instant

    init(_ traits: Set<AdapterTrait>, start: Instant) {
        obstacle = traits.contains(.full) ? .tooManyConnections : traits.contains(.held) ? .channelBusy(by: nil) : nil
        end = start + Self.duration
    }

    /// The error that keeps the adapter from another link; `nil` when the other programs have ended.
    func obstacle(now: Instant) -> RadioError.Cause? { now < end ? obstacle : nil }
}
