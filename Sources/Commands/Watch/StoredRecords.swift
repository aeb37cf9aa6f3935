// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Synchronization
import Terminal
import Toolkit

/// Asks a device for the records that it has stored, and reports the outcome.
final class StoredRecords: Sendable {
    /// The longest time in which nothing comes. Spec: Glucose Profile 1.0.1, 4.6.5
    private static let reportTimeout = Duration.seconds(30)

    let target: AttributeTarget
    private let access: RecordAccess
    private let device: ConnectedDevice
    private let context: OperationContext
    private let state: Mutex<(conversation: RecordConversation, lastEvent: Instant)>

    init(
        _ access: RecordAccess,
        _ selection: RecordAccess.Selection,
        device: ConnectedDevice,
        context: OperationContext
    ) throws {
        self.access = access
        self.device = device
        self.context = context
        target = try AttributeTarget("\(access.service)/\(RecordAccess.characteristic)")
        // The silence counts from the creation until the first event.
        state = Mutex((RecordConversation(selection), context.time.now))
    }

    /// Whether the device has sent everything, or has refused.
    var isComplete: Bool { state.withLock { $0.conversation.ending != nil } }

    /// Asks for the records, after the subscription.
    func begin(with targets: [AttributeTarget]) async throws {
        // Without the control point the device is never asked, and the observation would only wait for the silence.
        guard targets.contains(target) else {
            throw MissingAttribute.characteristic(RecordAccess.characteristic, service: access.service)
        }
        try await execute(next { $0.begin() })
    }

    /// The device has sent a value of one of the other characteristics.
    func countRecord(of characteristic: BluetoothUUID) {
        _ = next {
            // Other values, such as the context of a measurement, only restart the time of the silence.
            if characteristic == access.record { $0.recordReceived() }
            return .wait
        }
    }

    /// The device has said something at the control point.
    func received(_ bytes: [UInt8]) async throws { try await execute(next { $0.answered(bytes) }) }

    /// Throws when nothing has come for a time.
    func watchOverSilence() async throws {
        while !isComplete {
            let deadline = state.withLock { $0.lastEvent } + Self.reportTimeout
            guard context.time.now < deadline else {
                throw DeadlineExceeded("report of the stored records", limit: Self.reportTimeout)
            }
            // If something has come while it slept, the deadline has moved, and it sleeps again.
            try await context.time.sleep(until: deadline)
        }
    }

    /// Reports the outcome. Throws if the device has refused, or has sent fewer or more records than it announced.
    func conclude() throws(BlectlError) {
        let device = device.reference.text
        switch state.withLock({ $0.conversation.ending }) {
        case nil: break
        case .noRecords: context.notes.note("\(device) has no such records")
        case .complete(_, nil): break
        case .complete(let received, let announced?):
            guard received != announced else { break }
            throw BlectlError(
                .expectationFailed,
                "\(device) announced \(count: announced, "record"), and sent \(received)"
            )
        case .refused(let outcome):
            throw BlectlError(
                // 10 means "server busy". Trying again later makes sense.
                outcome.rawValue == 10 ? .temporaryFailure : .protocolError,
                cannot: "get the stored records of \(device)",
                "the device answered: \(outcome.name)"
            )
        }
    }

    /// Passes an event to the conversation, and restarts the time of the silence.
    private func next(_ event: (inout RecordConversation) -> RecordConversation.Action) -> RecordConversation.Action {
        state.withLock {
            $0.lastEvent = context.time.now
            return event(&$0.conversation)
        }
    }

    /// Carries out an action of the conversation: a write to the control point, or nothing.
    private func execute(_ action: RecordConversation.Action) async throws {
        guard case .write(let octets) = action else { return }
        let characteristic = device.peripheral.characteristic(RecordAccess.characteristic, in: access.service)
        try await context.withTimeout("ask for the stored records") { _ = try await characteristic.write(octets) }
    }
}
