// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
package import RadioSharing

/// The worlds that processes share, as the composition root provides them.
package protocol SharedWorlds: Sendable {
    /// A way to the process that keeps the world alive whose socket is at the path.
    func connector(at path: String) -> any RemoteConnector

    /// Keeps a world alive until it is stopped from outside, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: The path of the socket to create.
    ///   - files: The files of its devices; empty for the built-in ones.
    ///   - seed: The seed of everything random in the world, so that a run can be repeated.
    ///   - whenReady: Called with the number of devices when processes can join.
    func serve(
        at path: String,
        files: [String],
        seed: UInt64,
        whenReady: @escaping @Sendable (Int) async throws -> Void
    ) async throws
}

/// Carries out a request to the simulated world of the run. Throws a `WorldProblem` if the world refuses it.
package typealias WorldAccess = @Sendable (WorldRequest) async throws -> [WorldAnswer]
