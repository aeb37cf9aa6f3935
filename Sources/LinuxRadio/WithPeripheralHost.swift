// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothDevices
public import BluetoothHost

/// Runs `body` with a device on an adapter of this machine, ready to be served, and ends everything that was begun in it.
///
/// - Parameters:
///   - device: What it advertises and serves.
///   - adapter: The name of the adapter, such as `hci0`; `nil` for the first one that can be used.
///   - patience: How long an adapter that is missing, off or blocked is waited for; `nil` for not at all.
///   - configuration: How many centrals are served, and how long busy resources are waited for.
///   - onNote: Called when an adapter is waited for, and when Low Energy was switched on.
///   - body: Serves the device by the host, and sets its values.
/// - Throws: A `BluetoothError` if there is no adapter to use, the error of a definition that is no device, or the error of
///   `body`.
public func withPeripheralHost<Value>(
    of device: DeviceDefinition,
    adapter: String? = nil,
    patience: Duration? = nil,
    configuration: PeripheralHost.Configuration = PeripheralHost.Configuration(),
    onNote: @escaping @Sendable (AdapterReadiness.Note) -> Void = { _ in },
    _ body: (PeripheralHost) async throws -> Value
) async throws -> Value {
    let system = LinuxRadioSystem()
    defer { system.shutDown() }
    return try await withPeripheralHost(
        of: device,
        on: system,
        adapter: adapter,
        patience: patience,
        configuration: configuration,
        onNote: onNote,
        body
    )
}
