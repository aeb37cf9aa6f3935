// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization
import Testing

@testable import Commands
@testable import Terminal
@testable import Toolkit

@Suite("Progress of many operations")
struct PacedProgressTests {
    /// Keeps the progress lines.
    private final class Lines: NoteSink {
        private let shown = Mutex<[String]>([])

        var all: [String] { shown.withLock { $0 } }

        func note(_ text: String) {}
        func detail(_ text: String) {}
        func remark(_ text: String) {}
        func progress(_ text: String) { shown.withLock { $0.append(text) } }
        func clearProgress() { shown.withLock { $0.append("") } }
        func conceal(_ name: String?) {}
    }

    private func moment(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    @Test func `it is drawn four times a second, however many operations there are`() {
        let lines = Lines()
        let progress = PacedProgress(lines)
        let made = Mutex(0)
        for time in 0..<1_000 {
            progress.show(at: moment(Int64(time))) {
                made.withLock { $0 += 1 }
                return "\(time)"
            }
        }
        progress.end()
        #expect(lines.all == ["0", "250", "500", "750", ""])
        #expect(made.withLock { $0 } == 4, "a text that is not drawn is not made")
    }

    private func options(_ limits: StopLimits) throws -> BenchOptions {
        let target = try AttributeTarget("battery-level")
        return BenchOptions(action: .read(target), size: 20, isOneWay: false, limits: limits)
    }

    @Test func `a measurement has a number, a time, or both`() throws {
        let count = try options(StopLimits(count: 100))
        #expect(count.progress(40, after: .seconds(12)) == "read: 40 of 100")
        let time = try options(StopLimits(duration: .seconds(60)))
        #expect(time.progress(40, after: .milliseconds(12_900)) == "read: 12 s of 60 s")
        let both = try options(StopLimits(count: 100, duration: .milliseconds(1_500)))
        #expect(both.progress(40, after: .seconds(9)) == "read: 40 of 100, 1 s of 1.5 s")
    }

    @Test func `a recorder shows how many operations it has counted`() throws {
        let lines = Lines()
        let recorder = BenchRecorder(try options(StopLimits(count: 100)), lines)
        recorder.progress.begin(at: moment(0))
        for number in 1...100 { recorder.add(octets: 1, latency: .milliseconds(10), now: moment(Int64(number) * 10)) }
        recorder.progress.end()
        let wanted = [
            "read: 0 of 100", "read: 25 of 100", "read: 50 of 100", "read: 75 of 100", "read: 100 of 100", "",
        ]
        #expect(lines.all == wanted)
    }
}
