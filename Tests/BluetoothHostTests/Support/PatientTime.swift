// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// A real clock on which no deadline comes: a test on many threads may stand still for longer than any time limit of
/// the code under test, because other tests occupy the threads.
struct PatientTime: TimeSource {
    private let time = SystemTimeSource { WallTime(nanosecondsSince1970: 0) }

    var now: Instant { time.now }

    var wallClock: WallTime { time.wallClock }

    func sleep(until deadline: Instant) async throws(CancellationError) {
        // Until the task is cancelled.
        while true { try await time.sleep(for: .seconds(3_600)) }
    }
}
