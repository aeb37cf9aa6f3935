// SPDX-License-Identifier: MIT

import Bluetooth
import FirmwareUpdate

// Images for MCUboot, by MCUmgr.
extension FirmwareUpdater {
    /// How often a request is made again on another link.
    private static let maximumLosses = 3

    mutating func updateByMCUmgr(_ parts: [Firmware.Image]) async throws {
        var server = try await MCUmgrLink.open(peripheral, environment)
        link = server.link
        var images = try await server.perform(MCUmgrReadImages())
        let running = images.filter(\.isActive)
        if parts.allSatisfy({ part in running.contains { $0.isSame(as: part) && $0.isConfirmed } }) {
            state = .untouched
            for part in parts { try await report(.present, part.part, .starts(isForGood: true)) }
            return await server.close()
        }
        let new = parts.filter { part in !running.contains { $0.isSame(as: part) } }
        // Programs that belong together are started together: none is chosen before the device has all of them.
        let missing = new.filter { part in !images.contains { $0.isSame(as: part) } }
        for part in missing { try await check(part, images, &server) }
        for part in new where !missing.contains(where: { $0.image == part.image }) {
            try await report(.present, part.part)
        }
        for part in missing {
            server = try await upload(part, server)
            images = try await insistently(MCUmgrReadImages(), &server, [part])
        }
        for part in new { try await choose(part, images, &server) }
        // An image that runs as a test would go back with a start: it is only confirmed.
        if !new.isEmpty {
            guard resets else { return await server.close() }
            for part in parts { try await report(.reset, part.part) }
            server = try await restart(server, new)
        }
        try await confirm(parts, server)
    }

    /// Has an image started next, which the device has.
    private mutating func choose(
        _ part: Firmware.Image,
        _ images: [MCUmgrImageState],
        _ server: inout MCUmgrLink
    ) async throws {
        guard let image = images.first(where: { $0.isSame(as: part) }) else {
            throw FirmwareUpdateError(.refused, "it does not list the image that it has got")
        }
        if state != .chosen, state != .kept { state = .uploaded }
        let isConfirmed = confirmation == .before
        // Some servers refuse to choose what is chosen already.
        if !image.isPending || image.isPermanent != isConfirmed {
            let request = MCUmgrSetImage(hash: part.contents.hash, isConfirmed: isConfirmed)
            _ = try await insistently(request, &server, [part])
        }
        state = isConfirmed ? .kept : .chosen
        try await report(.chosen, part.part, .starts(isForGood: isConfirmed))
    }

    /// Carries a request out that may come twice: on another link if this one is lost.
    ///
    /// - Parameter parts: Images that the device has, by which it is known.
    private mutating func insistently<Request: MCUmgrRequest>(
        _ request: Request,
        _ server: inout MCUmgrLink,
        _ parts: [Firmware.Image]
    ) async throws -> Request.Response {
        for _ in 0..<Self.maximumLosses {
            do {
                return try await server.perform(request)
            } catch  where Self.isLoss(error) {
                await server.close()
                server = try await reopenServer(parts)
            }
        }
        return try await server.perform(request)
    }

    // MARK: - Slots

    /// Throws if an image does not fit, or if the slot is needed.
    private func check(
        _ part: Firmware.Image,
        _ images: [MCUmgrImageState],
        _ server: inout MCUmgrLink
    ) async throws {
        let own = images.filter { $0.image == part.image ?? 0 }
        if let running = own.first(where: { $0.isActive && !$0.isConfirmed }) {
            throw FirmwareUpdateError(
                .refused,
                "\(running.version) runs as a test, and the other slot has the image to go back to",
                hint: "'blectl mcumgr images confirm' keeps it, 'blectl mcumgr reset' puts the old one back"
            )
        }
        if let pending = own.first(where: \.isPending) {
            throw FirmwareUpdateError(
                .refused,
                "\(pending.version) is waiting in the other slot for the next start",
                hint: "'blectl mcumgr reset' starts it"
            )
        }
        // A server that does not tell refuses the upload itself.
        let slots = try await server.performIfSupported(MCUmgrReadSlots()) ?? []
        let fitting = slots.filter { $0.image == part.image ?? 0 }
        let hint = "'blectl mcumgr info' shows its slots"
        guard slots.isEmpty || !fitting.isEmpty else {
            throw FirmwareUpdateError(
                .badFirmware,
                "\(part.name) is for program \(part.image ?? 0), for which it has no slots",
                hint: hint
            )
        }
        if let size = fitting.compactMap({ $0.maximumImageSize ?? $0.size }).min(), part.contents.octets.count > size {
            throw FirmwareUpdateError(
                .badFirmware,
                "\(part.name) has \(part.contents.octets.count) octets, and a slot has room for \(size)",
                hint: hint
            )
        }
    }

    // MARK: - Upload

