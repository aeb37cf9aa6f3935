// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
package import Terminal

/// What the process and its machine have for a command. By default nothing.
package struct ProcessResources: Sendable {
    /// The terminal for live screens; `nil` if there is none.
    package var terminal: (any LiveTerminal)?
    /// What a shell gets of its process; `nil` for every other command.
    package var shell: ShellHost?
    /// The machine of the adapters; `nil` if it cannot be looked at.
    package let machine: (any InspectedMachine)?
    /// Runs functions that may block on threads of their own; `nil` in virtual time, which runs on one thread.
    package let blocking: BlockingRunner?
    /// The variables of the process as `NAME=value` and a zero, for the programs that it starts. They need not be UTF-8.
    package let variables: @Sendable () -> [[CChar]]
    /// The seconds by which local time is ahead of UTC at a moment.
    package let zone: @Sendable (WallTime) -> Int

    /// Lends adapters to other processes, until they are lost or the task is cancelled; `nil` if they cannot be lent.
    package let lend: Lending?

    /// Lends the adapters of a system at the path of a socket, or without one to the program at the other end of standard
    /// input and output. Calls the function when others can use them.
    package typealias Lending =
        @Sendable (any RadioSystem, String?, @escaping @Sendable () async throws -> Void) async throws -> Void

    package init(
        terminal: (any LiveTerminal)? = nil,
        shell: ShellHost? = nil,
        machine: (any InspectedMachine)? = nil,
        blocking: BlockingRunner? = nil,
        variables: @escaping @Sendable () -> [[CChar]] = { [] },
        zone: @escaping @Sendable (WallTime) -> Int = { _ in 0 },
        lend: Lending? = nil
    ) {
        self.terminal = terminal
        self.shell = shell
        self.machine = machine
        self.blocking = blocking
        self.variables = variables
        self.zone = zone
        self.lend = lend
    }
}

extension CommandContext {
    /// The variables of the process by their names, without those that are not UTF-8. Like getenv(3), it takes the first
    /// of several with one name.
    package var environment: [String: String] {
        var environment: [String: String] = [:]
        for variable in process.variables() {
            let octets = variable.dropLast().lazy.map { UInt8(bitPattern: $0) }
            guard let text = String(validating: octets, as: UTF8.self), let sign = text.firstIndex(of: "=") else {
                continue
            }
            let name = String(text[..<sign])
            if environment[name] == nil { environment[name] = String(text[text.index(after: sign)...]) }
        }
        return environment
    }
}
