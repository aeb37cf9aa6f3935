// SPDX-License-Identifier: GPL-2.0-or-later

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

    /// The failures of streams with which no step has failed yet. Each is told once.
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

    /// The devices that have lost their links.
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
        case .command(let command, _, _): [.pair, .unpair, .forget, .adapter].contains(command)
        default: false
        }
    }
}
