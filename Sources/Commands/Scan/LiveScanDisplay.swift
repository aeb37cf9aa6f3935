// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Records
import Terminal
import Toolkit

/// The live scan on a terminal, and its table at the end.
final class LiveScanDisplay: ScanDisplay {
    private let output: Output
    private let screen: LiveScreen<LiveScan>
    private let time: any TimeSource

    init(_ scan: LiveScan, on terminal: any LiveTerminal, output: Output, notes: Diagnostics, time: any TimeSource) {
        self.output = output
        self.time = time
        screen = LiveScreen(scan, on: terminal, style: output.style, notes: notes, time: time)
    }

    func show(_ report: ScanReport, _ device: AdvertiserInfo, by adapter: String?) throws -> Bool {
        screen.with { $0.received(report, device, by: adapter) }
        return false
    }

    let counted = CountedThing.device
    let isLive = true

    func run(refresh: @Sendable () async throws -> (devices: [AdvertiserInfo], status: ScanStatus)) async throws {
        // Refreshed without reports as well, because the ages of the devices change.
        try await screen.run(every: .milliseconds(500)) { [screen] in
            let (devices, status) = try await refresh()
            screen.with { $0.refreshed(devices, status) }
        }
    }

    func end(_ devices: [AdvertiserInfo]) throws {
        let rows = screen.with { scan in
            scan.refreshed(devices, ScanStatus(now: time.now))
            // A pause must not leave devices out of the final table.
            scan.resume()
            return scan.rows
        }
        // Before the table is printed, because the alternate screen does not stay.
        try screen.close()
        guard !rows.isEmpty else { return }
        try output.put(LiveScanTable.complete(rows, output.style).joined(separator: "\n"))
    }
}
