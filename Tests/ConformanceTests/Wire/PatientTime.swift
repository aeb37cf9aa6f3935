// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A real clock on which no time limit of the code under test ends: a test may stand still for longer than a
/// transaction may take, because other tests occupy the threads. Pauses are real.
struct PatientTime: TimeSource {
    /// The shortest time limit. No pause is as long.
    private static let limit = Duration.seconds(20)

    private let time = SystemTimeSource.testing

    var now: Instant { time.now }

    var wallClock: WallTime { time.wallClock }

    func sleep(until deadline: Instant) async throws(CancellationError) {
        guard deadline - now >= Self.limit else { return try await time.sleep(until: deadline) }
        // Until the task is cancelled.
        while true { try await time.sleep(for: .seconds(3_600)) }
    }
}
