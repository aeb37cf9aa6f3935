// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Testing

@testable import Scripting

@Suite("The course of a script")
struct ScriptProgressTests {
    private static func step(_ line: Int) -> ScriptStep { Make.step(.pause(.seconds(1)), line: line) }
    private static let failure = StepFailure(kind: .unmet, message: "no")

    /// Carries out a script in which the steps of some lines end otherwise, and returns its course.
    private func course(
        _ script: Script,
        _ ends: [Int: ScriptProgress.StepEnd] = [:],
        keepsGoing: Bool = false
    ) -> [String] {
        var progress = ScriptProgress(script, keepsGoing: keepsGoing)
        var course: [String] = []
        while true {
            switch progress.next() {
            case .finish: return course
            case .begin(let test): course.append("begin \(test)")
            case .end(let test, let verdict): course.append("end \(test) \(verdict.name)")
            case .skip(let test, let reason): course.append("skip \(test) \(reason)")
            case .run(let position, _):
                let rounds = position.rounds.map { "/\($0.number)" }.joined()
                course.append("\(position.step.place.line)\(rounds)")
                progress.stepEnded(ends[position.step.place.line] ?? .passed)
            }
        }
    }

    private static let script = Make.script(
        Make.test("one", step(2), step(3), cleanup: [step(4), step(5)]),
        Make.test("two", step(6)),
        setup: [step(1)],
        cleanup: [step(7), step(8)]
    )

