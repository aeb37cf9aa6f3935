// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// Opens credit-based channels to devices, and gives their links the wished properties.
struct ChannelConnector {
    private let options: ConnectionOptions
    private let radio: any Radio
    private let context: CommandContext

    init(_ options: ConnectionOptions, on radio: any Radio, _ context: CommandContext) {
        self.options = options
        self.radio = radio
        self.context = context
    }

    /// Opens a channel for `body`, and closes it in the end.
    func withChannel(
        _ request: L2CAPRequest,
        to device: DeviceReference,
        _ body: (any L2CAPChannel) async throws -> Void
    ) async throws {
        let control = LinkControl(radio, scope: context.scope, time: context.time)
        let timing = context.output.timing
        // Only events tell some properties, so they are listened to from before the link.
        if options.link != nil || timing != nil { await control.listen() }
        try await withCleanup {
            let channel = try await preparedChannel(request, to: device, control)
            defer { channel.close() }
            if let timing {
                let handle = channel.connectionHandle
                timing.read(await control.reading(of: handle), of: handle, carriesAttributes: false)
            }
            try await body(channel)
        } cleanup: {
            await control.close()
        }
    }

    /// A channel whose link has the wished properties.
    private func preparedChannel(
        _ request: L2CAPRequest,
        to device: DeviceReference,
        _ control: LinkControl
    ) async throws -> any L2CAPChannel {
        let start = context.time.now
        var attempts = 0
        defer { context.output.timing?.connected(after: context.time.now - start, attempts: attempts) }
        let channel = try await open(request, to: device, &attempts)
        do {
            try await prepare(channel, to: device, control)
        } catch {
            channel.close()
            throw error
        }
        return channel
    }

    /// Gives the link of a new channel the wished properties.
    private func prepare(_ channel: any L2CAPChannel, to device: DeviceReference, _ control: LinkControl) async throws {
        guard let request = options.link, !request.isEmpty else { return }
        let limit = LinkPreparation.limit(within: context.options.timeout)
        do {
            let change = try await control.change(channel.connectionHandle, to: request, within: limit)
            if let result = change.failure { throw LinkChangeFailure(change: change, result: result, limit: limit) }
            for line in change.lines { context.diagnostics.detail("\(device.text): \(line)") }
        } catch let failure as LinkChangeFailure {
            throw BlectlError(failure, to: device).about(device: device)
        } catch let error as RadioError {
            throw BlectlError(error, doing: "change the link to \(device.text)").about(device: device)
        }
    }

    /// Opens the channel, with as many attempts as the options allow.
    private func open(
        _ request: L2CAPRequest,
        to device: DeviceReference,
        _ attempts: inout Int
    ) async throws -> any L2CAPChannel {
        let action = "open the channel \(request.spsm) to \(device.text)"
        let (time, diagnostics) = (context.time, context.diagnostics)
        while true {
            diagnostics.progress("connecting to \(device.text) …")
            defer { diagnostics.clearProgress() }
            attempts += 1
            do throws(RadioError) {
                let deadline = time.now + options.timeout
                return try await radio.connectL2CAP(to: device.address, request, deadline: deadline, onFrame: nil)
            } catch {
                if error.cause == .cancelled { try Task.checkCancellation() }
                let isWorthwhile =
                    error.isTransient || error.isContention && options.waitsForOthers
                    || error.cause == .connectTimedOut && options.retriesTimeouts
                let described = BlectlError(error, doing: action).about(device: device)
                guard isWorthwhile, attempts <= options.retries else {
                    throw described.hint == "blectl pair DEVICE"
                        ? described.with(hint: "blectl pair \(device.address.address)") : described
                }
                diagnostics.note("attempt \(attempts) of \(options.retries + 1): \(described.message); trying again")
            }
            try await time.sleep(for: .milliseconds(500) * attempts)
        }
    }
}
