// SPDX-License-Identifier: MIT

public import BluetoothDevices

/// Runs `body` with a device on an adapter, ready to be served, and ends everything that was begun in it: advertising
/// and links.
///
///     try await withPeripheralHost(of: lamp, on: system) { host in
///         try await host.serve { event in print(event); return .goOn }
///     }
///
/// `body` runs where the caller runs. If the calling task is cancelled, the links are still ended in order.
///
/// - Parameters:
///   - device: What it advertises and serves.
///   - system: The adapters. All deadlines are on its clock.
///   - adapter: The name of the adapter, such as `hci0`, or its address; `nil` for the first one that can be used.
///   - adapterTimeout: How long to wait for an adapter that is missing, off or blocked; `nil` does not wait.
///   - configuration: The number of centrals, and how long to wait for busy resources.
///   - onNote: Called when a wait for an adapter begins, and when Low Energy was switched on.
///   - body: Serves the device by the host, and sets its values.
/// - Throws: A `BluetoothError` if there is no adapter to use, the error of an invalid definition, or the error of
///   `body`.
public func withPeripheralHost<Value>(
    of device: DeviceDefinition,
    on system: any RadioSystem,
    adapter: String? = nil,
    adapterTimeout: Duration? = nil,
    configuration: PeripheralHost.Configuration = PeripheralHost.Configuration(),
    onNote: @escaping @Sendable (AdapterReadiness.Note) -> Void = { _ in },
    _ body: (PeripheralHost) async throws -> Value
) async throws -> Value {
    let image = try device.image()
    return try await withLastingTaskScope(system.time) { scope in
        let radio: any Radio
        do throws(RadioError) {
            let readiness = AdapterReadiness(system, scope: scope, time: system.time, onNote: onNote)
            radio = try await readiness.radio(named: adapter, timeout: adapterTimeout, isForLinks: true)
        } catch {
            throw BluetoothError.from(error, doing: "use Bluetooth")
        }
        return try await body(
            PeripheralHost(image, radio: radio, scope: scope, time: system.time, configuration: configuration)
        )
    }
}
