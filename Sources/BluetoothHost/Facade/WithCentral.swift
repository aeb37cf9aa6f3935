// SPDX-License-Identifier: MIT

/// Runs `body` as a central on an adapter, and ends everything that was begun in it: scans, subscriptions and links.
///
///     try await withCentral(on: system) { central in
///         let strap = try await central.find { $0.services.contains(HeartRateService.uuid) }
///         try await central.withPeripheral(strap.address) { strap in
///             print(try await strap.read(.batteryLevel).percent)
///         }
///     }
///
/// `body` runs where the caller runs. If the calling task is cancelled, what it waits for throws, and the links and
/// scans are still ended in order.
///
/// - Parameters:
///   - system: The adapters. All deadlines are on its clock.
///   - adapter: The name of the adapter, such as `hci0`, or its address, which stays when the numbers change; `nil` for
///     the first one that can be used.
///   - adapterTimeout: How long to wait for an adapter that is missing, off or blocked; `nil` does not wait.
///   - onNote: Called when a wait for an adapter begins, and when Low Energy was switched on.
///   - body: Uses the central.
/// - Throws: A `BluetoothError` if there is no adapter to use, or the error of `body`.
public func withCentral<Value>(
    on system: any RadioSystem,
    adapter: String? = nil,
    adapterTimeout: Duration? = nil,
    onNote: @escaping @Sendable (AdapterReadiness.Note) -> Void = { _ in },
    _ body: (Central) async throws -> Value
) async throws -> Value {
    try await withLastingTaskScope(system.time) { links in
        let central: Central
        do throws(RadioError) {
            central = try await Central.open(
                on: system,
                named: adapter,
                adapterTimeout: adapterTimeout,
                scope: links,
                onNote: onNote
            )
        } catch {
            throw BluetoothError.from(error, doing: "use Bluetooth")
        }
        // Scans end before the channels to the controller, which end with the outer scope.
        return try await withLastingTaskScope(system.time) { scans in
            let central = Central(central, scans: scans)
            return try await withCleanup {
                try await body(central)
            } cleanup: {
                await central.disconnectAll()
            }
        }
    }
}
