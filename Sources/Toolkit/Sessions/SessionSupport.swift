// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
package import RadioSharing

/// The services of the system that sessions need. The composition root provides them, because this module does not
/// depend on that of the sockets.
package protocol SessionSystem: Sendable {
    func connector(at path: String) -> any RemoteConnector

    func listen(at path: String) throws(RadioError) -> any RemoteListening
}

package struct SessionSupport: Sendable {
    package let folder: SessionFolder
    package let system: any SessionSystem
    /// The arguments of this process, with the name of the program.
    package let arguments: [String]
    /// The process that waits until this one holds a link; `nil` if this one is in the foreground.
    package let parent: WaitingParent?
    /// Adds taps for the observers of a session's packets.
    package let tapping: @Sendable (any RadioSystem) -> any RadioSystem
    /// Begins a capture of the session's packets; `nil` for a command that holds none.
    package let capture: (@Sendable () -> any PacketChannel)?
    /// Why the world of the command cannot be used, for one that may run on a session and then needs none.
    package let worldError: BlectlError?

    package init(
        folder: SessionFolder,
        system: any SessionSystem,
        arguments: [String],
        parent: WaitingParent?,
        worldError: BlectlError? = nil,
        capture: (@Sendable () -> any PacketChannel)? = nil,
        tapping: @escaping @Sendable (any RadioSystem) -> any RadioSystem
    ) {
        self.tapping = tapping
        self.folder = folder
        self.system = system
        self.arguments = arguments
        self.parent = parent
        self.worldError = worldError
        self.capture = capture
    }
}
