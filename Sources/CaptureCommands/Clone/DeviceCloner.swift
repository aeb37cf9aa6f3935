// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import CommandLineInterface
import Records
import Synchronization
import Terminal
import Toolkit

/// Makes a device definition of a live device: listens to its advertisements, connects, and runs a `CloneOperation`.
struct DeviceCloner {
    /// The extent of the clone: values, recordings, and the time to listen.
    let options: CloneOptions
    let device: DeviceOptions
    let context: CommandContext

    /// The clone. A failure after everything that could be cloned is returned with it.
    func clone() async throws -> (result: CloneResult, failure: (any Error)?) {
        // A connected device does not advertise.
        if let held = context.caller.held { return try await clone(from: held, HeardAdvertising()) }
        var provider = try await context.connection(for: device)
        let central = provider.finder.central
        var heard = HeardAdvertising()
        if provider.connector.sharesLink {
            heard.remarks.append("its advertisements were not listened to, because a session is connected to it")
        } else if let selector = device.selector, central.radio.onlyPeer == nil {
            let listener = AdvertisingListener(selector: selector)
            do {
                try await listen(listener, central)
            } catch let error as BlectlError where error.status == .permissionDenied {
                // A link needs no privilege if the type of the address is known, so that the clone goes on.
                heard.remarks.append(error.message)
            }
            if let found = await listener.found {
                heard = await listener.heard
                guard found.isConnectable else { return (beacon(found, heard), nil) }
                // Reports have separate type codes for identities that the controller has resolved; a connection takes
                // the basic type.
                let address = DeviceAddress(found.address.address, found.address.type.connectionType)
                provider.found = DeviceReference(address: address, name: found.name?.text)
                provider.found?.wasHeardOnCoded = found.primaryPHY == .coded
                await remember(found)
            } else if heard.remarks.isEmpty {
                heard.remarks.append(
                    "none of its advertisements was heard in \(options.listeningTime.text); --listen-time allows more time"
                )
            }
        }
        return try await clone(from: provider, heard)
    }

    /// Clones from a device. With a result, an error is returned instead of thrown, so that the caller can write the
    /// clone first.
    private func clone(
        from provider: some DeviceProvider,
        _ heard: HeardAdvertising
    ) async throws -> (result: CloneResult, failure: (any Error)?) {
        let sink = CloneSink()
        do {
            try await context.run(CloneOperation(options: options, advertising: heard), with: provider, sink)
        } catch {
            guard let result = sink.result else { throw error }
            return (result, error)
        }
        guard let result = sink.result else {
            throw BlectlError(.internalError, cannot: "clone the device", "the clone has no result")
        }
        return (result, nil)
    }

    /// Listens until the device is found, and then for as long to it alone.
    private func listen(_ listener: AdvertisingListener, _ central: Central) async throws {
        let (time, window, notes) = (context.time, options.listeningTime, context.diagnostics)
        let start = time.now
        do {
            let lookup = LookupScan(
                central: central,
                state: context.stores.state,
                privacy: context.runState.privacy,
                notes: notes
            )
            // A device that advertises on LE Coded alone would not be heard in a short time.
            try await lookup.run(for: window, thenCoded: window) { scan, end in
                notes.progress("listening for its advertisements …")
                let isHeard = try await untilDeadline(end, time) { () async throws -> Bool in
                    try await scan.forEach { await listener.add($0) ? .stop : .goOn }
                    return true
                }
                // A beacon is taken only when no other device was heard in the whole time.
                guard isHeard == true || time.now >= start + window else { return false }
                guard await listener.settle() else { return false }
                try await untilDeadline(time.now + window, time) {
                    try await scan.forEach { report in
                        _ = await listener.add(report)
                        return .goOn
                    }
                }
                return true
            }
        } catch let error as RadioError {
            throw BlectlError(error, doing: "listen to the device")
        }
        notes.clearProgress()
    }

    /// Remembers the address type, so that the next command connects without a scan.
    private func remember(_ found: AdvertiserInfo) async {
        var known = KnownDevices(in: context.stores.state)
        known.remember(
            found.address,
            name: found.name?.text,
            seen: context.time.wallClock.description,
            isCoded: found.primaryPHY == .coded
        )
        await known.save(time: context.time)
    }

    /// The clone of a device that accepts no connections: it consists of its advertising.
    private func beacon(_ found: AdvertiserInfo, _ heard: HeardAdvertising) -> CloneResult {
        let name = found.name?.text
        let definition = DeviceDefinition(
            label: DeviceDefinition.label(fromName: name, address: found.address),
            summary: "cloned from \(found.address.address)",
            name: name,
            appearance: found.appearance,
            address: found.address,
            advertising: heard.sets,
            hasStandardServices: false
        )
        return CloneResult(
            device: DeviceReference(address: found.address, name: name),
            definition: definition,
            remarks: heard.remarks + ["it accepts no connections: its services, if it has any, are not known"],
            values: 0,
            recorded: 0,
            timestamp: Timestamp(context.time)
        )
    }
}

/// Keeps the clone that an operation reports.
private final class CloneSink: ResultSink {
    /// The clone; `nil` before the operation has reported it.
    private let taken = Mutex<CloneResult?>(nil)

    var result: CloneResult? { taken.withLock { $0 } }

    /// Takes a clone. Other results are not expected from the operation.
    func emit(_ result: OperationResult) async throws {
        guard case .other(let clone as CloneResult) = result else { return }
        taken.withLock { $0 = clone }
    }
}
