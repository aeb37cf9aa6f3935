// SPDX-License-Identifier: GPL-2.0-or-later

/// Lends a connected device for as long as something is done with it.
///
/// Operations do not know where their device comes from: a search and a connection of their own, or one that several share.
protocol DeviceProvider: Sendable {
    /// Runs `body` with the device. The link may be lost meanwhile; whether it ends afterwards is the provider's decision.
    ///
    /// Throws a `BlectlError` where there is no device or no link, and what `body` throws.
    func withDevice<Value: Sendable>(_ body: (ConnectedDevice) async throws -> Value) async throws -> Value
}
