// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import Glibc

// Help, versions, completions and usage errors end here: no thread, no socket and no task exists yet.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

func print(_ text: String, to descriptor: Int32) -> Bool {
    do throws(OutputFailure) {
        try FileDescriptorSink(descriptor).write(Array(text.utf8))
        return true
    } catch {
        return error == .brokenPipe
    }
}

do throws(UsageError) {
    let invocation = try Invocation(Array(CommandLine.arguments.dropFirst()), environment: environment)
    signal(SIGPIPE, SIG_IGN)
    if let text = invocation.immediateText(width: min(100, StandardStreams.terminalSize().columns)) {
        exit(print(text, to: 1) ? ExitStatus.success.rawValue : ExitStatus.ioError.rawValue)
    }
    if case .run(let arguments) = invocation { runCommand(arguments) }
} catch {
    _ = print(error.text, to: 2)
    exit(error.exitStatus.rawValue)
}
