// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension CommandContext {
    /// Tells what is wrong with one target of several, where the others go on; how the command ends for that.
    func report(_ failure: BlectlError, on target: AttributeTarget) async throws -> ExitStatus {
        diagnostics.error(failure.message, hint: failure.hint)
        if output.isJSON {
            try await output.emit(TargetErrorResult(target: target.text, error: failure, timestamp: Timestamp(time)))
        }
        return failure.status
    }

    /// Reads a TARGET; what names nothing is a usage error.
    func target<Value>(_ text: String, of argument: Argument<Value>) throws -> AttributeTarget {
        do throws(AttributeTarget.Problem) {
            return try AttributeTarget(text)
        } catch {
            throw arguments.invalid(argument, text, error.expectation)
        }
    }

    /// Says so where a target names one of several characteristics: the first was taken. Costs no request: it tells what is
    /// known.
    func noteOthers(of target: AttributeTarget, on device: ConnectedDevice) async {
        guard case .characteristic(let uuid, let service) = target.kind else { return }
        let database = device.peripheral.database
        let known = await database.known(uuid, in: service)
        guard let first = known.first else { return }
        if known.count > 1 {
            noteOthers(of: target, count: known.count, taken: first.valueHandle)
        } else if let service {
            await noteOtherServices(service, taken: first.valueHandle, on: device)
        }
    }

    /// Says that a target names one of several characteristics.
    func noteOthers(of target: AttributeTarget, count: Int, taken handle: Handle) {
        diagnostics.note(
            "the device has \(count) of \(target); this is the one at \(handle). "
                + (target.service == nil ? "SERVICE/CHARACTERISTIC or " : "") + handleNamesAnother
        )
    }

    /// A profile has no targets of its own.
    private var handleNamesAnother: String {
        (arguments.command == .watch ? "blectl notify handle:" : "handle:") + " names another"
    }

    /// Says so where a target names a characteristic in one of several services: the first that has it was taken.
    func noteOtherServices(_ service: BluetoothUUID, taken handle: Handle, on device: ConnectedDevice) async {
        let count = await device.peripheral.database.knownCount(ofServices: service)
        guard count > 1 else { return }
        diagnostics.note(
            "the device has \(count) services \(serviceText(service)); this is the characteristic at \(handle). "
                + handleNamesAnother
        )
    }
}
