// SPDX-License-Identifier: MIT

package import Bluetooth

// The properties of the link. `LinkControl` reads and changes them by commands to the controller.
extension Peripheral {
    /// The properties of the link. Connects first if there is no link.
    ///
    /// Properties that only events carry are known if `observesLink` was configured, or the link was changed, before
    /// the link was made.
    ///
    /// - Parameter asksPeer: Whether to ask the device for its version and its features.
    package func linkReading(asksPeer: Bool) async throws -> LinkReading {
        let connection = try await connection()
        return await linkControl.reading(
            of: connection.connectionHandle,
            knowing: connection.linkState,
            asksPeer: asksPeer
        )
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

    /// Gives the link the ATT bearers that are wanted. Connects first if there is no link.
    ///
    /// Throws a `RadioError` with `unsupported` if the radio has no enhanced bearers.
    package func fulfil(_ request: BearerRequest) async throws -> BearerOutcome {
        try await onLink { try await $0.fulfil(request) }
    }

    /// Exchanges the MTU of the bearer that every link has, also if there are others.
    package func exchangeUsualMTU() async throws { try await onLink { _ = try await $0.exchangeUsualMTU() } }

    /// The number of requests that can wait for the device's answers at the same time.
    package var requestsAtOnce: Int {
        get async { max(1, await lifecycle.link?.bearers.enhanced.count ?? 1) }
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
