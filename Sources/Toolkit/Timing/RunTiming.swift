// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import Synchronization

/// The times of one operation, and the negotiated properties of its link (`--timing`). The operation is a command, a
/// step of a script, or a line of a shell.
///
/// From its beginning to its end the links of the run count their packets for it, so that the requests of every
/// procedure are counted.
package final class RunTiming: Sendable {
    /// The links that an operation counts on.
    package enum Scope: Sendable {
        /// All links of the run, because no other operation runs at the same time.
        case all
        /// Those that the operation has used, because other operations may run at the same time.
        case used
    }

    package struct Requests: Sendable, Equatable {
        package var count = 0
        /// The sum of the times from each request to its answer.
        package var duration = Duration.zero
    }

    package struct Snapshot: Sendable {
        /// The time of the scan; `nil` if there was none.
        package var scan: Duration?
        /// The time until the link could be used, or until the attempt was abandoned; `nil` if none was made.
        package var connect: Duration?
        package var attempts = 0
        /// The requests by which attributes are found, and the exchange of the MTU.
        package var discovery = Requests()
        package var requests = Requests()
        package var link = TimedLinks.Properties()
    }

    private struct State {
        var scan: Duration?
        /// A scan that runs: the clock, and when it began.
        var runningScan: (time: any TimeSource, start: Instant)?
        var connect: Duration?
        var attempts = 0
        var discovery = Requests()
        var requests = Requests()
        /// The devices whose links the operation has used.
        var devices: Set<DeviceAddress> = []
        /// The device of the link that was used last.
        var device: DeviceAddress?
    }

    package let links: TimedLinks
    private let scope: Scope
    private let state = Mutex(State())

    package init(on links: TimedLinks, _ scope: Scope) {
        self.links = links
        self.scope = scope
    }

    package var snapshot: Snapshot {
        // A copy, so that this lock is free while the links take theirs.
        let now = state.withLock { $0 }
        var scan = now.scan
        if let running = now.runningScan { scan = (scan ?? .zero) + (running.time.now - running.start) }
        return Snapshot(
            scan: scan,
            connect: now.connect,
            attempts: now.attempts,
            discovery: now.discovery,
            requests: now.requests,
            link: now.device.map { links.properties(of: $0) } ?? TimedLinks.Properties()
        )
    }

    /// The operation has ended: nothing more counts for it.
    package func end() { links.end(self) }

    func scanned(for duration: Duration) {
        state.withLock { $0.scan = ($0.scan ?? .zero) + duration }
    }

    /// Counts the time of a scan while it runs, so that each result shows how long its device took to be heard.
    package func scanning<Value>(_ time: any TimeSource, _ body: () async throws -> Value) async rethrows -> Value {
        let start = time.now
        state.withLock { $0.runningScan = (time, start) }
        defer {
            state.withLock { $0.runningScan = nil }
            scanned(for: time.now - start)
        }
        return try await body()
    }

    /// A connection was made or abandoned.
    ///
    /// - Parameters:
    ///   - duration: The time that it took, including the requested properties and the security.
    package func connected(after duration: Duration, attempts: Int) {
        state.withLock { state in
            state.connect = (state.connect ?? .zero) + duration
            state.attempts += attempts
        }
    }

    /// The operation uses the link to a device, which may exist already.
    package func uses(_ device: DeviceAddress) {
        let isOpen = links.isOpen(device)
        state.withLock { state in
            state.devices.insert(device)
            // A link that ended before the operation is not part of its timing.
            if isOpen { state.device = device }
        }
    }

    /// Whether the packets on the link to a device count.
    package func counts(on device: DeviceAddress) -> Bool {
        switch scope {
        case .all: true
        case .used: state.withLock { $0.devices.contains(device) }
        }
    }

    /// The link to a device has opened, or was used.
    package func used(_ device: DeviceAddress) { state.withLock { $0.device = device } }

    /// A request was sent, or was answered.
    package func count(isDiscovery: Bool, _ change: (inout Requests) -> Void) {
        state.withLock { state in
            if isDiscovery { change(&state.discovery) } else { change(&state.requests) }
        }
    }
}
