// SPDX-License-Identifier: MIT

package import Bluetooth

/// Firmware for Nordic's boot loader, with what the boot loader has to know of it before.
package struct DFUImage: Hashable, Sendable {
    /// The protocol that a package is made for.
    package enum Format: String, Hashable, Sendable, CaseIterable { case legacy, secure }

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case application
        case softdevice
        case bootloader
        case softdeviceAndBootloader = "softdevice_bootloader"

        package var words: String {
            switch self {
            case .application: "application"
            case .softdevice: "SoftDevice"
            case .bootloader: "boot loader"
            case .softdeviceAndBootloader: "SoftDevice and boot loader"
            }
        }

        /// The bits by which Legacy DFU names it.
        var legacyType: UInt8 {
            switch self {
            case .softdevice: 1
            case .bootloader: 2
            case .softdeviceAndBootloader: 3
            case .application: 4
            }
        }
    }

    /// The octets of each part of the firmware.
    package struct Sizes: Hashable, Sendable {
        package var softdevice = 0
        /// Those of the boot loader.
        package var bootloader = 0
        package var application = 0

        /// Nothing but one part.
        init(_ kind: Kind, _ count: Int) {
            switch kind {
            case .application: application = count
            case .softdevice: softdevice = count
            case .bootloader: bootloader = count
            case .softdeviceAndBootloader: break
            }
        }

        /// SoftDevice and boot loader.
        package init(softdevice: Int, bootloader: Int) { (self.softdevice, self.bootloader) = (softdevice, bootloader) }
    }

    /// Why files are no such firmware.
    package enum Fault: Error, Hashable, Sendable {
        case empty
        /// The sizes of the parts are not those of the file.
        case sizes
        /// What the boot loader has to know cannot be read.
        case initPacket(DecodeError)
        /// It states another kind or size of firmware.
        case contradiction(String)
        /// The checksum or the hash is that of other firmware: a file was changed after it was made.
        case wrongHash
    }

    private static let longestInitPacket = 4_096

    package let format: Format
    package let kind: Kind
    package let firmware: [UInt8]
    /// What the boot loader has to know of it.
    package let initPacket: [UInt8]
    /// The octets of each part.
    package let sizes: Sizes
    /// The version that the init packet states; `nil` for none.
    package let version: UInt32?

    /// Checks files against each other.
    ///
    /// - Parameters:
    ///   - format: Which protocol the package is for; `nil` to see it from the init packet.
    ///   - kind: What is replaced.
    ///   - sizes: The sizes of SoftDevice and boot loader where both are in one file.
    package init(
        _ format: Format?,
        _ kind: Kind,
        firmware: [UInt8],
        initPacket: [UInt8],
        sizes: Sizes? = nil
    ) throws(Fault) {
        guard !firmware.isEmpty else { throw .empty }
        guard initPacket.count <= Self.longestInitPacket else {
            throw .contradiction("its init packet has \(initPacket.count) octets")
        }
        if kind == .softdeviceAndBootloader {
            guard let sizes, sizes.softdevice > 0, sizes.bootloader > 0,
                sizes.softdevice <= firmware.count, sizes.bootloader == firmware.count - sizes.softdevice
            else { throw .sizes }
        }
        self.kind = kind
        self.firmware = firmware
        self.initPacket = initPacket
        self.sizes = sizes ?? Sizes(kind, firmware.count)
        do {
            let isSecure = format.map { $0 == .secure } ?? ((try? SecureInitPacket(initPacket)) != nil)
            self.format = isSecure ? .secure : .legacy
            version =
                isSecure
                ? try SecureInitPacket(initPacket).checked(kind, firmware, self.sizes)
                : try LegacyInitPacket(initPacket).checked(firmware)
        } catch let fault as Fault {
            throw fault
        } catch let error as DecodeError {
            throw .initPacket(error)
        } catch {
            throw .sizes
        }
    }
}

extension LegacyInitPacket {
    fileprivate func checked(_ firmware: [UInt8]) throws(DFUImage.Fault) -> UInt32? {
        if let checksum, checksum != Checksum.crc16(firmware) { throw .wrongHash }
        // No version was stated.
        return version == .max ? nil : version
    }
}

extension SecureInitPacket {
    fileprivate func checked(
        _ kind: DFUImage.Kind,
        _ firmware: [UInt8],
        _ sizes: DFUImage.Sizes
    ) throws(DFUImage.Fault) -> UInt32? {
        guard self.kind == kind else { throw .contradiction("its init packet is for the \(self.kind.words)") }
        guard self.sizes == sizes else { throw .contradiction("its init packet states other sizes") }
        // Others than SHA-256 are for the device to check.
        if let hash, hash != SHA256.hash(firmware) { throw .wrongHash }
        return version
    }
}

extension DFUImage.Fault {
    /// What is wrong, to follow the name of the file.
    package var words: String {
        switch self {
        case .empty: "is empty"
        case .sizes: "does not have the length that its list states"
        case .initPacket(let error): "has an init packet that makes no sense: \(error)"
        case .contradiction(let why): "contradicts what is said of it: \(why)"
        case .wrongHash: "was changed after it was made: its checksum or hash is wrong"
        }
    }
}
