// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The options of `blectl scan`.
struct ScanOptions: Sendable {
    /// The devices to show.
    var filter = ScanFilter()
    /// The number of devices, or of reports with `--duplicates` or JSON, and the time after the start of the scan.
    var limits = StopLimits()
    /// Whether to request scan responses.
    var isActive = true
    var phy = ScanPHY.all
    /// Whether to show every report instead of every device once.
    var showsDuplicates = false
    /// Whether to show every device once, at the end of the scan.
    var showsSummary = false
    /// The order of the table on a terminal.
    var order = ScanOrder.seen
    /// The file for a chart of the signal strengths; `nil` for none.
    var chart: ChartFile?
}

extension ScanOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        filter = try ScanFilter(arguments)
        limits = StopLimits(arguments, count: ScanSpec.count, duration: ScanSpec.duration)
        isActive = !arguments[ScanSpec.passive]
        phy = arguments[ScanSpec.phy]
        showsDuplicates = arguments[ScanSpec.duplicates]
        showsSummary = arguments[ScanSpec.summary]
        order = arguments[ScanSpec.sort]
        chart = arguments[ScanSpec.chart]
    }
}

extension ScanFilter {
    /// Reads the filter options of `scan`.
    fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
        names = arguments[ScanSpec.name].map { Glob($0) }
        services = try arguments.services(ScanSpec.service)
        devices = arguments[ScanSpec.device] + arguments[ScanSpec.address]
        for text in arguments[ScanSpec.manufacturer] {
            let found = CompanyText(text).identifiers
            guard !found.isEmpty else {
                throw arguments.invalid(
                    ScanSpec.manufacturer,
                    text,
                    "expected a company identifier such as 0x004C, or a part of a company's name"
                )
            }
            manufacturers.formUnion(found)
        }
        minimumRSSI = arguments[ScanSpec.rssi]
        connectableOnly = arguments[ScanSpec.connectable]
    }
}
