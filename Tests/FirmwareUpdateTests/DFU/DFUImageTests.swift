// SPDX-License-Identifier: MIT

import Testing

@testable import FirmwareUpdate

@Suite("Packages for Nordic's boot loaders")
struct DFUImageTests {
    private static func files(_ name: String) throws -> (firmware: [UInt8], packet: [UInt8]) {
        (try Vector.named(name, in: "packages", "firmware"), try Vector.named(name, in: "packages", "packet"))
    }

    @Test("Packages of nrfutil and adafruit-nrfutil are read, and their protocol is seen")
    func packages() throws {
        for (name, format) in [("legacy application", DFUImage.Format.legacy), ("secure application", .secure)] {
            let files = try Self.files(name)
            let image = try DFUImage(nil, .application, firmware: files.firmware, initPacket: files.packet)
            #expect(image.format == format && image.version == 7)
            #expect(image.sizes.application == 1_000 && image.sizes.bootloader == 0)
        }
        let both = try Self.files("secure softdevice_bootloader")
        let sizes = DFUImage.Sizes(softdevice: 1_000, bootloader: both.firmware.count - 1_000)
        let image = try DFUImage(
            .secure,
            .softdeviceAndBootloader,
            firmware: both.firmware,
            initPacket: both.packet,
            sizes: sizes
        )
        #expect(image.sizes == sizes)
        #expect(throws: DFUImage.Fault.sizes) {
            try DFUImage(nil, .softdeviceAndBootloader, firmware: both.firmware, initPacket: both.packet)
        }
    }

    @Test(
        "A file that was changed, cut or exchanged is refused",
        arguments: ["legacy application", "secure application"]
    )
    func changed(_ name: String) throws {
        let files = try Self.files(name)
        var changed = files.firmware
        changed[500] ^= 1
        #expect(throws: DFUImage.Fault.wrongHash) {
            try DFUImage(nil, .application, firmware: changed, initPacket: files.packet)
        }
        #expect(throws: DFUImage.Fault.self) {
            try DFUImage(nil, .application, firmware: files.firmware.dropLast(), initPacket: files.packet)
        }
        #expect(throws: DFUImage.Fault.empty) {
            try DFUImage(nil, .application, firmware: [], initPacket: files.packet)
        }
        for length in files.packet.indices {
            #expect(throws: DFUImage.Fault.self, "\(length)") {
                try DFUImage(
                    nil,
                    .application,
                    firmware: files.firmware,
                    initPacket: Array(files.packet.prefix(length))
                )
            }
        }
        if name.hasPrefix("secure") {
            #expect(throws: DFUImage.Fault.contradiction("its init packet is for the application")) {
                try DFUImage(nil, .bootloader, firmware: files.firmware, initPacket: files.packet)
            }
        }
    }

    @Test("Checksums are those of the specifications")
    func checksums() {
        let digits = Array("123456789".utf8)
        #expect(Checksum.crc32(digits) == 0xCBF4_3926)
        #expect(Checksum.crc32(digits[4...], following: Checksum.crc32(digits[..<4])) == 0xCBF4_3926)
        #expect(Checksum.crc16(digits) == 0x29B1)
    }

    @Test("Refusals are in plain words, also those that say more")
    func refusals() {
        #expect("\(DFURefusal(.secure, code: 11, extended: 5))".hasPrefix("the firmware is older than what runs"))
        #expect("\(DFURefusal(.secure, code: 11, extended: 200))" == "unknown error (DFU extended error 200)")
        #expect("\(DFURefusal(.legacy, code: 4))" == "the firmware is too large (DFU error 4)")
        #expect("\(DFURefusal(.legacy, code: 77))" == "unknown error (DFU error 77)")
    }
}
