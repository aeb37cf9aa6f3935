// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Glibc

/// The value of an environment variable; nil if it is not set.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// Prints a message and ends the process. A failure to print is ignored, because the exit status matters more.
func fail(_ message: String, _ status: ExitStatus) -> Never {
    try? StandardStreams.write(message, to: 2)
    exit(status.rawValue)
}

StandardStreams.occupyClosed()
// A closed pipe and a file size limit become errors of write(2), so that the program can clean up before it ends.
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
// Help, versions, completions and usage errors end here, before any thread, socket or task exists, so that they are
// fast.
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
    // Swift's runtime needs a few descriptors for its timers and events, and traps if it gets none.
    guard StandardStreams.canOpen(8) else {
        fail("blectl: the limit of open files is too low\nhint: ulimit -n 64\n", .ioError)
    }
    if case .run(let arguments) = invocation { runCommand(try CommandRequest(arguments)) }
} catch {
    fail(error.text, error.exitStatus)
}
