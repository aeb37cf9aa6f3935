// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import BluetoothProfiles
import CommandLineInterface
import Glibc
import Records
import Terminal
package import Toolkit

/// `blectl diff`: prints the differences between two devices.
struct DiffRun {
    let options: DiffOptions
    let context: CommandContext

    /// Reads both sides, compares them, and ends with status 1 if they differ.
    func run() async throws {
        // Both words are checked before the first device is connected to.
        let sources = try options.devices.map { text throws(BlectlError) in try source(text) }
        // One after the other, because two live devices would need the adapter at the same time.
        var sides: [Side] = []
        for source in sources { sides.append(try await side(source)) }
        let comparison = try comparison(sides)
        let timestamp = Timestamp(context.time)
        // Where a format depends on the model, a value is shown as that of both devices, or else as that of each model.
        let models = Set(sides.map { DeviceModel.of(services: $0.definition.services.map(\.uuid)) })
        let formats = context.options.formats.on(models.count == 1 ? models.first ?? nil : nil)
        let results = comparison.differences.map {
            DifferenceResult(difference: $0, timestamp: timestamp, formats: formats)
        }
        if context.output.writesRecords {
            for result in results { try await context.output.emit(result) }
        } else if !results.isEmpty {
            try await context.output.write(
                DifferenceResult.table(of: results, context.output.style).joined(separator: "\n")
            )
        }
        let summary = ComparisonResult(
            comparison: comparison,
            first: sides[0].name,
            second: sides[1].name,
            timestamp: timestamp,
            formats: formats
        )
        for note in summary.notes { context.diagnostics.note(note) }
        for detail in summary.details { context.diagnostics.detail(detail) }
        try await context.output.emit(summary)
        // The differences are the output; they need no message.
        if !results.isEmpty { throw PartialFailure(status: .expectationFailed) }
    }

    // MARK: - Sides

    /// Where one side of the comparison comes from.
    private enum Source {
        case file(String)
        case builtIn(BuiltInDevice)
        case live(DeviceIdentifier)
        /// A device of a script or of a shell, over its link.
        case held(HeldConnection)
    }

    /// One side: its definition, and the name that the summary gives it.
    private struct Side {
        let name: String
        let definition: DeviceDefinition
    }

    /// The source that a word names: an existing file, a device that is part of blectl, or else a live device.
    private func source(_ text: String) throws(BlectlError) -> Source {
        if let held = context.caller.named[text] { return .held(held) }
        let live = DiffOptions.livePrefix
        // The prefix is for a device whose name is also that of a file in the current folder.
        if text.hasPrefix(live) { return .live(try identifier(String(text.dropFirst(live.utf8.count)))) }
        // Any existing path wins over a device of the same name, because a file is exact and a name is searched for.
        if text == "-" || access(text, F_OK) == 0 { return .file(text) }
        if let device = BuiltInDevice.named(text) { return .builtIn(device) }
        let identifier: DeviceIdentifier
        do throws(DeviceIdentifier.Problem) {
            identifier = try DeviceIdentifier(text)
        } catch {
            throw text.looksLikeFile ? BlectlError(unopened: text, ENOENT) : problem(text, error)
        }
        // No device has such a name, and a search for it would take its time.
        if case .name = identifier, text.looksLikeFile { throw BlectlError(unopened: text, ENOENT) }
        return .live(identifier)
    }

    /// The live device that a word means; `nil` if it means none.
    fileprivate func liveDevice(_ text: String) -> DeviceSelector? {
        guard case .live(let identifier)? = try? source(text) else { return nil }
        return DeviceSelector(identifier)
    }

    private func identifier(_ text: String) throws(BlectlError) -> DeviceIdentifier {
        do throws(DeviceIdentifier.Problem) {
            return try DeviceIdentifier(text)
        } catch {
            throw problem(text, error)
        }
    }

    private func problem(_ text: String, _ problem: DeviceIdentifier.Problem) -> BlectlError {
        BlectlError(.usage, "there is no device \(Prose.quoted(text)): \(problem.expectation)")
    }

    /// Makes the definition of a side. A live device is cloned, with its values unless those are ignored.
    private func side(_ source: Source) async throws -> Side {
        switch source {
        case .file(let path):
            return Side(name: path, definition: try await context.reading(path) { try DeviceFiles.device(path) })
        case .builtIn(let device):
            do throws(DeviceFileErrors) {
                return Side(name: device.label, definition: try device.definition())
            } catch {
                throw BlectlError(error, of: device.label)
            }
        case .live(let identifier): return try await clone(DeviceSelector(identifier), context)
        case .held(let held):
            var caller = context.caller
            caller.held = held
            return try await clone(nil, context.with(caller: caller))
        }
    }

    /// Clones a live device: the one that the context holds, or else the one that is meant.
    private func clone(_ selector: DeviceSelector?, _ context: CommandContext) async throws -> Side {
        let cloner = DeviceCloner(
            options: CloneOptions(readsValues: !options.ignored.contains(.values)),
            device: DeviceOptions(selector: selector, connection: options.connection),
            context: context
        )
        let (result, failure) = try await cloner.clone()
        // A device that was read in part would show differences that do not exist.
        if let failure { throw failure }
        for remark in result.remarks { context.diagnostics.note(remark) }
        return Side(name: result.device.text, definition: result.definition)
    }

    private func comparison(_ sides: [Side]) throws(BlectlError) -> DeviceComparison {
        do throws(DeviceDefinitionError) {
            return try DeviceComparison(sides[0].definition, sides[1].definition, ignoring: options.ignored)
        } catch {
            throw BlectlError(.badData, cannot: "compare \(Prose.list(sides.map(\.name), "and"))", "\(error)")
        }
    }
}

extension DeviceSelector {
    init(_ identifier: DeviceIdentifier) {
        switch identifier {
        case .address(let address): self = .address(address, nil)
        case .name(let name): self = .name(name)
        }
    }
}

extension CommandContext {
    /// The live devices that `diff` compares, by the words of the command line.
    package func liveDevices(among words: [String]) -> [(word: String, device: DeviceSelector)] {
        let run = DiffRun(options: DiffOptions(devices: words), context: self)
        return words.compactMap { word in run.liveDevice(word).map { (word, $0) } }
    }
}
