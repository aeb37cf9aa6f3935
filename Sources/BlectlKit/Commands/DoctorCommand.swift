// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// `blectl doctor`: says why Bluetooth does not work, and what to type.
struct DoctorCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func run() async throws {
        let diagnosis = Diagnosis(try await Examination(context: context).snapshot())
        let timestamp = Timestamp(context.time)
        for finding in diagnosis.findings {
            try await context.output.emit(FindingResult(finding: finding, timestamp: timestamp))
        }
        try await context.output.emit(VerdictResult(diagnosis: diagnosis, timestamp: timestamp))
        if let error = diagnosis.error { throw error }
    }
}
