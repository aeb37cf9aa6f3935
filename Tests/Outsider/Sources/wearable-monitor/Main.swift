// SPDX-License-Identifier: MIT

import LinuxRadio
import Wearable

/// Shows a strap on the kernel's radio, one line for each change: `wearable-monitor NAME`. Ends when its link was lost and made
/// again, and ten measurements have come since, or when it fails.
@main
struct Main {
    static func main() async {
        do {
            try await show()
        } catch {
            print("failed: \(error)")
        }
    }

    private static func show() async throws {
        let name = CommandLine.arguments.dropFirst().first ?? "Pulse HR"
        let (changes, continuation) = AsyncStream<StrapMonitor.Content>.makeStream()
        let monitor = StrapMonitor { continuation.yield($0) }
        try await withCentral { central in
            async let _: Void = monitor.run(on: central, named: name)
            var measurements = 0
            for await content in changes {
                print(content.state, content.batteryPercent ?? 0, content.heartRate ?? 0, content.gaps)
                if case .failed = content.state { break }
                if content.gaps > 0, content.state == .live { measurements += 1 }
                if measurements == 10 { break }
            }
        }
    }
}