    @Test func `follows the file`() {
        #expect(
            course(Self.script)
                == ["1", "begin 0", "2", "3", "4", "5", "end 0 passed", "begin 1", "6", "end 1 passed", "7", "8"]
        )
    }

    @Test func `a failed step ends its test, and cleanup runs`() {
        let expected = ["1", "begin 0", "2", "4", "5", "end 0 failed", "skip 1 an earlier test failed", "7", "8"]
        #expect(course(Self.script, [2: .failed(Self.failure)]) == expected)
    }

    @Test func `a failure beside the steps fails a test that has passed, and no interrupted one`() {
        for keepsGoing in [false, true] {
            var progress = ScriptProgress(Self.script, keepsGoing: keepsGoing)
            let own = StepFailure(kind: .unmet, message: "own")
            while true {
                if case .end = progress.next() { break }
            }
            let none = progress.verdict(.passed, adding: [])
            #expect(none == .passed)
            let interrupted = progress.verdict(.skipped("interrupted"), adding: [own])
            #expect(interrupted == .skipped("interrupted"))
            let both = progress.verdict(.failed([own]), adding: [Self.failure])
            #expect(both == .failed([own, Self.failure]))
            let other = progress.verdict(.passed, adding: [Self.failure])
            #expect(other == .failed([Self.failure]))
            let skipped = ScriptProgress.Action.skip(test: 1, "an earlier test failed")
            let next = progress.next()
            #expect(next == (keepsGoing ? .begin(test: 1) : skipped))
        }
    }

    @Test func `a deadline is an error of the test that it ends, and the others are skipped`() {
        var progress = ScriptProgress(Self.script, keepsGoing: true)
        var course: [String] = []
        while true {
            switch progress.next() {
            case .finish:
                #expect(course == ["end 0 failed", "skip 1 too late"])
                return
            case .begin: break
            case .end(let test, let verdict):
                course.append("end \(test) \(verdict.name)")
                guard case .failed(let failures) = verdict else { continue }
                #expect(failures.map(\.step) == ["test 'one'"] && failures.first?.status == .timedOut)
            case .skip(let test, let reason): course.append("skip \(test) \(reason)")
            case .run(let position, _):
                progress.stepEnded(.passed)
                guard position.step.place.line == 2 else { continue }
                // Between two steps.
                progress.interrupt("too late", failing: StepFailure(kind: .broke(.timedOut), message: "too late"))
            }
        }
    }

    @Test func `with keep-going the next test runs`() {
        let course = course(Self.script, [2: .failed(Self.failure)], keepsGoing: true)
        #expect(course == ["1", "begin 0", "2", "4", "5", "end 0 failed", "begin 1", "6", "end 1 passed", "7", "8"])
    }

    @Test func `a failed cleanup fails the test, and its other steps run`() {
        let course = course(Self.script, [4: .failed(Self.failure), 7: .failed(Self.failure)], keepsGoing: true)
        #expect(
            course == ["1", "begin 0", "2", "3", "4", "5", "end 0 failed", "begin 1", "6", "end 1 passed", "7", "8"]
        )
    }

    @Test func `a failed setup skips every test`() {
        let expected = ["1", "skip 0 the setup failed", "skip 1 the setup failed", "7", "8"]
        #expect(course(Self.script, [1: .failed(Self.failure)], keepsGoing: true) == expected)
    }

    @Test func `an interruption still runs cleanup`() {
        #expect(
            course(Self.script, [2: .interrupted]) == [
                "1", "begin 0", "2", "4", "5", "end 0 skipped", "skip 1 interrupted", "7", "8",
            ]
        )
        #expect(course(Self.script, [1: .interrupted]) == ["1", "skip 0 interrupted", "skip 1 interrupted", "7", "8"])
        var progress = ScriptProgress(Self.script, keepsGoing: false)
        _ = progress.next()
        progress.interrupt()
        #expect(progress.next() == .skip(test: 0, "interrupted"))
    }

    @Test func `a script that an interruption keeps from beginning has nothing to clean up`() {
        var progress = ScriptProgress(Self.script, keepsGoing: false)
        progress.interrupt()
        for test in 0...1 { #expect(progress.next() == .skip(test: test, "interrupted")) }
        #expect(progress.next() == .finish)
    }

    @Test func `a script that a deadline keeps from beginning has no failure`() {
        var progress = ScriptProgress(Self.script, keepsGoing: false)
        progress.interrupt("too late", failing: StepFailure(kind: .broke(.timedOut), message: "too late"))
        for test in 0...1 { #expect(progress.next() == .skip(test: test, "too late")) }
        #expect(progress.next() == .finish && progress.setupFailures.isEmpty)
    }

    @Test func `an abandoned cleanup ends its test, and no step follows`() {
        let end = StepFailure(kind: .broke(.timedOut), message: "too late")
        for (line, expected) in [
            (4, ["end 0 failed", "skip 1 too late"]), (6, ["end 0 passed", "end 1 failed"]),
            (7, ["end 0 passed", "end 1 passed"]),
        ] {
            var progress = ScriptProgress(Self.script, keepsGoing: true)
            var course: [String] = []
            var steps: [Int] = []
            loop: while true {
                switch progress.next() {
                case .finish: break loop
                case .begin: break
                case .end(let test, let verdict): course.append("end \(test) \(verdict.name)")
                case .skip(let test, let reason): course.append("skip \(test) \(reason)")
                case .run(let position, _):
                    steps.append(position.step.place.line)
                    progress.stepEnded(position.step.place.line == line ? .failed(end) : .passed)
                    guard position.step.place.line == line else { continue }
                    progress.interrupt("too late", failing: end)
                    progress.abandon()
                }
            }
            #expect(course == expected && steps.last == line, "\(line): \(course) \(steps)")
        }
    }

    @Test func `failures are kept with their test`() {
        var progress = ScriptProgress(Self.script, keepsGoing: true)
        var verdicts: [ScriptProgress.Verdict] = []
        loop: while true {
            switch progress.next() {
            case .run(let position, _):
                let isBad = [3, 4, 8].contains(position.step.place.line)
                progress.stepEnded(isBad ? .failed(Self.failure) : .passed)
            case .end(_, let verdict): verdicts.append(verdict)
            case .finish: break loop
            case .begin, .skip: break
            }
        }
        #expect(verdicts == [.failed([Self.failure, Self.failure]), .passed])
        #expect(progress.cleanupFailures == [Self.failure])
        #expect(progress.setupFailures.isEmpty)
    }

    @Test func `repetitions are nested`() {
        let inner = Make.step(.repeat(2, variable: "j", [Self.step(3)]))
        let outer = Make.step(.repeat(2, variable: "i", [Self.step(2), inner]))
        let script = Make.script(Make.test("one", outer, Self.step(4)))
        #expect(
            course(script) == ["begin 0", "2/1", "3/1/1", "3/1/2", "2/2", "3/2/1", "3/2/2", "4", "end 0 passed"]
        )
    }

    @Test func `repetitions of nothing end`() {
        let empty = Make.step(.repeat(1_000_000, variable: nil, []))
        let never = Make.step(.repeat(0, variable: nil, [Self.step(2)]))
        #expect(course(Make.script(Make.test("one", empty, never))) == ["begin 0", "end 0 passed"])
    }

    @Test func `a million rounds cost no memory`() {
        var cursor = StepCursor([
            Make.step(
                .repeat(
                    1_000,
                    variable: nil,
                    [
                        Make.step(.repeat(100, variable: nil, [Self.step(1)]))
                    ]
                )
            )
        ])
        var count = 0
        while cursor.next() != nil { count += 1 }
        #expect(count == 100_000)
    }
}
