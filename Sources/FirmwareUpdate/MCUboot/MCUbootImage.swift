// SPDX-License-Identifier: MIT

package import Bluetooth

/// An image that MCUboot starts: a header, a program, and what is said of it.
///
/// Spec: MCUboot, Bootloader, Image format
package struct MCUbootImage: Hashable, Sendable {
    /// Why octets are not such an image.
    package enum Fault: Error, Hashable, Sendable {
        case empty
        /// They are something else, in a few words: `an Intel HEX file`; `nil` if it is not known what.
        case anotherFormat(String?)
        /// They end within a part of the image.
        case truncated(DecodeError)
        /// The header contradicts itself, or what follows contradicts it.
        case inconsistent(String)
        /// Nothing says which program it is.
        case noHash
        /// The hash is that of another program: the file was changed after it was made.
        case wrongHash
        /// Octets follow that are no part of the image, as of one that is padded to the size of a slot.
        case trailing(Int)
    }

    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The program is encrypted with a key of 128 bits.
        package static let encryptedAES128 = Flags(rawValue: 0x04)
        /// The program is encrypted with a key of 256 bits.
        package static let encryptedAES256 = Flags(rawValue: 0x08)

        package var isEncrypted: Bool { !isDisjoint(with: [.encryptedAES128, .encryptedAES256]) }
    }

    /// What is said of the program: a type, and its octets.
    package struct TLV: Hashable, Sendable {
        package let type: UInt16
        package let value: [UInt8]
        /// Whether the hash covers it.
        package let isProtected: Bool

        /// The SHA-256 of all that is before the TLVs that are not protected.
        package static let sha256: UInt16 = 0x10
        package static let sha384: UInt16 = 0x11
        package static let sha512: UInt16 = 0x12
    }

    private static let tlvMagic: UInt16 = 0x6907
    private static let protectedMagic: UInt16 = 0x6908
    /// The octets of the header's fields. A header may be padded.
    private static let headerFields = 32
    /// The octets of the magic number and of the length before TLVs.
    private static let tlvInfo = 4

    package let octets: [UInt8]
    package let version: FirmwareVersion
    package let flags: Flags
    package let headerLength: Int
    package let programLength: Int
    /// What is said of it.
    package let tlvs: [TLV]
    /// The hash by which the device names it.
    package let hash: [UInt8]

    /// Reads an image. Throws if a device would not start it.
    package init(_ octets: [UInt8]) throws(Fault) {
        guard !octets.isEmpty else { throw .empty }
        guard octets.starts(with: [0x3D, 0xB8, 0xF3, 0x96]) else { throw .anotherFormat(Self.format(of: octets)) }
        var parts: Parts
        do {
            parts = try Parts(octets)
        } catch let fault as Fault {
            throw fault
        } catch let error as DecodeError {
            throw .truncated(error)
        } catch {
            throw .anotherFormat(nil)
        }
        guard parts.hashed.count < octets.count else { throw .noHash }
        self.octets = octets
        (version, flags) = (parts.version, parts.flags)
        (headerLength, programLength, tlvs) = (parts.headerLength, parts.programLength, parts.tlvs)
        let hashes = tlvs.filter { [TLV.sha256, TLV.sha384, TLV.sha512].contains($0.type) }
        guard let first = hashes.first else { throw .noHash }
        guard hashes.count == 1 else { throw .inconsistent("it has \(hashes.count) hashes") }
        let length = first.type == TLV.sha256 ? 32 : first.type == TLV.sha384 ? 48 : 64
        guard first.value.count == length else {
            throw .inconsistent("its hash has \(first.value.count) octets, not \(length)")
        }
        hash = first.value
        // The hash of an encrypted program is that of the program which the device makes of it. Others than SHA-256 are for
        // the device to check.
        if first.type == TLV.sha256, !flags.isEncrypted {
            guard SHA256.hash(parts.hashed) == hash else { throw .wrongHash }
        }
    }

    private struct Parts {
        let version: FirmwareVersion
        let flags: Flags
        let headerLength: Int
        let programLength: Int
        var tlvs: [TLV] = []
        /// What the hash covers.
        let hashed: ArraySlice<UInt8>

        init(_ octets: [UInt8]) throws {
            var reader = ByteReader(octets)
            _ = try reader.uint32("magic number")
            _ = try reader.uint32("load address")
            headerLength = Int(try reader.uint16("length of the header"))
            let protectedLength = Int(try reader.uint16("length of the protected TLVs"))
            programLength = Int(try reader.uint32("length of the program"))
            flags = Flags(rawValue: try reader.uint32("flags"))
            version = FirmwareVersion(
                try reader.uint8("version"),
                try reader.uint8("version"),
                try reader.uint16("version"),
                build: try reader.uint32("version")
            )
            _ = try reader.uint32("padding")
            guard headerLength >= headerFields else {
                throw Fault.inconsistent("its header says to have \(headerLength) octets, which are too few")
            }
            _ = try reader.bytes(headerLength - headerFields, "header")
            _ = try reader.slice(programLength, "program")
            if protectedLength > 0 {
                let length = try Self.tlvs(&reader, protectedMagic, isProtected: true, into: &tlvs)
                guard length == protectedLength else {
                    throw Fault.inconsistent("its protected TLVs have \(length) octets, not \(protectedLength)")
                }
            }
            hashed = octets[..<(octets.count - reader.remaining)]
            _ = try Self.tlvs(&reader, tlvMagic, isProtected: false, into: &tlvs)
            guard reader.isAtEnd else { throw Fault.trailing(reader.remaining) }
        }

        /// Reads a list of TLVs. Returns its octets.
        private static func tlvs(
            _ reader: inout ByteReader,
            _ magic: UInt16,
            isProtected: Bool,
            into tlvs: inout [TLV]
        ) throws -> Int {
            let found = try reader.uint16("magic number of the TLVs")
            guard found == magic else { throw Fault.inconsistent("no TLVs follow its program") }
            let length = Int(try reader.uint16("length of the TLVs"))
            guard length >= tlvInfo else { throw Fault.inconsistent("its TLVs say to have \(length) octets") }
            var list = try reader.slice(length - tlvInfo, "TLVs")
            while !list.isAtEnd {
                let type = try list.uint16("type of a TLV")
                let count = try list.uint16("length of a TLV")
                tlvs.append(TLV(type: type, value: try list.bytes(Int(count), "TLV"), isProtected: isProtected))
            }
            return length
        }
    }

    /// What a file is that somebody may take for an image; `nil` if it is not known.
    private static func format(of octets: [UInt8]) -> String? {
        if octets.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { return "an ELF file" }
        if octets.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "a zip" }
        if octets.starts(with: [0x55, 0x46, 0x32, 0x0A]) { return "a UF2 file" }
        if octets.first == UInt8(ascii: ":") { return "an Intel HEX file" }
        if octets.first == UInt8(ascii: "S"), octets.dropFirst().first == UInt8(ascii: "0") {
            return "an S-record file"
        }
        return nil
    }
}

extension MCUbootImage.Fault {
    /// What is wrong, to follow the name of the file.
    package var words: String {
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
