// SPDX-License-Identifier: GPL-2.0-or-later

import Records
import Terminal
import Toolkit

/// `blectl clone`: writes a live device as a device file, even if a part of the device could not be read.
struct CloneRun {
    let options: CloneOptions
    let device: DeviceOptions
    let context: CommandContext

    func run() async throws {
        // Before a long recording, which would be lost if the file could not be created.
        let file = try options.output.map { path throws(BlectlError) in try OutputFile(path) }
        // A clone that is incomplete is a result as well; its failure is thrown when the file is written.
        var (result, failure) = try await clone()
        for remark in result.remarks { context.diagnostics.note(remark) }
        if let file {
            try file.write(Array(result.file.utf8))
            result.path = file.path
        }
        try await context.output.emit(result)
        context.diagnostics.note(result.words)
        if let failure { throw failure }
    }

    private func clone() async throws -> (result: CloneResult, failure: (any Error)?) {
        guard let capture = options.capture else {
            return try await DeviceCloner(options: options, device: device, context: context).clone()
        }
        return try await CaptureCloner(file: capture, selector: device.selector, hint: options.hint, context: context)
            .clone()
    }
}
