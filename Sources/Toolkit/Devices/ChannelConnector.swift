// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Terminal

/// Opens credit-based channels to devices, and gives their links the requested properties.
package struct ChannelConnector {
    private let connector: DeviceConnector
    private let session: String?
    private let scope: TaskScope

    /// - Parameter connection: The connection of which the channel is made in place of an attribute channel.
    package init(_ connection: OneTimeConnection, scope: TaskScope) {
        connector = connection.connector
        session = connection.session
        self.scope = scope
    }

    private var options: ConnectionOptions { connector.options }
    private var radio: any Radio { connector.central.radio }
    private var time: any TimeSource { connector.central.time }

    /// Opens a channel for `body`, and closes it afterwards.
    package func withChannel(
        _ request: L2CAPRequest,
        to device: DeviceReference,
        _ body: (any L2CAPChannel) async throws -> Void
    ) async throws {
        let control = LinkControl(radio, scope: scope, time: time)
        let timing = connector.timing
        timing?.uses(device.address)
        // Some properties are reported by events only, so listening begins before the link.
        if options.link != nil || timing != nil { await control.listen() }
        try await withCleanup {
            let channel = try await preparedChannel(request, to: device, control)
            defer { channel.close() }
            if let timing {
                let handle = channel.connectionHandle
                let reading = await control.reading(of: handle)
                timing.links.read(reading, of: device.address, handle, carriesAttributes: false)
            }
            try await body(channel)
        } cleanup: {
            await control.close()
        }
    }

    /// A channel whose link has the requested properties.
    private func preparedChannel(
        _ request: L2CAPRequest,
        to device: DeviceReference,
        _ control: LinkControl
    ) async throws -> any L2CAPChannel {
        let start = time.now
        var attempts = 0
        defer { connector.timing?.connected(after: time.now - start, attempts: attempts) }
        let channel = try await open(request, to: device, &attempts)
        do {
            try await prepare(channel, to: device, control)
        } catch {
            // The caller closes only a channel that it gets.
            channel.close()
            throw error
        }
        return channel
    }

    private func prepare(_ channel: any L2CAPChannel, to device: DeviceReference, _ control: LinkControl) async throws {
        guard let request = options.link, !request.isEmpty else { return }
        let limit = LinkPreparation.limit(within: connector.timeout)
        do {
            let change = try await control.change(channel.connectionHandle, to: request, within: limit)
            if let result = change.failure { throw LinkChangeFailure(change: change, result: result, limit: limit) }
            for line in change.lines { connector.notes.detail("\(device.text): \(line)") }
        } catch let failure as LinkChangeFailure {
            throw BlectlError(failure, to: device).about(device: device)
        } catch let error as RadioError {
            throw BlectlError(error, doing: "change the link to \(device.text)").about(device: device)
        }
    }

    /// Opens the channel, with as many attempts and as long a wait for other programs as the options allow.
    private func open(
        _ request: L2CAPRequest,
        to device: DeviceReference,
        _ attempts: inout Int
    ) async throws -> any L2CAPChannel {
        let action = "open the channel \(request.spsm) to \(device.text)"
        let notes = connector.notes
        var attempt = ConnectionAttempt(retries: options.retryPolicy, waits: options.waits, at: time.now)
        defer { notes.clearProgress() }
        while true {
            notes.progress("connecting to \(device.text) …")
            attempts = attempt.number
            let next: Instant
            do throws(RadioError) {
                let deadline = time.now + options.timeout
                return try await radio.connectL2CAP(to: device.address, request, deadline: deadline, onFrame: nil)
            } catch {
                // A cancelled task gets an error of the radio, which is neither a failed attempt nor a message for the
                // user.
                if error.cause == .cancelled { try Task.checkCancellation() }
                switch attempt.failed(error, now: time.now) {
                case .wait(let moment, let isFirst):
                    if isFirst { notes.note(options.waitNote(error, device)) }
                    next = moment
                case .retry(let pause):
                    let why = BlectlError(error, doing: action).message
                    notes.note(options.retryNote(attempts, why, after: pause))
                    next = time.now + pause
                case .end:
                    throw describe(ConnectFailure(error: error, attempts: attempts), device, doing: action)
                }
            }
            try await time.sleep(until: next)
        }
    }

    /// Why there is no channel, in the words of a user.
    private func describe(_ failure: ConnectFailure, _ device: DeviceReference, doing action: String) -> any Error {
        guard let described = BlectlError(describing: failure, doing: action)?.about(device: device) else {
            return failure
        }
        // A device with a link answers no other adapter, and no other machine of a shared world.
        if let session, described.status.isRetryable {
            let remedy = "blectl session stop \(Prose.word(session))"
            return described.with(hint: "session '\(session)' has a link to it, and it may take no other: \(remedy)")
        }
        if let hint = device.hint(for: failure.error) { return described.with(hint: hint) }
        // The error of the radio does not know the device: its hint has a word in the place of the address.
        guard described.hint == "blectl pair DEVICE" else { return described }
        return described.with(hint: "blectl pair \(device.address.address)")
    }
}
