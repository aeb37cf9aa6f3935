// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Glibc
import Terminal

extension BlectlError {
    /// The same error with the advice for a command in the world of the options: in one that processes share, the
    /// adapter is not that of the machine, and `blectl simulate` switches it on.
    func inWorld(of options: GlobalOptions) -> BlectlError {
        guard hint == AdapterHint.commandLine("power on", adapter: subject.adapter),
            let socket = options.sharedWorld
        else { return self }
        return with(hint: "blectl simulate power on --socket \(Prose.word(socket))")
    }

    /// The same error with the advice for a world of `--simulate` that cannot be opened.
    ///
    /// - Parameter worlds: The values of the option, or that of its variable.
    package func opening(worlds: [String]) -> BlectlError {
        guard status == .cannotOpenInput, hint == nil,
            let world = worlds.first(where: { message.hasPrefix("cannot open \($0): ") })
        else { return self }
        return with(hint: Self.hint(forMissingWorld: world))
    }

    /// What was probably meant by the name of a world that does not exist; `nil` for the name of a file.
    private static func hint(forMissingWorld world: String) -> String? {
        let parts = world.split(separator: ",").map(String.init)
        if parts.count > 1, parts.allSatisfy({ $0.hasSuffix(".json") }) {
            return "each file has an option: " + parts.map { "--simulate=\(Prose.word($0))" }.joined(separator: " ")
        }
        guard !world.hasSuffix(".json") else { return nil }
        // The socket of a world that has ended is gone, too.
        let serve = "keep a shared world alive: blectl simulate serve --socket PATH"
        guard !world.contains("/") else { return serve }
        let words = BuiltInWorld.all.map(\.label) + (BuiltInDevice.all + BuiltInDevice.apart).map(\.label)
        if let near = Suggestion.closest(to: world, among: words) { return "did you mean --simulate=\(near)?" }
        return "--simulate alone has the devices of blectl; \(serve)"
    }
}

extension GlobalOptions {
    /// The socket of the world that the command has joined; `nil` if it has none, or a world of its own.
    package var sharedWorld: String? {
        guard isSimulated, simulatedWorlds.count == 1, let path = simulatedWorlds.first else { return nil }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK ? path : nil
    }
}
