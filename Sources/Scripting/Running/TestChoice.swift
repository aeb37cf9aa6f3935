// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
package import Toolkit

/// The choice of tests by their names (`--only`).
package struct TestChoice {
    private let pattern: Glob

    package init(_ pattern: Glob) { self.pattern = pattern }

    /// The scripts with the chosen tests only; those without one are left out. A step of the final cleanup that ends a
    /// stream is left out together with the test that begins it.
    ///
    /// Throws if no test is chosen, and if a chosen one, or the final cleanup, needs a stream that only a test begins
    /// which is left out.
    package func scripts(among scripts: [Script]) throws(BlectlError) -> [Script] {
        // As the engine runs them: a script without tests is one test with the name of its file.
        let all = scripts.map(\.withTest)
        var chosen: [Script] = []
        for script in all {
            var own = script
            own.tests.removeAll { !pattern.matches($0.name) }
            if own.tests.isEmpty { continue }
            let begun = try checkStreams(of: own, leftOut: script.tests.filter { !pattern.matches($0.name) })
            own.cleanup = own.cleanup.compactMap { $0.endingOnly(begun) }
            chosen.append(own)
        }
        guard chosen.isEmpty else { return chosen }
        let names = all.flatMap { $0.tests.map(\.name) }
        let similar = Suggestion.name(closestTo: pattern.pattern, among: names)
        throw BlectlError(
            .notFound,
            "no test is called \(Prose.quoted(pattern.pattern))"
                + (similar.map { "; did you mean \(Prose.quoted($0))?" } ?? ""),
            hint: similar == nil
                ? "there are \(Prose.list(names.prefix(20).map(Prose.quoted), "and"))"
                : "'--dry-run' without '--only' shows all tests"
        )
    }

    /// The streams that the chosen steps begin.
    ///
    /// Throws if a chosen test, or the final cleanup, looks at a stream that would not run, because the test that
    /// begins it is left out.
    private func checkStreams(of script: Script, leftOut: [ScriptTest]) throws(BlectlError) -> Set<String> {
        var begun = Set(script.setup.flatMap(\.begunStreams))
        for test in script.tests {
            // A stream lasts until the end of the script, so that a test may also use those of earlier chosen tests.
            begun.formUnion((test.steps + test.cleanup).flatMap(\.begunStreams))
            let missing = (test.steps + test.cleanup).flatMap(\.usedStreams).first { !begun.contains($0) }
            if let missing { throw refusal("test \(Prose.quoted(test.name))", missing, leftOut) }
        }
        begun.formUnion(script.cleanup.flatMap(\.begunStreams))
        let missing = script.cleanup.compactMap { $0.endingOnly(begun) }.flatMap(\.usedStreams)
            .first { !begun.contains($0) }
        if let missing { throw refusal("the final cleanup", missing, leftOut) }
        return begun
    }

    private func refusal(_ user: String, _ stream: String, _ leftOut: [ScriptTest]) -> BlectlError {
        let beginner = leftOut.last { ($0.steps + $0.cleanup).flatMap(\.begunStreams).contains(stream) }
        return BlectlError(
            .usage,
            "\(user) needs the stream '\(stream)'"
                + (beginner.map { ", which test \(Prose.quoted($0.name)) begins, and '--only' leaves that out" } ?? ""),
            hint: "a pattern for both tests, or the stream begun in the test or in the setup"
        )
    }
}

extension ScriptStep {
    /// The streams that the step begins, with those of the steps that it repeats.
    fileprivate var begunStreams: [String] {
        switch action {
        case .command(let command, _, let words): name.map { command.isStream(words) ? [$0] : [] } ?? []
        case .repeat(_, _, let steps): steps.flatMap(\.begunStreams)
        default: []
        }
    }

    /// The streams that the step looks at or ends, with those of the steps that it repeats.
    fileprivate var usedStreams: [String] {
        switch action {
        case .await(let stream, _, _), .never(let stream, _, _), .count(let stream, _, _, _, _), .order(let stream, _),
            .stop(let stream):
            [stream]
        case .repeat(_, _, let steps): steps.flatMap(\.usedStreams)
        default: []
        }
    }

    /// The step without what ends other streams than these; `nil` if nothing remains of it.
    fileprivate func endingOnly(_ streams: Set<String>) -> ScriptStep? {
        switch action {
        case .stop(let stream): return streams.contains(stream) ? self : nil
        case .repeat(let count, let variable, let steps):
            var step = self
            step.action = .repeat(count, variable: variable, steps.compactMap { $0.endingOnly(streams) })
            return step
        default: return self
        }
    }
}
