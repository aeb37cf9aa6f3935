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
        if options.action == .list { return try await list() }
        var failure: ExitStatus?
        for file in options.files {
            switch try await outcome(of: file) {
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

    private var labels: [String] { (BuiltInDevice.all + BuiltInDevice.apart).map(\.label) }

    private func list() async throws {
        let width = labels.map(\.utf8.count).max() ?? 0
        for label in labels {
            guard case .world(let world) = try await outcome(of: label) else { continue }
            var result = DeviceFileResult(file: label, outcome: .success(world), timestamp: Timestamp(context.time))
            let summary = ServeCommand.devices.first { $0.word == label }?.summary ?? ""
            result.line = "\(TerminalText.padded(label, columns: width))  \(summary)"
            try await context.output.emit(result)
        }
    }

    /// The device of blectl that a word that is no file may mean, by its label or the name that it advertises.
    private func similar(to word: String) -> String? {
        let devices = BuiltInDevice.all + BuiltInDevice.apart
        let named = devices.first { DeviceIdentifier.isSameName((try? $0.definition())?.name ?? "", word) }
        return named?.label ?? Suggestion.name(closestTo: word, among: labels)
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
    private func outcome(of file: String) async throws -> Outcome {
        let bytes: [UInt8]
        if let text = builtIn(file) {
            bytes = text
        } else {
            do {
                bytes = try await context.reading(file) { try DeviceFiles.bytes(of: file) }
            } catch let error as BlectlError {
                guard error.status == .cannotOpenInput, !file.looksLikeFile else { return .failure(error) }
                // A word like this is rather meant as a device of blectl than as a file.
                let word = similar(to: file)
                let hint = word.map { "did you mean '\($0)'? " } ?? ""
                return .failure(error.with(hint: "\(hint)the devices of blectl: blectl device list"))
            }
        }
        do throws(DeviceFileErrors) {
            return .world(try DeviceFiles.read(file, bytes))
        } catch {
            return .faults(error)
        }
    }

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
        case .list: break
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
