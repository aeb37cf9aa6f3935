// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

extension BlectlError {
    /// The same error with the advice for a command in the world of the options: in one that processes share, the
    /// adapter is not that of the machine, and `blectl simulate` switches it on.
    func inWorld(of options: GlobalOptions) -> BlectlError {
        guard hint == AdapterSpec.commandLine("power on", adapter: subject.adapter),
            let socket = options.sharedWorld
        else { return self }
        return with(hint: "blectl simulate adapter on --socket \(Prose.word(socket))")
    }
}

extension GlobalOptions {
    /// The socket of the world that the command has joined; `nil` if it has none, or a world of its own.
    fileprivate var sharedWorld: String? {
        guard isSimulated, simulatedWorlds.count == 1, let path = simulatedWorlds.first else { return nil }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK ? path : nil
    }
}
