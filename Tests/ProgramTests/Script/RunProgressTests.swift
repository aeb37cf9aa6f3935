// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

@testable import Records
@testable import Scripting
@testable import Terminal

@Suite("The step that runs")
struct RunProgressTests {
    private final class Buffer: ByteSink {
        private let bytes = Mutex<[UInt8]>([])
        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
        func write(_ more: Span<UInt8>) {
            bytes.withLock { bytes in more.withUnsafeBufferPointer { bytes += $0 } }
        }
    }

    private static let pause = Make.step(.pause(.seconds(4)), line: 7)
    private static let setting = Make.step(.set("level", Make.word("50")), line: 8)

    @Test func `each part of a script counts its own steps, and a repetition those of each round`() {
        let script = Make.script(
            Make.test(
                "low battery",
                Self.pause,
                Make.step(.repeat(3, variable: nil, [Self.setting, Self.pause])),
                cleanup: [Self.pause]
            ),
            setup: [Self.setting, Self.pause],
            cleanup: [Self.pause]
        )
        var progress = RunProgress()
        #expect(progress.text(of: Self.setting, in: .setup, of: script) == nil, "it waits for nothing")
        #expect(progress.text(of: Self.pause, in: .setup, of: script) == "setup: step 2 of 2, step 7")
        #expect(progress.text(of: Self.pause, in: .test(0), of: script) == "low battery: step 1 of 7, step 7")
        #expect(progress.text(of: Self.setting, in: .test(0), of: script) == nil)
        #expect(progress.text(of: Self.pause, in: .test(0), of: script) == "low battery: step 3 of 7, step 7")
        let cleanup = progress.text(of: Self.pause, in: .cleanup(ofTest: 0), of: script)
        #expect(cleanup == "cleanup of low battery: step 1 of 1, step 7")
        #expect(progress.text(of: Self.pause, in: .finalCleanup, of: script) == "cleanup: step 1 of 1, step 7")
    }

    @Test(arguments: [true, false])
    func `the line is for terminals only, and is removed before the verdict`(_ isTerminal: Bool) async {
        let buffer = Buffer()
        let style = TextStyle(usesColor: false, isTerminal: isTerminal)
        let reporter = ScriptReporter(
            output: Output(buffer, isJSON: false, style: .plain),
            notes: Diagnostics(buffer, style: style, isQuiet: false, verbosity: 0),
            showsSteps: false,
            severalScripts: false,
            collects: false
        )
        let script = Make.script(Make.test("low\u{1B}[31m battery", Self.pause))
        await reporter.began(script)
        await reporter.began(Self.pause, in: .test(0), of: script)
        let start = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
        let report = TestReport(
            name: "low battery",
            place: Make.place,
            verdict: .passed,
            start: start,
            duration: .seconds(4),
            stepCount: 1
        )
        await reporter.ended(report, number: 1, of: script)
        let erase = "\r\u{1B}[K"
        let line = erase + "low\\u{1B}[31m battery: step 1 of 1, step 7" + erase
        let verdict = "low battery (4.00 s)\n"
        #expect(buffer.text.hasPrefix(line) == isTerminal, "\(buffer.text.debugDescription)")
        #expect(buffer.text.hasSuffix(verdict), "\(buffer.text.debugDescription)")
        #expect(buffer.text.contains("\u{1B}") == isTerminal)
    }
}
