// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Glibc

// Help, versions, completions and usage errors end here: no thread, no socket and no task exists yet.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// Ends with a message; that nobody takes it is no reason to end otherwise.
func fail(_ message: String, _ status: ExitStatus) -> Never {
    try? StandardStreams.write(message, to: 2)
    exit(status.rawValue)
}

StandardStreams.occupyClosed()
// A reader that goes away, or a file that may not grow, is an error of write(2), not the end: there is tidying up to do.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
do throws(UsageError) {
    let invocation = try Invocation(Array(CommandLine.arguments.dropFirst()), environment: environment)
    if let text = invocation.immediateText(width: min(100, StandardStreams.terminalSize().columns)) {
        do throws(OutputFailure) {
            try StandardStreams.write(text, to: 1)
        } catch {
            if case .failed(let why) = error { fail("blectl: cannot write to standard output: \(why)\n", .ioError) }
        }
        exit(ExitStatus.success.rawValue)
    }
    // Swift's runtime needs a few to wait for time and events, and traps where it gets none.
    guard StandardStreams.canOpen(8) else {
        fail("blectl: too few files may be opened\nhint: ulimit -n 64\n", .ioError)
    }
    if case .run(let arguments) = invocation { runCommand(arguments) }
} catch {
    fail(error.text, error.exitStatus)
}
