// SPDX-License-Identifier: MIT

package import Bluetooth

// The properties of the link. `LinkControl` reads and changes them by commands to the controller.
extension Peripheral {
    /// The properties of the link. Connects first if there is no link.
    ///
    /// Properties that only events carry are known if `observesLink` was configured, or the link was changed, before
    /// the link was made.
    package func linkReading() async throws -> LinkReading {
        let connection = try await connection()
        return await linkControl.reading(of: connection.connectionHandle, knowing: connection.linkState)
    }

    /// Changes the properties of the link. Connects first if there is no link.
    ///
    /// Throws a `RadioError` if the controller cannot be used. A property that was not reached is in the result.
    ///
    /// - Parameters:
    ///   - limit: The time for each procedure.
    package func changeLink(to request: LinkRequest, within limit: Duration) async throws -> LinkChange {
        let connection = try await connection()
        return try await linkControl.change(connection.connectionHandle, to: request, within: limit)
    }

    /// The strength of the device's signal in dBm; `nil` if the controller does not know it.
    package func signalStrength() async throws -> Int8? {
        let connection = try await connection()
        guard let handle = connection.connectionHandle else {
            throw RadioError(.noController, during: "signal of \(address.address)")
        }
        return try await linkControl.signal(of: handle)
    }

    /// Gives a new link the properties that it must have. Throws a `LinkChangeFailure` or a `RadioError`.
    func prepare(_ handle: UInt16?) async throws {
        guard let request = configuration.link, !request.isEmpty else { return }
        let limit = configuration.linkTimeout
        let change = try await linkControl.change(handle, to: request, within: limit)
        if let result = change.failure { throw LinkChangeFailure(change: change, result: result, limit: limit) }
        configuration.onLinkChanged(change)
    }
}
