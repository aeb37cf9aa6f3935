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
    /// The variables of the process as `NAME=value`, for the programs that it starts.
    package let variables: @Sendable () -> [String]
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
        variables: @escaping @Sendable () -> [String] = { [] },
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
