// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl scan`: listens to advertisements.
struct ScanCommand: Command {
    static var commandName: CommandName { .scan }
    static let recordSchemas: [RecordSchema] = [AdvertisementResult.record.schema, DeviceSummaryResult.record.schema]
    static let foreignNames = ["lescan", "discover", "list", "search", "find", "ls"]

    let options: ScanOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try ScanOptions(arguments)
    }

    var limits: StopLimits? { options.limits }

    var writtenFiles: [(option: String, path: String)] { options.chart.map { [("--chart", $0.path)] } ?? [] }

    /// A scan prints advertisements or, with `--summary`, devices.
    private var recordOfOtherForm: RecordSchema {
        options.showsSummary ? AdvertisementResult.record.schema : DeviceSummaryResult.record.schema
    }

    var absentRecords: [RecordSchema] { [recordOfOtherForm] }

    func problem(with template: LineFormat) -> String? {
        let own = options.showsSummary ? DeviceSummaryResult.record.schema : AdvertisementResult.record.schema
        guard let lack = template.key(lackingIn: own, butIn: recordOfOtherForm) else { return nil }
        let records = "\(options.showsSummary ? "with" : "without") --summary no record has the key '\(lack.key)'"
        return lack.similar.isEmpty ? records : "\(records), but \(Prose.list(lack.similar, "and"))"
    }

    func run(in context: CommandContext) async throws {
        try await ScanRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var scan: CommandName { CommandName("scan", ScanCommand.self) }
}

struct ScanOptions: Sendable {
    var filter = ScanFilter()
    /// The number of devices, or of reports with `--duplicates` or JSON, and the time after the start of the scan.
    var limits = StopLimits()
    var isActive = true
    var phy = ScanPHY.all
    /// The time between the starts of two windows in which the radio listens.
    var interval = ScanParameters().interval
    /// The length of each window, at most the interval.
    var window = ScanParameters().window
    /// Whether to show every report instead of every device once.
    var showsDuplicates = false
    /// Whether to show every device once, at the end of the scan.
    var showsSummary = false
    /// The order of the table on a terminal.
    var order = ScanOrder.seen
    /// The file for a chart of the signal strengths; `nil` for none.
    var chart: ChartFile?
    /// The file with keys; `nil` for that of the configuration.
    var keyFile: String?
    /// The remark that `--timeout` does not end the scan, if it is given and nothing else ends it. In other tools it is
    /// the duration of a scan.
    var misleadingTimeout: String?
}

extension ScanOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        filter = try ScanFilter(arguments)
        limits = StopLimits(arguments, count: ScanCommand.count, duration: ScanCommand.duration)
        isActive = !arguments[ScanCommand.passive]
        phy = arguments[ScanCommand.phy]
        if let interval = arguments[ScanCommand.scanInterval] { self.interval = interval.duration }
        window = arguments[ScanCommand.scanWindow]?.duration ?? interval
        guard window <= interval else {
            throw arguments.impossible(
                "the window of the scan is longer than its interval of \(interval.text)",
                hint: "give a longer one: --scan-interval"
            )
        }
        showsDuplicates = arguments[ScanCommand.duplicates]
        showsSummary = arguments[ScanCommand.summary]
        order = arguments[ScanCommand.sort]
        chart = arguments[ScanCommand.chart]
        keyFile = arguments[ScanCommand.keys]
        let isLimited = limits.count != nil || limits.duration != nil || arguments[GlobalSpec.deadline] != nil
        if arguments.isGiven(GlobalSpec.timeout), !isLimited {
            misleadingTimeout = "--timeout is the limit of a step and does not end a scan; --duration does"
        }
    }
}

extension ScanFilter {
    fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
        names = arguments[ScanCommand.name].map { Glob($0) }
        services = try arguments.services(ScanCommand.service)
        formats = arguments.formats
        devices = arguments[ScanCommand.device] + arguments[ScanCommand.address]
        for text in arguments[ScanCommand.manufacturer] {
            let found = CompanyText(text).identifiers
            guard !found.isEmpty else {
                throw arguments.invalid(
                    ScanCommand.manufacturer,
                    text,
                    "expected a company identifier such as 0x004C, or a part of a company's name"
                )
            }
            manufacturers.formUnion(found)
        }
        minimumRSSI = arguments[ScanCommand.rssi]
        connectableOnly = arguments[ScanCommand.connectable]
    }
}
