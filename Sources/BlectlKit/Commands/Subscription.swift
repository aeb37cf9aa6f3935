// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A characteristic that is subscribed to, and how to end that.
struct Subscription: Sendable {
    let target: AttributeTarget
    let valueHandle: Handle
    let configurationHandle: Handle

    /// Subscribes: finds the characteristic and its configuration descriptor, and writes what its properties allow.
    static func start(_ target: AttributeTarget, on device: ConnectedDevice) async throws -> Subscription {
        let peripheral = device.peripheral
        let characteristic = try await find(target, on: device)
        let configuration: ClientConfiguration
        if characteristic.properties.contains(.notify) {
            configuration = .notification
        } else if characteristic.properties.contains(.indicate) {
            configuration = .indication
        } else {
            throw BlectlError(
                .protocolError,
                "cannot subscribe to \(target): it neither notifies nor indicates, only: \(characteristic.properties)",
                hint: characteristic.properties.contains(.read) ? "blectl read \(target)" : nil
            )
        }
        let descriptor = try await peripheral.discoverDescriptor(.clientCharacteristicConfiguration, of: characteristic)
        try await peripheral.perform(WriteValue(configuration, toDescriptor: descriptor.handle))
        return Subscription(
            target: target,
            valueHandle: characteristic.valueHandle,
            configurationHandle: descriptor.handle
        )
    }

    /// Switches the values off again.
    func stop(on device: ConnectedDevice) async throws {
        try await device.peripheral.perform(WriteValue([], toDescriptor: configurationHandle))
    }

    private static func find(_ target: AttributeTarget, on device: ConnectedDevice) async throws -> GATTCharacteristic {
        switch target.kind {
        case .characteristic(let uuid, let service):
            return try await device.peripheral.discoverCharacteristic(uuid, service: service)
        case .handle(let handle):
            try await device.peripheral.exchangeMTU()
            let all = try await device.peripheral.perform(DiscoverCharacteristics(in: .all))
            guard let found = all.first(where: { $0.valueHandle == handle || $0.declaration == handle }) else {
                throw BlectlError(
                    .notFound,
                    "no characteristic has its value at \(handle)",
                    hint: "blectl inspect lists the handles"
                )
            }
            return found
        case .descriptor:
            throw BlectlError(.usage, "cannot subscribe to \(target): a descriptor does not notify")
        }
    }
}

extension CommandContext {
    /// Subscribes to the targets, hands every value to `body`, and unsubscribes, whatever ended it.
    ///
    /// - Parameters:
    ///   - count: After so many values it ends.
    ///   - duration: After that time, from the moment of the last subscription, it ends.
    func withSubscriptions(
        _ targets: [AttributeTarget],
        on device: ConnectedDevice,
        count: Int?,
        duration: Duration?,
        _ body: @escaping @Sendable (ValueEvent, Subscription, _ sequence: Int) async throws -> Void
    ) async throws {
        let connection = try await device.peripheral.connection()
        // Before the first subscription: some devices send the first value together with the answer to it.
        let observation = await connection.observe(nil)
        var subscriptions: [Subscription] = []
        let result: Result<Void, any Error>
        do {
            for target in targets {
                diagnostics.progress("subscribing to \(target) …")
                subscriptions.append(
                    try await withTimeout("subscribe to \(target)") { try await Subscription.start(target, on: device) }
                )
            }
            diagnostics.clearProgress()
            let active = subscriptions
            let work: @Sendable () async throws -> Void = {
                var sequence = 0
                while count.map({ sequence < $0 }) ?? true {
                    let event = try await observation.next()
                    guard let subscription = active.first(where: { $0.valueHandle == event.handle }) else { continue }
                    sequence += 1
                    try await body(event, subscription, sequence)
                }
            }
            if let duration {
                try await untilDeadline(time.now + duration, time, work)
            } else {
                try await work()
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        observation.end()
        if observation.droppedCount > 0 {
            diagnostics.note(
                "\(observation.droppedCount) values were dropped, because they came faster than they were read"
            )
        }
        let active = subscriptions
        try? await scope.shielded {
            try await withDeadline(time.now + ATTConnection.tidyUpTimeout, time, operation: "unsubscribe") {
                for subscription in active where connection.end == nil { try await subscription.stop(on: device) }
            }
        }
        try result.get()
    }
}
