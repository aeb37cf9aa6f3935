// SPDX-License-Identifier: GPL-2.0-or-later

@testable import BluetoothHost

extension ATTConnection {
    /// All values that the device sends by itself, from now on.
    func values() -> BoundedQueue<ValueEvent> {
        let queue = BoundedQueue<ValueEvent>(limit: 64, overflow: .dropOldest)
        _ = observe(nil, ValueSink(received: { queue.push($0) }, ended: { queue.finish($0) }, room: nil))
        return queue
    }
}
