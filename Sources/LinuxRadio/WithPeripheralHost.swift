// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothDevices
public import BluetoothHost

/// Runs `body` with a device on an adapter of this machine, ready to be served, and ends everything that was begun in
/// it.
///
/// - Parameters:
///   - device: The device to advertise and serve.
///   - adapter: The name of the adapter, such as `hci0`, or its address; `nil` for the first one that can be used.
///   - adapterTimeout: How long to wait for an adapter that is missing, off or blocked; `nil` does not wait.
///   - configuration: The number of centrals, and how long to wait for busy resources.
///   - onNote: Called when a wait for an adapter begins, and when Low Energy was switched on.
///   - body: Serves the device by the host, and sets its values.
/// - Throws: A `BluetoothError` if there is no adapter to use, the error of an invalid definition, or the error of
///   `body`.
public func withPeripheralHost<Value>(
    of device: DeviceDefinition,
    adapter: String? = nil,
    adapterTimeout: Duration? = nil,
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
        adapterTimeout: adapterTimeout,
        configuration: configuration,
        onNote: onNote,
        body
    )
}
