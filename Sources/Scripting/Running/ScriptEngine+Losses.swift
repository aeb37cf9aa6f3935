// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Toolkit

/// Streams that have failed and links that were lost while no step looked at them.
extension ScriptEngine {
    /// Throws if a stream has failed, and no step has said so yet.
    ///
    /// Otherwise a test that only ends or replaces the stream would pass although its results have a gap.
    func refuseFailed(_ name: String) throws {
        guard let failure = unseenFailure(of: name) else { return }
        streams[name]?.isExcused = true
        throw failure
    }

    /// The failures of streams that no step has reported yet. Each is returned once.
    func unseenFailures() async -> [StepFailure] {
        var failures: [StepFailure] = []
        for name in streams.keys.sorted() {
            guard let stream = streams[name]?.stream, var failure = unseenFailure(of: name) else { continue }
            streams[name]?.isExcused = true
            // The place is that of the step that began the stream, which so needs no note.
            failure.notes.removeAll { $0 == Self.beginning(of: stream) }
            failure.notes.append("no step has looked at \(name) since")
            failures.append(await described(failure, StepCursor.Position(step: stream.step, rounds: [])))
        }
        return failures
    }

    /// The failure of a stream; `nil` if it has not failed, or needs no attention.
    private func unseenFailure(of name: String) -> StepFailure? {
        guard let running = streams[name], !running.isExcused, case .failed(let error)? = running.stream.end else {
            return nil
        }
        return Self.failure(error, of: name, running.stream)
    }

    /// Excuses those streams whose end a step has caused by ending the link: it is not a loss.
    func excuse(_ names: [String], after step: ScriptStep) async {
        guard step.endsLinks else { return }
        let device = deviceName(of: step)
        for name in names {
            guard let running = streams[name], device == nil || running.device == nil || running.device == device else {
                continue
            }
            var isLinked = true
            if let own = running.device { isLinked = await devices[own]?.isConnected ?? false }
            // A stream learns only later that its link has ended.
            if !isLinked || running.stream.end != nil { streams[name]?.isExcused = true }
        }
    }

    // MARK: - Values

    /// How many malformed updates a device has sent until now; 0 without a device.
    func malformedUpdates(of device: String?) async -> Int {
        guard let device, let held = devices[device] else { return 0 }
        return await held.malformedUpdates
    }

    /// Discards the results of a stream that no step has looked at, and forgets what was lost among them.
    func skipResults(of name: String) async throws {
        try running(name).skip()
        let malformed = await malformedUpdates(of: streams[name]?.device)
        streams[name]?.malformed = malformed
    }

    /// Notes the values that were lost before they reached the stream. Throws if the step makes a statement about all
    /// results: a value that was not seen may be the one that must not come.
    func noteLosses(in stream: ScriptStream, _ name: String, needsAll: Bool) async throws {
        let lost = stream.takeLost()
        if lost > 0 { messages.append("\(count: lost, "value") of \(name) lost, sent too fast") }
        let malformed = await malformedUpdates(of: streams[name]?.device)
        let known = streams[name]?.malformed ?? 0
        streams[name]?.malformed = malformed
        // The connection to the device has reported each malformed update.
        let causes = Self.causes(lost: lost, malformed: malformed - known)
        guard needsAll, !causes.isEmpty else { return }
        throw StepFailure.unmet("all results of \(name)", got: causes.joined(separator: ", "))
    }

    /// Why a command that is no stream does not have all of its results; empty if it has them.
    ///
    /// - Parameter malformed: The malformed updates that the device had sent before.
    func missingResults(
        of command: CommandName,
        _ records: StepRecords,
        _ device: String?,
        since malformed: Int
    ) async -> [String] {
        var causes: [String] = []
        if records.dropped > 0 {
            causes.append("\(count: records.dropped, "result") dropped")
            messages.append("\(count: records.dropped, "result") dropped, because there were too many")
        }
        // The results of other commands are no updates.
        guard command.has(.stream) else { return causes }
        let lost = records.records.reduce(0) { $0 + ($1.lostValues ?? 0) }
        let total = await malformedUpdates(of: device)
        return causes + Self.causes(lost: lost, malformed: total - malformed)
    }

    /// Why results are missing, in words; empty if none is.
    private static func causes(lost: Int, malformed: Int) -> [String] {
        var causes: [String] = []
        if lost > 0 { causes.append("\(count: lost, "value") lost, sent too fast") }
        if malformed > 0 { causes.append("\(count: malformed, "malformed update") dropped") }
        return causes
    }

    // MARK: - Links

    /// The probable reason why a device was not found, or not connected to: another name in the script stands for it,
    /// and holds its link. `nil` if that cannot be the reason.
    func linkedNamesake(of name: String, _ status: ExitStatus) async -> String? {
        guard status == .notFound || status == .temporaryFailure, let device = devices[name],
            await !device.isConnected
        else { return nil }
        let own = await device.reference
        for other in devices.keys.sorted() where other != name {
            guard let held = devices[other], await held.isConnected, let linked = await held.reference else { continue }
            let isSame: Bool
            if let own {
                isSame = own.address == linked.address
            } else {
                isSame = await device.mayMean(linked)
            }
            guard isSame else { continue }
            let fact = "this script has a link to \(linked.text), as \(other)"
            let remedy = "put 'disconnect \(other)' before this step"
            if own != nil { return "\(fact): \(remedy)" }
            return "\(fact), and many devices do not advertise while connected: if it is the same one, \(remedy)"
        }
        return nil
    }

    func lostLinks() async -> Set<String> {
        var lost: Set<String> = []
        // Sorted, so that a run in virtual time can be repeated.
        for name in linkedDevices.sorted() where await devices[name]?.isConnected != true { lost.insert(name) }
        return lost
    }

    /// Notes which devices have links after a step, and adds a message for each link that was lost before the step and
    /// is there again.
    func noteLinks(_ lost: Set<String>, after step: ScriptStep) async {
        for name in devices.keys.sorted() {
            if await devices[name]?.isConnected == true {
                linkedDevices.insert(name)
                if lost.contains(name) { messages.append("the link to \(name) was lost, and was made again") }
            } else if step.endsLinks, deviceName(of: step) ?? name == name {
                linkedDevices.remove(name)
            }
        }
    }
}

extension ScriptStep {
    /// Whether it is to end a link, or may have to: pairing and the adapter do so where the adapter is switched off, and
    /// a failure that the step expects may cost the link, as a device that does not answer does.
    fileprivate var endsLinks: Bool {
        if expectations.contains(where: { $0.failureText != nil }) { return true }
        return switch action {
        case .disconnect: true
        case .command(let command, _, _): command.has(.endsLinks)
        default: false
        }
    }
}
