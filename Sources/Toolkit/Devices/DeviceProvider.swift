// SPDX-License-Identifier: GPL-2.0-or-later

/// Lends a connected device for the time of some work.
///
/// Operations are independent of the origin of the device: a connection of their own, or a shared one.
package protocol DeviceProvider: Sendable {
    /// Runs `body` with the device. The provider decides whether it disconnects afterwards.
    ///
    /// Throws a `BlectlError` if there is no device or no link, or the error of `body`.
    func withDevice<Value: Sendable>(_ body: (ConnectedDevice) async throws -> Value) async throws -> Value
}
