// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// Runs actors and everything that they start on this thread, in virtual time. If all tasks wait and nothing can wake
/// them, that is a finding: a waiter was forgotten.
func inVirtualTime(_ body: @escaping @Sendable (VirtualTime, TaskScope) async -> Void) {
    let time = VirtualTime { _ in check(false, "everybody waits, and nobody will come") }
    time.run { await withTaskScope { scope in await body(time, scope) } }
}

/// The input, from which every simulated peer takes its next step.
final class Play: Sendable {
    private let input: Mutex<FuzzInput>

    init(_ input: FuzzInput) { self.input = Mutex(input) }

    func octet() -> UInt8 { input.withLock { $0.octet() } }

    func step() -> FuzzInput.Step? { input.withLock { $0.step() } }
}
