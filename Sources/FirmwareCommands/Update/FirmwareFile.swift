// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import BluetoothProfiles
import CommandLineInterface
import FirmwareUpdate
import Terminal
import Toolkit

/// The images of an update: one, or those of a zip.
struct FirmwareFile: Sendable {
    /// An image, and which program of the device it is.
    struct Part: Sendable {
        /// The name of the file within the zip, or of the file.
        let name: String
        /// The number of the program; `nil` for the only one.
        let image: Int?
        let contents: MCUbootImage
    }

    /// The most octets of a file.
    private static let limit = 64 << 20
    /// The name of the list of a zip. Spec: nRF Connect SDK, `scripts/bootloader/generate_zip.py`
    private static let manifest = "manifest.json"

    let parts: [Part]

    /// Reads a file. Throws a `BlectlError` if it is no firmware for MCUboot: nothing has been sent then.
    ///
    /// - Parameter image: The number of the program, for a file without a list.
    init(_ path: String, image: Int?) throws(BlectlError) {
        let octets = try StandardStreams.read(path, limit: Self.limit)
        let name = path == "-" ? "standard input" : path
        guard octets.count <= Self.limit else {
            throw BlectlError(.badData, "\(name) has more than \(Self.limit >> 20) MiB, and is no firmware for MCUboot")
        }
        if octets.starts(with: [0x50, 0x4B]) {
            parts = try Self.parts(ofZip: octets, name, image: image)
        } else {
            parts = [Part(name: name, image: image, contents: try Self.image(octets, name))]
        }
    }

    private static func image(_ octets: [UInt8], _ name: String) throws(BlectlError) -> MCUbootImage {
        do {
            return try MCUbootImage(octets)
        } catch {
            throw BlectlError(
                .badData,
                "\(name) \(error.words)",
                hint: "MCUboot starts images that imgtool has signed, such as zephyr.signed.bin"
            )
        }
    }

    // MARK: - Zips

    private static func parts(ofZip octets: [UInt8], _ name: String, image: Int?) throws(BlectlError) -> [Part] {
        let zip: ZipArchive
        do {
            zip = try ZipArchive(length: octets.count) { Array(octets.dropFirst($0).prefix($1)) }
        } catch {
            throw fault(error, name)
        }
        let files = try Self.files(contents(of: manifest, in: zip, name), name)
        var parts: [Part] = []
        for (file, number) in files {
            let place = "\(TerminalText.escaped(file)) in \(name)"
            let contents = try Self.image(contents(of: file, in: zip, name), place)
            // A device with one program may not know its number.
            parts.append(Part(name: place, image: files.count > 1 || number > 0 ? number : image, contents: contents))
        }
        return parts
    }

    /// The octets of a file in a zip.
    private static func contents(of file: String, in zip: ZipArchive, _ name: String) throws(BlectlError) -> [UInt8] {
        let entries = zip.entries.filter { $0.name == file }
        guard let entry = entries.first, entries.count == 1 else {
            let count = entries.isEmpty ? "no" : "more than one"
            throw BlectlError(.badData, "\(name) has \(count) \(TerminalText.escaped(file))")
        }
        var octets: [UInt8] = []
        do {
            guard entry.length <= limit else { throw ZipFault("it has more than \(limit >> 20) MiB", in: file) }
            let contents = try zip.contents(of: entry)
            while case let part = try contents.next(), !part.isEmpty { octets += part }
        } catch {
            throw fault(error, name)
        }
        return octets
    }

    /// The error for a zip that cannot be read.
    private static func fault(_ error: any Error, _ name: String) -> BlectlError {
        switch error {
        case let fault as ZipFault:
            let place = fault.entry.map { "\(TerminalText.escaped($0)): " } ?? ""
            return BlectlError(.badData, "cannot read \(name): \(place)\(fault.reason)")
        case InflateFault.missing:
            return BlectlError(.badData, "cannot read \(name): this machine has no zlib (libz.so.1)")
        default: return BlectlError(.badData, "cannot read \(name): \(error)")
        }
    }

    /// The files that a list names, with the numbers of their programs.
    private static func files(_ octets: [UInt8], _ name: String) throws(BlectlError) -> [(String, Int)] {
        func fault(_ words: String, hint: String? = nil) -> BlectlError {
            BlectlError(.badData, "\(manifest) in \(name) \(words)", hint: hint)
        }
        let content: JSONValue
        do {
            content = try JSONValue(json: octets)
        } catch {
            throw fault("is not JSON: \(TerminalText.escaped(error.description))")
        }
        if content["manifest"] != nil { throw fault("is for Nordic's boot loader, and not for MCUboot") }
        guard case .array(let entries)? = content["files"], !entries.isEmpty else { throw fault("lists no files") }
        var files: [(String, Int)] = []
        for entry in entries {
            guard case .string(let file)? = entry["file"] else { throw fault("lists a file without a name") }
            // The number is a text in the manifests that exist.
            let number: Int?
            switch entry["image_index"] {
            case nil: number = 0
            case .string(let text)?: number = Int(text)
            case .number(let value)?: number = Int(value.description)
            default: number = nil
            }
            guard let number, (0...15).contains(number) else {
                throw fault("gives \(TerminalText.escaped(file)) a number of a program that makes no sense")
            }
            guard !files.contains(where: { $0.0 == file || $0.1 == number }) else {
                throw fault("lists two files for program \(number)")
            }
            files.append((file, number))
        }
        return files
    }
}

extension MCUbootImage.Fault {
    /// What is wrong, to follow the name of the file.
    fileprivate var words: String {
        switch self {
        case .empty: "is empty"
        case .anotherFormat(let format): "is \(format ?? "something else"), and no image for MCUboot"
        case .truncated(let error): "is a part of an image only: \(error)"
        case .inconsistent(let why): "is a damaged image: \(why)"
        case .noHash: "is an image without a hash"
        case .wrongHash: "is an image that was changed after it was made: its hash is wrong"
        case .trailing(let count): "has \(count) octets behind the image, as one that is padded for a programmer"
        }
    }
}
