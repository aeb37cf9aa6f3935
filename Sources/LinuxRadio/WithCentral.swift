// SPDX-License-Identifier: GPL-2.0-or-later

public import BluetoothHost

/// Runs `body` as a central on an adapter of this machine, and ends everything that was begun in it.
///
///     try await withCentral { central in
///         for try await advertisement in central.scan(for: .seconds(5)) { print(advertisement.address) }
///     }
///
/// - Parameters:
///   - adapter: The name of the adapter, such as `hci0`, or its address; `nil` for the first one that can be used.
///   - adapterTimeout: How long to wait for an adapter that is missing, off or blocked; `nil` does not wait.
///   - onNote: Called when a wait for an adapter begins, and when Low Energy was switched on.
///   - body: Uses the central.
/// - Throws: A `BluetoothError` if there is no adapter to use, or the error of `body`.
public func withCentral<Value>(
    adapter: String? = nil,
    adapterTimeout: Duration? = nil,
    onNote: @escaping @Sendable (AdapterReadiness.Note) -> Void = { _ in },
    _ body: (Central) async throws -> Value
) async throws -> Value {
    let system = LinuxRadioSystem()
    defer { system.shutDown() }
    return try await withCentral(on: system, adapter: adapter, adapterTimeout: adapterTimeout, onNote: onNote, body)
}
