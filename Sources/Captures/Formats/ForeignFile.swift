// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A file that is no capture of HCI packets, by what it is.
enum ForeignFile: Hashable, Sendable {
    /// Compressed by the program of that name.
    case compressed(String)
    case tar
    case btmonText
    case bugReport
    /// A part of Apple's unified log.
    case unifiedLog
    /// A capture of Frontline's sniffers.
    case frontline
    /// A pcap or pcapng file with packets of another kind.
    case link(LinkType)

    /// The number of octets by which all are known.
    static let identificationLength = 512

    /// What the first octets of a file are; `nil` for none of these.
    init?(_ octets: ArraySlice<UInt8>) {
        let octets = Array(octets)
        func begins(_ magic: [UInt8], at index: Int = 0) -> Bool { octets.dropFirst(index).starts(with: magic) }
        func begins(_ text: String) -> Bool { begins(Array(text.utf8)) }
        if begins([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) {
            self = .compressed("xz")
        } else if begins([0x28, 0xB5, 0x2F, 0xFD]) {
            self = .compressed("zstd")
        } else if begins("BZh") {
            self = .compressed("bzip2")
        } else if begins([0x04, 0x22, 0x4D, 0x18]) {
            self = .compressed("lz4")
        } else if begins(Array("ustar".utf8), at: 257) {
            self = .tar
        } else if begins("Bluetooth monitor ver") {
            self = .btmonText
        } else if String(decoding: octets, as: UTF8.self).contains(text: "== dumpstate: ") {
            self = .bugReport
        } else if begins([0x00, 0x10, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00]) {
            // The tag and the subtag of the chunk at the beginning of a .tracev3 file.
            self = .unifiedLog
        } else {
            return nil
        }
    }

    /// What the file is, as it follows "is".
    var description: String {
        switch self {
        case .compressed(let program): "compressed with \(program)"
        case .tar: "a tar archive"
        case .btmonText: "the text that btmon prints, which has no packets"
        case .bugReport: "the text of an Android bug report, which has no packets as they were"
        case .unifiedLog: "a part of Apple's unified log, which has no packets"
        case .frontline: "a capture of Frontline's own format"
        case .link(let link):
            switch link.traffic {
            case .air?:
                "a capture of the air (link type \(link.rawValue)), and not of what passes between host and controller"
            case .usb?:
                "a capture of USB transfers (link type \(link.rawValue)), and not of HCI packets"
            case nil: "a capture of another kind (link type \(link.rawValue))"
            }
        }
    }

    /// How to come to a capture.
    ///
    /// - Parameter file: The file as it is typed.
    func hint(_ file: String) -> String {
        switch self {
        case .compressed(let program): "unpack it: \(program) -dc \(file) > capture"
        case .tar: "unpack it: tar -xf \(file)"
        case .btmonText: "'btmon -w FILE' writes the packets"
        case .bugReport:
            "if the report has a part BTSNOOP_LOG_SUMMARY, btsnooz.py of Android's sources makes a btsnoop file of it"
        case .unifiedLog:
            "the packets of an iPhone are in bluetoothd-hci-latest.pklg, in logs/Bluetooth of a sysdiagnose"
        case .frontline: "export it as pcapng with Frontline's or Teledyne's viewer"
        case .link(let link):
            switch link.traffic {
            case .air?: "Wireshark shows it; 'blectl --capture', 'btmon -w' and a phone record what passes at a host"
            case .usb?: "record the adapter instead: btmon -w FILE"
            case nil: "the link types 187, 201 and 254 have HCI packets: editcap -T changes what a file tells"
            }
        }
    }
}