    /// Uploads an image, over as many links as it takes. Returns the last one.
    private mutating func upload(_ part: Firmware.Image, _ first: MCUmgrLink) async throws -> MCUmgrLink {
        var server = first
        let limits = try await self.limits(&server)
        var upload = ImageUpload(
            part.contents.octets,
            image: part.image,
            limits: limits,
            sequence: server.nextSequence
        )
        var queue = upload.linkMade(now: time.now)
        let total = upload.total
        try await report(.progress, part.part, octets: (upload.octets, total))
        while true {
            do {
                for action in queue {
                    switch action {
                    case .send(let frame):
                        try await server.send(frame)
                        server.skip(1)
                    case .progressed(let octets):
                        state = .uploading(octets, of: total)
                        try await report(.progress, part.part, octets: (octets, total))
                    case .ended(.complete):
                        try await report(.uploaded, part.part, octets: (total, total))
                        return server
                    case .ended(let ending):
                        throw Self.failure(ending)
                    }
                }
                let frame = try await server.next(until: upload.deadline)
                let now = time.now
                queue = frame.map { upload.received($0, now: now) } ?? upload.timerFired(now: now)
            } catch  where Self.isLoss(error) {
                queue = upload.linkLost()
                guard queue.isEmpty else { throw error }
                environment.noted(.lost(octets: upload.octets, total: total))
                await server.close()
                server = try await reopenServer([])
                // Only the last answer may have got lost. To announce the file then would erase it.
                if try await insistently(MCUmgrReadImages(), &server, []).contains(where: { $0.isSame(as: part) }) {
                    try await report(.uploaded, part.part, octets: (total, total))
                    return server
                }
                let limits = try await self.limits(&server)
                queue = upload.linkMade(limits, now: time.now)
            }
        }
    }

    private func limits(_ server: inout MCUmgrLink) async throws -> ImageUpload.Limits {
        ImageUpload.Limits(
            buffers: try await server.performIfSupported(MCUmgrParameters()),
            packet: server.packet
        )
    }

    private static func failure(_ ending: ImageUpload.Ending) -> any Error {
        switch ending {
        case .refused(let refusal): refusal
        case .damaged:
            FirmwareUpdateError(.refused, "it has not stored what was sent (its hash is another one)")
        case .malformed(let error): FirmwareUpdateError(.refused, "its answers make no sense: \(error)")
        case .noRoom:
            FirmwareUpdateError(.refused, "its packets and buffers have no room for a part of the image")
        case .stalled, .complete: FirmwareUpdateError(.timedOut, "it does not go on with the upload")
        }
    }

    // MARK: - Start

    /// Has the device start anew, and waits until it is back.
    private mutating func restart(_ first: MCUmgrLink, _ parts: [Firmware.Image]) async throws -> MCUmgrLink {
        var server = first
        let chosen = state
        for _ in 0..<Self.maximumLosses {
            do {
                try await server.perform(MCUmgrReset())
                environment.noted(.waiting)
                try await server.waitForEnd(until: time.now + Self.resetLimit)
            } catch let error as RadioError where error.isLossOfDevice {
                // It has not waited until its answer was sent, or the order was lost with the link.
            }
            state = .starting
            await server.close()
            server = try await reopenServer(parts)
            let images = try await insistently(MCUmgrReadImages(), &server, parts)
            let isWaiting = images.contains { image in
                image.isPending && !image.isActive && parts.contains { image.isSame(as: $0) }
            }
            guard isWaiting else { return server }
            state = chosen
        }
        throw FirmwareUpdateError(.notRunning, "it was told to start the new image, which still waits for a start")
    }

    /// Connects again.
    ///
    /// - Parameter parts: Images that the device has: at another address it is known by them, because others of its kind may
    ///   be near that have the same name. Without any, only a device whose address changes by itself is looked for elsewhere.
    private mutating func reopenServer(_ parts: [Firmware.Image]) async throws -> MCUmgrLink {
        let (environment, own) = (environment, peripheral.address)
        let changes = own.kind == .resolvable || own.kind == .nonResolvable
        let service: BluetoothUUID? = parts.isEmpty && !changes ? nil : .mcumgrService
        let server = try await reopen([own], service: service) { candidate -> MCUmgrLink? in
            guard candidate.address != own else { return try await MCUmgrLink.open(candidate, environment) }
            // Whatever a stranger answers does not end the update.
            guard var server = try? await MCUmgrLink.open(candidate, environment) else { return nil }
            let images = (try? await server.perform(MCUmgrReadImages())) ?? []
            return parts.allSatisfy { part in images.contains { $0.isSame(as: part) } } ? server : nil
        }
        link = server.link
        return server
    }

    /// Sees that the images run, and confirms them.
    private mutating func confirm(_ parts: [Firmware.Image], _ server: MCUmgrLink) async throws {
        var server = server
        let images = try await insistently(MCUmgrReadImages(), &server, parts)
        for part in parts {
            guard images.contains(where: { $0.isActive && $0.isSame(as: part) }) else {
                state = .putBack
                let running = images.first { $0.isActive && $0.image == part.image ?? 0 }
                throw FirmwareUpdateError(
                    .notRunning,
                    "it runs \(running?.version ?? "another image") and not \(part.contents.version): the boot loader has "
                        + "not started the new image, or has put the old one back",
                    hint:
                        "a boot loader refuses an image that another key has signed, and an older version if it is told to"
                )
            }
            try await report(.running, part.part)
        }
        state = .running
        guard confirmation != .never else { return await server.close() }
        let unconfirmed = parts.filter { part in
            !images.contains { $0.isActive && $0.isConfirmed && $0.isSame(as: part) }
        }
        // Without a hash the server takes the first program; with one it takes that of the hash.
        if unconfirmed.count == 1, parts.count == 1 {
            _ = try await insistently(MCUmgrSetImage.confirmRunning, &server, parts)
        } else {
            for part in unconfirmed {
                let request = MCUmgrSetImage(hash: part.contents.hash, isConfirmed: true)
                _ = try await insistently(request, &server, parts)
            }
        }
        for part in parts { try await report(.confirmed, part.part) }
        await server.close()
    }
}

extension MCUmgrImageState {
    fileprivate func isSame(as part: Firmware.Image) -> Bool {
        image == part.image ?? 0 && hash == part.contents.hash
    }
}
