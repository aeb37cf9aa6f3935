// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import FirmwareUpdate
import Records
import Terminal
import Toolkit

/// Updates the firmware of a device: uploads what it lacks, has it started, and sees that it runs.
struct UpdateOperation: DeviceOperation {
    /// How long a device may be away when it starts anew: a boot loader that swaps large slots takes a minute.
    private static let startLimit = Duration.seconds(180)
    /// Between two attempts to connect to a device that starts.
    private static let startPause = Duration.seconds(1)
    /// How long a device may take to end its links after it was told to start anew.
    private static let resetLimit = Duration.seconds(10)

    let options: UpdateOptions
    let file: FirmwareFile
    let output: Output

    init(_ options: UpdateOptions, _ file: FirmwareFile, _ output: Output) {
        self.options = options
        self.file = file
        self.output = output
    }

    func action(on device: DeviceReference) -> String { "update \(device.text)" }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        var state = UpdateState.untouched
        do {
            try await update(device, context, &state)
        } catch {
            context.notes.clearProgress()
            let (words, hint) = (state.words, state.hint)
            guard !Task.isCancelled, !(error is CancellationError) else {
                context.notes.note("\(words); \(hint)")
                throw error
            }
            let reference = await device.subjectOfError
            if let refusal = error as? MCUmgrRefusal {
                throw BlectlError(refusal, cannot: action(on: reference), hint: hint).adding("; \(words)")
            }
            let described = BlectlError(describing: error, doing: action(on: reference), to: reference, about: nil)
            throw described.map { $0.adding("; \(words)").with(hint: $0.hint ?? hint) } ?? error
        }
    }

    private func update(_ device: ConnectedDevice, _ context: OperationContext, _ state: inout UpdateState) async throws
    {
        var server = try await MCUmgrLink.open(on: device, in: context)
        var images = try await server.perform(MCUmgrReadImages())
        let running = images.filter(\.isActive)
        if file.parts.allSatisfy({ part in running.contains { $0.isSame(as: part) && $0.isConfirmed } }) {
            for part in file.parts {
                try await report(
                    .present,
                    part,
                    device,
                    context,
                    "\(part.contents.version) runs already, and is confirmed"
                )
            }
            return await server.close()
        }
        let new = file.parts.filter { part in !running.contains { $0.isSame(as: part) } }
        for part in new {
            if !images.contains(where: { $0.isSame(as: part) }) {
                try await check(part, images, &server, device)
                server = try await upload(part, server, device, context, &state)
                images = try await server.perform(MCUmgrReadImages())
            } else {
                try await report(.present, part, device, context, "\(part.contents.version) is in a slot already")
            }
            guard images.contains(where: { $0.isSame(as: part) }) else {
                throw BlectlError(
                    .protocolError,
                    cannot: action(on: device.reference),
                    "it does not list the image that it has got"
                )
            }
            state = .uploaded
            let isConfirmed = options.confirmation == .before
            _ = try await server.perform(MCUmgrSetImage(hash: part.contents.hash, isConfirmed: isConfirmed))
            state = isConfirmed ? .kept : .chosen
            let words = isConfirmed ? "for good" : "once"
            try await report(.chosen, part, device, context, "\(part.contents.version) is started next, \(words)")
        }
        // An image that runs as a test would go back with a start: it is only confirmed.
        if !new.isEmpty {
            guard options.resets else { return await server.close() }
            server = try await restart(server, device, context, &state)
        }
        try await confirm(server, device, context, &state)
    }

    // MARK: - Slots

    /// Throws if an image does not fit, or if the slot is needed.
    private func check(
        _ part: FirmwareFile.Part,
        _ images: [MCUmgrImageState],
        _ server: inout MCUmgrLink,
        _ device: ConnectedDevice
    ) async throws {
        let action = action(on: device.reference)
        let own = images.filter { $0.image == part.image ?? 0 }
        if let running = own.first(where: { $0.isActive && !$0.isConfirmed }) {
            throw BlectlError(
                .protocolError,
                cannot: action,
                "\(TerminalText.escaped(running.version)) runs as a test, and the other slot has the image to go back to",
                hint: "'blectl mcumgr images confirm' keeps it, 'blectl mcumgr reset' puts the old one back"
            )
        }
        if let pending = own.first(where: \.isPending) {
            throw BlectlError(
                .protocolError,
                cannot: action,
                "\(TerminalText.escaped(pending.version)) is waiting in the other slot for the next start",
                hint: "'blectl mcumgr reset' starts it"
            )
        }
        // A server that does not tell refuses the upload itself.
        let slots = try await server.performIfSupported(MCUmgrReadSlots()) ?? []
        let sizes = slots.filter { $0.image == part.image ?? 0 }.compactMap { $0.maximumImageSize ?? $0.size }
        if let size = sizes.min(), part.contents.octets.count > size {
            throw BlectlError(
                .badData,
                cannot: action,
                "\(part.name) has \(part.contents.octets.count) octets, and a slot has room for \(size)"
            )
        }
    }

    // MARK: - Upload

    /// Uploads an image, over as many links as it takes. Returns the last one.
    private func upload(
        _ part: FirmwareFile.Part,
        _ first: MCUmgrLink,
        _ device: ConnectedDevice,
        _ context: OperationContext,
        _ state: inout UpdateState
    ) async throws -> MCUmgrLink {
        var server = first
        let limits = try await self.limits(&server)
        var upload = ImageUpload(
            part.contents.octets,
            image: part.image,
            limits: limits,
            sequence: server.nextSequence
        )
        let progress = UploadProgress(context, output)
        var queue = upload.linkMade(now: context.time.now)
        progress.begin(upload.octets)
        while true {
            do {
                for action in queue {
                    switch action {
                    case .send(let frame):
                        try await server.send(frame)
                        server.skip(1)
                    case .progressed(let octets):
                        state = .uploading(octets, of: upload.total)
                        if let result = progress.result(part, octets, device) { try await output.emit(result) }
                    case .ended(.complete):
                        context.notes.clearProgress()
                        try await output.emit(progress.end(part, device))
                        return server
                    case .ended(let ending):
                        throw failure(ending, part, device)
                    }
                }
                let frame = try await server.next(until: upload.deadline)
                let now = context.time.now
                queue = frame.map { upload.received($0, now: now) } ?? upload.timerFired(now: now)
            } catch let error as RadioError where error.isLoss {
                queue = upload.linkLost()
                guard queue.isEmpty else { throw error }
                context.notes.note("the link was lost at \(upload.octets) of \(upload.total) octets; connecting again")
                server = try await reopen(device, context)
                // Only the last answer may have got lost. To announce the file then would erase it.
                if try await server.perform(MCUmgrReadImages()).contains(where: { $0.isSame(as: part) }) {
                    try await output.emit(progress.end(part, device))
                    return server
                }
                let limits = try await self.limits(&server)
                queue = upload.linkMade(limits, now: context.time.now)
                progress.begin(upload.octets)
            }
        }
    }

    private func limits(_ server: inout MCUmgrLink) async throws -> ImageUpload.Limits {
        ImageUpload.Limits(
            buffers: try await server.performIfSupported(MCUmgrParameters()),
            packet: server.packet
        )
    }

    private func failure(_ ending: ImageUpload.Ending, _ part: FirmwareFile.Part, _ device: ConnectedDevice)
        -> any Error
    {
        let action = action(on: device.reference)
        switch ending {
        case .refused(let refusal): return refusal
        case .damaged:
            return BlectlError(
                .protocolError,
                cannot: action,
                "it has not stored what was sent (its hash is another one)"
            )
        case .malformed(let error):
            return BlectlError(.protocolError, cannot: action, "its answers make no sense: \(error)")
        case .noRoom:
            return BlectlError(
                .protocolError,
                cannot: action,
                "its packets and buffers have no room for a part of the image"
            )
        case .stalled, .complete:
            return BlectlError(.timedOut, cannot: action, "it does not go on with the upload")
        }
    }

    // MARK: - Start

    /// Has the device start anew, and waits until it is back.
    private func restart(
        _ server: MCUmgrLink,
        _ device: ConnectedDevice,
        _ context: OperationContext,
        _ state: inout UpdateState
    ) async throws -> MCUmgrLink {
        var server = server
        for part in file.parts { try await report(.reset, part, device, context, "the device starts anew") }
        do {
            try await server.perform(MCUmgrReset())
            context.notes.progress("waiting for \(device.reference.text) to start …")
            try await server.waitForEnd(until: context.time.now + Self.resetLimit)
        } catch let error as RadioError where error.isLoss {
            // It has not waited until its answer was sent.
        }
        state = .starting
        return try await reopen(device, context)
    }

    /// Connects again to a device that was lost, as soon as it is there.
    private func reopen(_ device: ConnectedDevice, _ context: OperationContext) async throws -> MCUmgrLink {
        // A link whose end is not known yet would be taken for one.
        await device.peripheral.abandonLink()
        let deadline = context.time.now + Self.startLimit
        while true {
            do {
                return try await MCUmgrLink.open(on: device, in: context)
            } catch  where Self.passes(error) && context.time.now < deadline {
                await device.peripheral.disconnect()
                try await context.time.sleep(for: Self.startPause)
            }
        }
    }

    /// Whether an error is one of a device that is not there yet.
    private static func passes(_ error: any Error) -> Bool {
        if error is CancellationError { return false }
        return error is ConnectFailure || error is DeadlineExceeded || (error as? RadioError)?.isLoss == true
    }

    /// Sees that the images run, and confirms them.
    private func confirm(
        _ server: MCUmgrLink,
        _ device: ConnectedDevice,
        _ context: OperationContext,
        _ state: inout UpdateState
    ) async throws {
        var server = server
        let images = try await server.perform(MCUmgrReadImages())
        context.notes.clearProgress()
        for part in file.parts {
            guard images.contains(where: { $0.isActive && $0.isSame(as: part) }) else {
                state = .putBack
                let running = images.first { $0.isActive && $0.image == part.image ?? 0 }
                let version = running.map { TerminalText.escaped($0.version) } ?? "another image"
                throw BlectlError(
                    .expectationFailed,
                    cannot: action(on: device.reference),
                    "it runs \(version) and not \(part.contents.version): the boot loader has not started the new image, "
                        + "or has put the old one back",
                    hint:
                        "a boot loader refuses an image that another key has signed, and an older version if it is told to"
                )
            }
            try await report(.running, part, device, context, "\(part.contents.version) runs")
        }
        state = .running
        guard options.confirmation != .never else { return await server.close() }
        let unconfirmed = file.parts.filter { part in
            !images.contains { $0.isActive && $0.isConfirmed && $0.isSame(as: part) }
        }
        // Without a hash the server takes the first program; with one it takes that of the hash.
        if unconfirmed.count == 1, file.parts.count == 1 {
            _ = try await server.perform(MCUmgrSetImage.confirmRunning)
        } else {
            for part in unconfirmed {
                _ = try await server.perform(MCUmgrSetImage(hash: part.contents.hash, isConfirmed: true))
            }
        }
        for part in file.parts {
            try await report(.confirmed, part, device, context, "\(part.contents.version) is confirmed")
        }
        await server.close()
    }

    // MARK: - Results

    private func report(
        _ step: UpdateResult.Step,
        _ part: FirmwareFile.Part,
        _ device: ConnectedDevice,
        _ context: OperationContext,
        _ words: String
    ) async throws {
        try await output.emit(
            UpdateResult(
                device: device.reference,
                step: step,
                image: part.image ?? 0,
                version: part.contents.version,
                hash: part.contents.hash,
                words: words,
                timestamp: Timestamp(context.time)
            )
        )
    }
}

extension MCUmgrImageState {
    /// Whether it is the image of a file.
    fileprivate func isSame(as part: FirmwareFile.Part) -> Bool {
        image == part.image ?? 0 && hash == part.contents.hash
    }
}

extension RadioError {
    /// Whether a link was lost that can be made again.
    fileprivate var isLoss: Bool {
        switch cause {
        case .linkLost, .closedByPeer, .connectTimedOut, .connectFailed: true
        default: false
        }
    }
}
