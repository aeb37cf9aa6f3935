// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// A table on a terminal that is redrawn in place.
final class LiveTable: ScanDisplay {
    /// Refreshed without reports as well, because the ages of the devices change.
    let refreshInterval: Duration? = .milliseconds(500)

    private let output: Output
    private let order: ScanOrder
    private let size: @Sendable () -> (columns: Int, rows: Int)
    /// The number of lines of the last picture above the cursor; `nil` before the first picture.
    private let drawn = Mutex<Int?>(nil)
    private let shown = Mutex(RecentSet<DeviceAddress>(limit: 32_768))
    private let lastMoment = Mutex(Instant.zero)

    init(output: Output, order: ScanOrder, size: @escaping @Sendable () -> (columns: Int, rows: Int)) {
        self.output = output
        self.order = order
        self.size = size
    }

    func show(_ report: ScanReport, _ device: AdvertiserInfo) throws -> Bool {
        lastMoment.withLock { $0 = max($0, report.instant) }
        return shown.withLock { $0.insert(device.address) }
    }

    func refresh(_ devices: [AdvertiserInfo], now: Instant) throws {
        lastMoment.withLock { $0 = now }
        // The terminal is stopped or slow. Pictures that it has not shown yet would only delay the current one.
        guard !output.isBehind else { return }
        try draw(devices, now: now, isLast: false)
    }

    func end(_ devices: [AdvertiserInfo], room: Int?) throws {
        try draw(devices, now: lastMoment.withLock { $0 }, isLast: true)
    }

    /// The width of the name column. It leaves room for address, signal and age, which a long name must not push out,
    /// and if possible for the services.
    private static func nameWidth(columns: Int) -> Int {
        let others = "  F0:F1:F2:F3:F4:F5  -100  59 s".utf8.count
        return max(8, (columns - others) * 2 / 3)
    }

    private func draw(_ devices: [AdvertiserInfo], now: Instant, isLast: Bool) throws {
        let (width, rows) = size()
        // The last column stays empty: when a character is in it, many terminals erase that character with "erase to
        // end of line".
        let columns = max(1, width - 1)
        let entries = devices.sorted(by: order)
        // The last picture may be longer than the screen, because it is not redrawn.
        let room = isLast ? entries.count : max(1, rows - 3)
        let nameWidth = Self.nameWidth(columns: columns)
        var lines = TextTable(
            ["NAME", "ADDRESS", "RSSI", "AGE", "SERVICES"],
            entries.prefix(room).map { device in
                let columns = DeviceColumns(device)
                let name = TerminalText.fitted(columns.name, columns: nameWidth)
                return [name, columns.address, columns.rssi, Self.age(now - device.lastSeen), columns.what]
            }
        ).lines(output.style, columns: columns)
        if entries.count > room {
            lines.append(TerminalText.fitted("… and \(entries.count - room) more", columns: columns))
        }
        let previous = drawn.withLock { drawn in
            defer { drawn = isLast ? nil : lines.count }
            return drawn
        }
        // The cursor is hidden while the table is shown. Lines are overwritten instead of erased first, so that nothing
        // flickers.
        var picture = previous.map { $0 > 0 ? "\u{1B}[\($0)A" : "" } ?? "\u{1B}[?25l"
        for line in lines { picture += "\r\(line)\u{1B}[K\n" }
        picture += "\u{1B}[J"
        if isLast { picture += "\u{1B}[?25h" }
        try output.putRaw(picture)
    }

    private static func age(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min"
    }
}
