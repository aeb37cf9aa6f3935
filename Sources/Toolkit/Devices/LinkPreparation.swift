// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Terminal

/// Gives a link the properties that a command wants, before the command uses it.
struct LinkPreparation: Sendable {
    /// The time limit of the command's steps.
    package let timeout: Duration
    package let notes: any NoteSink

    /// The time limit of one procedure: less than that of an operation, so that the error gives the reason and not only
    /// the timeout.
    package static func limit(within timeout: Duration) -> Duration { timeout * 4 / 5 }

    /// Gives a link the ATT bearers that are wanted. Throws a `BlectlError` if the radio has none of that kind.
    package func fulfil(_ request: BearerRequest, on device: ConnectedDevice) async throws {
        do {
            _ = try await device.peripheral.fulfil(request)
        } catch let error as RadioError {
            throw BlectlError(error, doing: "open enhanced bearers to \(device.reference.text)").about(
                device: device.reference
            )
        }
    }

    /// Changes a link. Throws a `BlectlError` if it does not get the properties.
    package func change(_ device: ConnectedDevice, to request: LinkRequest) async throws {
        let limit = Self.limit(within: timeout)
        let change: LinkChange
        do {
            change = try await device.peripheral.changeLink(to: request, within: limit)
        } catch let error as RadioError {
            throw BlectlError(error, doing: "change the link to \(device.reference.text)").about(
                device: device.reference
            )
        }
        if let result = change.failure {
            let failure = LinkChangeFailure(change: change, result: result, limit: limit)
            throw BlectlError(failure, to: device.reference).about(device: device.reference)
        }
        for line in change.lines { notes.detail("\(device.reference.text): \(line)") }
    }
}
