// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import Captures
import CommandLineInterface
import FirmwareUpdate
import Terminal
import Toolkit

/// The file of an update: an image, or a zip of several, for MCUboot or for a boot loader of Nordic's.
enum FirmwareFile {
    /// The most octets of a file.
    private static let limit = 64 << 20
    /// The name of the list of a zip. Spec: nRF Connect SDK, `scripts/bootloader/generate_zip.py`; nrfutil, DFU packages
    private static let manifest = "manifest.json"

    /// Reads a file. Throws a `BlectlError` if it is no firmware: nothing has been sent then.
    ///
    /// - Parameter image: The number of the program, for a file without a list.
    static func read(_ path: String, image: Int?) throws(BlectlError) -> Firmware {
        let octets = try StandardStreams.read(path, limit: limit)
        return try firmware(octets, path == "-" ? "standard input" : path, image: image)
    }

    static func firmware(_ octets: [UInt8], _ name: String, image: Int?) throws(BlectlError) -> Firmware {
        guard octets.count <= limit else {
            throw BlectlError(.badData, "\(name) has more than \(limit >> 20) MiB, and is no firmware")
        }
        if octets.starts(with: [0x50, 0x4B]) {
            return try firmware(ofZip: octets, name, image: image)
        }
        let contents = try Self.image(octets, name)
        return Firmware(.images([Firmware.Image(name: name, image: image, contents: contents)]))
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

    private static func firmware(ofZip octets: [UInt8], _ name: String, image: Int?) throws(BlectlError) -> Firmware {
        let zip: ZipArchive
        do {
            zip = try ZipArchive(length: octets.count) { Array(octets.dropFirst($0).prefix($1)) }
        } catch {
            throw fault(error, name)
        }
        let list: JSONValue
        do {
            list = try JSONValue(json: try contents(of: manifest, in: zip, name))
        } catch let error as BlectlError {
            throw error
        } catch {
            throw listFault(name, "is not JSON: \(TerminalText.escaped("\(error)"))")
        }
        if let packages = list["manifest"] {
            return Firmware(.packages(try Self.packages(packages, zip, name)))
        }
        let files = try Self.files(list, name)
        var images: [Firmware.Image] = []
        for (file, number) in files {
            let place = "\(TerminalText.escaped(file)) in \(name)"
            let contents = try Self.image(contents(of: file, in: zip, name), place)
            // A device with one program may not know its number.
            let image = files.count > 1 || number > 0 ? number : image
            images.append(Firmware.Image(name: place, image: image, contents: contents))
        }
        return Firmware(.images(images))
    }

    private static func listFault(_ name: String, _ words: String) -> BlectlError {
        BlectlError(.badData, "\(manifest) in \(name) \(words)")
    }

    /// The packages that a list of nrfutil or adafruit-nrfutil names, in the order in which they are sent.
    private static func packages(
        _ list: JSONValue,
        _ zip: ZipArchive,
        _ name: String
    ) throws(BlectlError) -> [Firmware.Package] {
        // Only the lists for Legacy DFU have a version.
        let format: DFUImage.Format? = list["dfu_version"] == nil ? nil : .legacy
        var packages: [Firmware.Package] = []
        for kind in [DFUImage.Kind.softdeviceAndBootloader, .softdevice, .bootloader, .application] {
            guard let entry = list[kind.rawValue] else { continue }
            guard case .string(let file)? = entry["bin_file"], case .string(let packet)? = entry["dat_file"] else {
                throw listFault(name, "has no files for the \(kind.words)")
            }
            let place = "\(TerminalText.escaped(file)) in \(name)"
            // nrfutil has the sizes apart, adafruit-nrfutil beside the files.
            let sizes = entry["info_read_only_metadata"] ?? entry
            let firmware = try contents(of: file, in: zip, name)
            let initPacket = try contents(of: packet, in: zip, name)
            do {
                let contents = try DFUImage(
                    format,
                    kind,
                    firmware: firmware,
                    initPacket: initPacket,
                    sizes: kind == .softdeviceAndBootloader ? Self.sizes(sizes) : nil
                )
                packages.append(Firmware.Package(name: place, contents: contents))
            } catch {
                throw BlectlError(.badData, "\(place) \(error.words)")
            }
        }
        guard !packages.isEmpty else { throw listFault(name, "lists no files") }
        return packages
    }

    private static func sizes(_ entry: JSONValue) -> DFUImage.Sizes? {
        guard case .number(let softdevice)? = entry["sd_size"], case .number(let bootloader)? = entry["bl_size"],
            let softdevice = Int(softdevice.description), let bootloader = Int(bootloader.description)
        else { return nil }
        return DFUImage.Sizes(softdevice: softdevice, bootloader: bootloader)
    }

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

    /// The files that a list for MCUboot names, with the numbers of their programs.
    private static func files(_ content: JSONValue, _ name: String) throws(BlectlError) -> [(String, Int)] {
        func fault(_ words: String) -> BlectlError { listFault(name, words) }
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

extension Firmware {
    /// The service by which a device takes it.
    var service: BluetoothUUID {
        switch content {
        case .images: .mcumgrService
        case .packages(let packages):
            packages.contains { $0.contents.format == .legacy } ? .legacyDFUService : .secureDFUService
        }
    }
}
