// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl device`: checks device files and prints devices as files.
struct DeviceFileRun {
    let options: DeviceFileOptions
    let context: CommandContext

    /// Handles all files, and ends with the status of the first that failed.
    func run() async throws {
        var failure: ExitStatus?
        for file in options.files {
            switch outcome(of: file) {
            case .world(let world): try await emit(world, file)
            case .faults(let faults):
                failure = failure ?? .badData
                try await emit(faults, file)
            case .failure(let error):
                failure = failure ?? error.status
                try await context.report(error)
            }
        }
        // Each failure has been printed.
        if let failure { throw PartialFailure(status: failure) }
    }

    /// The result of reading a file.
    /// A damaged file can have many faults, each with its line. A file that cannot be opened has one reason.
    private enum Outcome {
        case world(WorldFile)
        case faults(DeviceFileErrors)
        case failure(BlectlError)
    }

    /// Reads a file, or a built-in device. A built-in device goes through the same reader as the files of
    /// users.
    private func outcome(of file: String) -> Outcome {
        let bytes: [UInt8]
        if let text = builtIn(file) {
            bytes = text
        } else {
            do throws(BlectlError) {
                bytes = try DeviceFiles.bytes(of: file)
            } catch {
                guard error.status == .cannotOpenInput, !file.looksLikeFile else { return .failure(error) }
                // A word like this is rather meant as a device of blectl than as a file.
                let labels = (BuiltInDevice.all + BuiltInDevice.apart).map(\.label)
                return .failure(error.with(hint: "the devices of blectl are \(Prose.list(labels, "and"))"))
            }
        }
        do throws(DeviceFileErrors) {
            return .world(try DeviceFiles.read(file, bytes))
        } catch {
            return .faults(error)
        }
    }

    /// The text of a device that is part of blectl.
    private func builtIn(_ label: String) -> [UInt8]? { BuiltInDevice.named(label).map { Array($0.text.utf8) } }

    private func emit(_ world: WorldFile, _ file: String) async throws {
        let timestamp = Timestamp(context.time)
        switch options.action {
        case .check:
            try await context.output.emit(DeviceFileResult(file: file, outcome: .success(world), timestamp: timestamp))
        case .show:
            // A file can hold several devices: each is printed as a separate device file.
            for device in world.devices {
                // The author's text of a device of blectl has comments.
                let text = BuiltInDevice.named(file)?.text ?? DeviceFile.text(of: device)
                try await context.output.emit(DeviceTextResult(label: device.label, file: text, timestamp: timestamp))
            }
        }
    }

    private func emit(_ faults: DeviceFileErrors, _ file: String) async throws {
        for fault in faults.errors { context.diagnostics.error(BlectlError(.badData, fault.description)) }
        let timestamp = Timestamp(context.time)
        try await context.output.emit(DeviceFileResult(file: file, outcome: .failure(faults), timestamp: timestamp))
        let summary = "\(DeviceFiles.name(of: file)) has \(DeviceFileReport.count(faults))"
        try await context.report(BlectlError(.badData, summary))
    }
}
