// SPDX-License-Identifier: GPL-2.0-or-later

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
