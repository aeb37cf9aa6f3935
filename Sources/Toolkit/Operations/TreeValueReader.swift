// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Terminal

/// Reads attributes of a device's tree, one after the other, for as long as the tree stays the same.
///
/// `inspect` and `clone` use it. It notices a changed database and a silent device, so that neither shows
/// values of other attributes or waits for each value in vain.
package struct TreeValueReader {
    /// The outcome of a read. A refusal is a result, not an error.
    package enum Outcome: Sendable {
        case value(AttributeValue)
        case refused(ATTErrorCode)
        /// No answer came in time.
        case silent
        /// The device has left several requests unanswered, and is not asked any more.
        case notRead
    }

    private let context: OperationContext
    private let device: ConnectedDevice
    /// The verb of the operation on the whole device, between "cannot" and "all of": `inspect`.
    private let verb: String
    package let tree: AttributeTree
    /// The device's change count at which the tree was confirmed; `nil` after a reconnection, because the same handles
    /// may mean other attributes then.
    private var changeCount: Int?
    private var silence: SilenceTracker

    package init(of device: ConnectedDevice, to verb: String, _ context: OperationContext) async throws {
        self.context = context
        self.device = device
        self.verb = verb
        silence = SilenceTracker(timeout: context.timeout)
        context.notes.progress("discovering …")
        tree = try await context.withTimeout("discovery") { try await device.peripheral.tree() }
        changeCount = await device.peripheral.database.changeCount
        context.notes.clearProgress()
        if tree.services.isEmpty { context.notes.note("\(device.reference.text) has no services") }
        if await device.peripheral.database.hasOverlaps {
            context.notes.note(
                "the services of \(device.reference.text) overlap, because it ends them at 0xFFFF: each is taken to end"
                    + " before the next one"
            )
        }
    }

    package var isDeviceGone: Bool { silence.isDeviceGone }

    /// The error that ends the whole operation after all that could be read, if some answers did not come.
    package var failure: BlectlError? {
        let count = silence.silenceCount
        guard count > 0 else { return nil }
        let values = count == 1 ? "a value" : "\(count) values"
        return BlectlError(
            .timedOut,
            "cannot \(verb) all of \(device.reference.text): \(values) timed out"
                + (silence.isDeviceGone ? ", and no others were read" : ""),
            hint: "--timeout allows more time for each"
        )
    }

    package mutating func read(_ handle: Handle) async throws -> Outcome {
        guard !silence.isDeviceGone else { return .notRead }
        context.notes.progress("reading \(handle) …")
        do {
            // The last value is not known as such here.
            let limit = silence.timeLimit(isLast: false)
            let (value, count) = try await context.withTimeout("read \(handle)", within: limit) { [self] in
                try await readOfTree(handle)
            }
            changeCount = count
            silence.recordAnswer()
            return .value(value)
        } catch GATTError.refused(let error) {
            silence.recordAnswer()
            return .refused(error.code)
        } catch let failure as SecurityFailure where failure.refusal != nil {
            silence.recordAnswer()
            // A failure to raise the security leaves the link unusable.
            await device.peripheral.abandonLink()
            changeCount = nil
            return failure.refusal.map { .refused($0.code) } ?? .notRead
        } catch let error where error.isSilence {
            silence.recordSilence()
            // The unanswered request blocks the bearer: the next value needs a new one.
            if silence.isDeviceGone {
                await device.peripheral.disconnect()
            } else {
                await device.peripheral.abandonLink()
            }
            changeCount = nil
            return .silent
        }
    }

    /// The maximum number of attempts at a value during which the device announces a change of its database.
    private static let attempts = 3

    /// Reads an attribute of the tree; also returns the change count at which the tree was confirmed. Some devices
    /// announce changes that did not happen: the same tree is then found again, and the reading continues.
    private func readOfTree(_ handle: Handle) async throws -> (AttributeValue, changeCount: Int) {
        let peripheral = device.peripheral
        var known = changeCount
        var attempt = 0
        while true {
            attempt += 1
            let count = await peripheral.database.changeCount
            // After a change the tree is discovered again. If it is equal, no attribute has moved.
            if count != known {
                guard try await peripheral.tree() == tree else { throw changed }
                known = count
            }
            let value = try await peripheral.attribute(at: handle).read()
            // Without a change during the read the value belongs to the tree.
            // A device that announces changes without end must not hold up the reading; the next read compares the tree
            // again.
            if await peripheral.database.changeCount == count || attempt == Self.attempts { return (value, count) }
        }
    }

    /// The error for a tree that is different from the one that was printed.
    private var changed: BlectlError {
        BlectlError(
            .temporaryFailure,
            "cannot \(verb) all of \(device.reference.text): it has changed its services meanwhile",
            hint: "try again; the output is from before the change"
        )
    }
}
