// SPDX-License-Identifier: MIT

package import FirmwareUpdate

/// New firmware for a device, which was checked as far as that is possible without the device.
public struct Firmware: Sendable {
    /// A program for MCUboot.
    package struct Image: Sendable {
        /// The name of the file, or of the file in an archive.
        package let name: String
        /// The number of the program; `nil` for the only one.
        package let image: Int?
        package let contents: MCUbootImage

        package init(name: String, image: Int?, contents: MCUbootImage) {
            (self.name, self.image, self.contents) = (name, image, contents)
        }

        var part: FirmwareUpdateEvent.Part {
            FirmwareUpdateEvent.Part(
                name: name,
                image: image ?? 0,
                version: contents.version.description,
                hash: contents.hash
            )
        }
    }

    /// Firmware for a boot loader of Nordic's.
    package struct Package: Sendable {
        /// The name of the file in the archive.
        package let name: String
        package let contents: DFUImage

        package init(name: String, contents: DFUImage) { (self.name, self.contents) = (name, contents) }

        var part: FirmwareUpdateEvent.Part {
            let version = contents.version.map { " \($0)" } ?? ""
            return FirmwareUpdateEvent.Part(
                name: name,
                image: 0,
                version: contents.kind.words + version,
                hash: SHA256.hash(contents.firmware)
            )
        }
    }

    package enum Content: Sendable {
        /// Programs for MCUboot, which go to a server of MCUmgr.
        case images([Image])
        /// Firmware for a boot loader of Nordic's, in the order in which it is sent.
        case packages([Package])
    }

    package let content: Content

    package init(_ content: Content) { self.content = content }

    /// An image for MCUboot, as imgtool makes it.
    ///
    /// - Parameters:
    ///   - image: The octets of the file.
    ///   - program: Which program of a device with several it is; `nil` for the only one.
    /// - Throws: A `FirmwareUpdateError` if the device would not start it.
    public init(image: [UInt8], program: Int? = nil) throws(FirmwareUpdateError) {
        do {
            let contents = try MCUbootImage(image)
            content = .images([Image(name: "the image", image: program, contents: contents)])
        } catch {
            throw FirmwareUpdateError(.badFirmware, "the image \(error.words)")
        }
    }

    /// An application for a boot loader of Nordic's, Legacy or Secure DFU: two files from an archive that nrfutil or
    /// adafruit-nrfutil has made.
    ///
    /// - Parameters:
    ///   - application: The octets of the firmware (`.bin`).
    ///   - initPacket: What the boot loader has to know of it (`.dat`).
    /// - Throws: A `FirmwareUpdateError` if one is not made for the other.
    public init(application: [UInt8], initPacket: [UInt8]) throws(FirmwareUpdateError) {
        do {
            let contents = try DFUImage(nil, .application, firmware: application, initPacket: initPacket)
            content = .packages([Package(name: "the application", contents: contents)])
        } catch {
            throw FirmwareUpdateError(.badFirmware, "the application \(error.words)")
        }
    }
}
