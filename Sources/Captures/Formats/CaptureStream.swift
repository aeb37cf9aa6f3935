// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
import Toolkit

/// The records of one file, or of standard input, in their order.
final class CaptureStream {
    /// How the octets of the file become those of a capture.
    private enum Packing {
        /// Not known before the first octets.
        case unknown
        case none
        case gzip(Inflater)
        case zip(ArchivedLogs)
    }

    private static let gzip: [UInt8] = [0x1F, 0x8B]

    let path: String
    private let source: ByteSource
    private var packing = Packing.unknown
    private var reader = CaptureReader()
    private var isAtEnd = false
    /// The number of octets of the file that were read.
    private var offset = 0
    /// The first octets, until it is known what they are.
    private var first: [UInt8] = []

    init(path: String, blocking: BlockingRunner?) throws(BlectlError) {
        self.path = path
        source = try ByteSource(path: path, blocking: blocking)
    }

    /// The next record; `nil` at the end. Throws a `BlectlError` where the file cannot be read any further.
    func next() async throws -> CapturedRecord? {
        do {
            if case .unknown = packing { try await begin() }
            while true {
                if case .zip(let logs) = packing { return try logs.next() }
                if let record = try reader.next() { return record }
                if isAtEnd { return nil }
                let octets = try await octets()
                if octets.isEmpty {
                    isAtEnd = true
                    reader.end()
                } else {
                    reader.append(octets)
                }
            }
        } catch let fault as CaptureFault {
            throw error(of: fault)
        } catch let fault as InflateFault {
            throw error(of: fault)
        } catch let fault as ZipFault {
            let place = fault.entry.map { "\($0): " } ?? ""
            throw BlectlError(.badData, cannot: "read \(name)", place + fault.reason)
        }
    }

    /// Reads the first octets, and so finds out what they are.
    private func begin() async throws {
        while first.count < ZipArchive.identification.count {
            let octets = try await source.next(after: offset)
            if octets.isEmpty { break }
            offset += octets.count
            first += octets
        }
        guard !first.isEmpty else { throw noCapture("\(name) is empty") }
        if first.starts(with: ZipArchive.identification) || first.starts(with: ZipArchive.endIdentification) {
            guard let length = source.count else {
                throw BlectlError(
                    .badData,
                    cannot: "read a zip archive from a pipe",
                    "its directory is at its end",
                    hint: "write it to a file first"
                )
            }
            let source = source
            let archive = try ZipArchive(length: length) { try source.read($1, at: $0) }
            packing = .zip(try ArchivedLogs(archive))
        } else if first.starts(with: Self.gzip) {
            let inflater = try Inflater(.gzip)
            inflater.append(first)
            packing = .gzip(inflater)
        } else {
            packing = .none
            reader.append(first)
        }
        first = []
    }

    /// The next octets of the capture; none at its end.
    private func octets() async throws -> [UInt8] {
        while true {
            if case .gzip(let inflater) = packing {
                if let part = try inflater.next(), !part.isEmpty { return part }
                // Files of gzip may stand one behind the other. Zeros fill a tape.
                let rest = inflater.rest.drop { $0 == 0 }
                if inflater.isAtEnd, rest.count >= Self.gzip.count {
                    guard rest.starts(with: Self.gzip) else { throw InflateFault.damaged("octets follow its end") }
                    let next = try Inflater(.gzip, after: inflater)
                    next.append(rest)
                    packing = .gzip(next)
                    continue
                }
            }
            let octets = try await source.next(after: offset)
            offset += octets.count
            guard case .gzip(let inflater) = packing, !(octets.isEmpty && inflater.isAtEnd) else { return octets }
            guard !octets.isEmpty else { throw InflateFault.truncated }
            inflater.append(octets)
        }
    }

    // MARK: - Errors

    private var name: String { path == "-" ? "standard input" : path }

    private func error(of fault: CaptureFault) -> BlectlError {
        switch fault {
        case .unknown:
            // Frontline's files have the suffix that some phones give to btsnoop files.
            path.hasSuffix(".cfa") ? error(of: .foreign(.frontline)) : noCapture("\(name) is not a capture")
        case .foreign(let file):
            BlectlError(
                .badData,
                "\(name) is \(file.description)",
                hint: file.hint(path == "-" ? "FILE" : Prose.word(path))
            )
        case .damaged(let cause, let offset):
            BlectlError(.badData, cannot: "read all of \(place)", "octet \(offset): \(cause)")
        case .datalink(let datalink):
            BlectlError(
                .badData,
                cannot: "read \(name)",
                "it has \(datalink), and only 1001 (HCI), 1002 (H4) and 2001 (monitor) are known"
            )
        }
    }

    /// The file, and the entry of an archive.
    private var place: String {
        guard case .zip(let logs) = packing, let entry = logs.name else { return name }
        return "\(entry) in \(name)"
    }

    private func error(of fault: InflateFault) -> BlectlError {
        switch fault {
        case .missing:
            BlectlError(
                .cannotOpenInput,
                cannot: "unpack \(name)",
                "zlib is not installed",
                hint: "install the package zlib1g, or unpack it with another program"
            )
        case .memory: BlectlError(.badData, cannot: "unpack \(name)", "there is no memory for it")
        case .damaged(let reason): BlectlError(.badData, cannot: "unpack all of \(name)", reason)
        case .truncated: BlectlError(.badData, cannot: "unpack all of \(name)", "its compressed data end too early")
        case .bomb(let reason): BlectlError(.badData, cannot: "unpack \(name)", reason)
        }
    }

    private func noCapture(_ message: String) -> BlectlError {
        BlectlError(
            .badData,
            message,
            hint: "a capture comes from 'blectl --capture FILE COMMAND', or from 'btmon -w FILE'"
        )
    }
}
