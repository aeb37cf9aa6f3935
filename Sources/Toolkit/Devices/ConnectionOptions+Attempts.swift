// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// The texts and limits that attempts to connect share, for attributes and for channels.
extension ConnectionOptions {
    /// How often, and after which pauses, a failed attempt is repeated.
    var retryPolicy: RetryPolicy { RetryPolicy(retries: retries, retriesTimeouts: retriesTimeouts) }

    /// How long another program that has the device is waited for.
    var waits: Duration { waitsForOthers ? timeout : .zero }

    func retryNote(_ attempt: Int, _ why: String, after pause: Duration) -> String {
        "attempt \(attempt) of \(retries + 1): \(why); trying again in \(pause)"
    }

    /// The message that the command waits, because another program has the device.
    func waitNote(_ error: RadioError, _ device: DeviceReference) -> String {
        "waiting for \(device.text): \(error.reason)"
    }
}
