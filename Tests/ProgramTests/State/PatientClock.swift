// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A clock of a writer that is patient: its pauses are real, and twenty times as long. On a busy machine or a slow
/// disk, many writers may need more than the half second after which one gives up.
struct PatientClock: TimeSource {
    var now: Instant { .zero }
    var wallClock: WallTime { WallTime(nanosecondsSince1970: 1_800_000_000_000_000_000) }

    func sleep(until deadline: Instant) async throws(CancellationError) {
        do { try await Task.sleep(for: .nanoseconds(20 * deadline.nanoseconds)) } catch { throw CancellationError() }
    }
}
