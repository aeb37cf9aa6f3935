// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Terminal
import Toolkit

/// A write of many octets to one characteristic in pieces, for serial services.
///
/// Each piece is a separate value that fits into one packet. With response, a piece is sent when the one before is
/// acknowledged. Without response, the channel's flow control admits the next one; a harmless read now and then shows
/// that the device has taken all pieces before it, so that closing the link cannot lose any.
struct PiecewiseWrite {
    /// The number of pieces without response between two such reads.
    private static let piecesBetweenAnswers = 64

    let context: OperationContext
    let device: ConnectedDevice
    let target: AttributeTarget
    let handle: Handle
    let source: ByteSource
    let isWithoutResponse: Bool
    /// The size limit of a piece, in octets; `nil` for that of a packet.
    let chunk: Int?

    private struct Progress {
        var octets = 0
        var pieces = 0
        /// The length of the piece that was sent last.
        var latest: Int?
        /// The number of octets that the device has certainly taken.
        var confirmed = 0
    }

    /// Writes everything.
    ///
    /// - Parameters:
    ///   - first: The octets already read from the source.
    ///   - action: The action, to follow "cannot" in an error, which also states the progress.
    /// - Returns: The numbers of octets and of pieces.
    func run(first: [UInt8], describedAs action: String) async throws -> (octets: Int, pieces: Int) {
        // One link for all octets: after a reconnection some of them would be missing.
        let link = try await device.peripheral.connection()
        var progress = Progress()
        do {
            try await write(first, on: link, &progress)
        } catch {
            let done = summary(progress)
            guard !Task.isCancelled,
                let failure = BlectlError(
                    describing: error,
                    doing: action,
                    to: device.reference,
                    about: await device.completed(
                        RequestSubject(target: target, sentLength: progress.latest),
                        by: error
                    )
                )
            else {
                context.notes.clearProgress()
                context.notes.note(done)
                throw error
            }
            throw failure.adding("; \(done)")
        }
        context.notes.clearProgress()
        return (progress.octets, progress.pieces)
    }

    /// Writes piece by piece. The MTU is exchanged only when the octets at hand do not fit into a packet, so that a
    /// short value costs no exchange.
    private func write(_ first: [UInt8], on link: ATTConnection, _ progress: inout Progress) async throws {
        var pending = first
        var taken = first.count
        var isAtEnd = first.isEmpty
        let wanted = min(chunk ?? .max, GATTLimits.maximumValueLength)
        repeat {
            // A piece is short only if the source has no more octets yet.
            while pending.count < wanted, !isAtEnd, pending.isEmpty || source.isReady {
                let more = try await source.next(after: taken)
                pending += more
                taken += more.count
                isAtEnd = more.isEmpty
            }
            var size = await pieceSize(link)
            if pending.count > size, size < wanted, !link.isExchangeLeftOut {
                try await context.withTimeout("exchange the MTU") { _ = try await link.exchangeMTU() }
                size = await pieceSize(link)
            }
            // Input without any octet is written as one empty value.
            if pending.isEmpty, progress.pieces > 0 { break }
            let piece = Array(pending.prefix(size))
            pending.removeFirst(piece.count)
            progress.latest = piece.count
            try await write(piece, on: link)
            progress.octets += piece.count
            progress.pieces += 1
            if !isWithoutResponse {
                progress.confirmed = progress.octets
            } else if progress.pieces.isMultiple(of: Self.piecesBetweenAnswers) {
                try await awaitAnswer(on: link)
                progress.confirmed = progress.octets
            }
            let total = source.count.map { " of \($0)" } ?? ""
            context.notes.progress("writing \(target): \(progress.octets)\(total) octets")
        } while !pending.isEmpty || !isAtEnd
        // A single piece is an ordinary write without response.
        if isWithoutResponse, progress.pieces > 1, progress.confirmed < progress.octets {
            try await awaitAnswer(on: link)
        }
    }

    private func pieceSize(_ link: ATTConnection) async -> Int {
        min(chunk ?? .max, WriteValue.maximumLength(mtu: await link.mtu), GATTLimits.maximumValueLength)
    }

    /// Writes one piece, with its own time limit, so that the whole write may take as long as it makes progress.
    private func write(_ piece: [UInt8], on link: ATTConnection) async throws {
        let (handle, isWithoutResponse) = (handle, isWithoutResponse)
        try await context.withTimeout("write \(target)") {
            if isWithoutResponse {
                try await link.writeWithoutResponse(piece, to: handle)
            } else {
                _ = try await link.write(piece, to: handle)
            }
        }
    }

    /// Waits until the device has taken all pieces, by reading an attribute after them. The first attribute is the
    /// declaration of a service in every device; a refusal suffices.
    private func awaitAnswer(on link: ATTConnection) async throws {
        try await context.withTimeout("write \(target)") {
            do {
                _ = try await link.read(at: Handle(0x0001))
            } catch is GATTError {}
        }
    }

    private func summary(_ progress: Progress) -> String {
        let total = source.count.map { " of \($0)" } ?? ""
        let amount = "\(progress.octets)\(total) octets, in \(count: progress.pieces, "piece"), were"
        guard isWithoutResponse else { return "\(amount) written" }
        return "\(amount) sent, \(progress.confirmed) of them certainly received"
    }
}
