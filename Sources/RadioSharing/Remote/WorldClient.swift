// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost

/// The control of a world in another process.
package struct WorldClient: Sendable {
    /// The most answers to a request; more are not read.
    private static let maximumAnswers = 100_000

    /// Opens a connection for each request.
    private let connector: any RemoteConnector
    private let time: any TimeSource

    /// Creates a client. Opens nothing yet.
    package init(_ connector: any RemoteConnector, time: any TimeSource) {
        self.connector = connector
        self.time = time
    }

    /// Sends a request, and returns the answers before `done`. Throws a `RadioError` if the world cannot be reached,
    /// and a `WorldProblem` if it refuses.
    package func answers(to request: WorldRequest, timeout: Duration = .seconds(10)) async throws -> [WorldAnswer] {
        let operation = "shared world"
        let channel = try RemoteChannel(
            .control(request.encoded()),
            by: connector,
            during: operation,
            lost: .closedByPeer(nil)
        )
        defer { channel.close() }
        let collected = try await untilDeadline(time.now + timeout, time) {
            var answers: [WorldAnswer] = []
            while answers.count < Self.maximumAnswers {
                switch try WorldAnswer(decoding: try await channel.receive()) {
                case .done: return answers
                case .failed(let problem): throw problem
                case let answer: answers.append(answer)
                }
            }
            return answers
        }
        guard let collected else { throw RadioError(.controllerSilent, during: operation) }
        return collected
    }
}
