// SPDX-License-Identifier: MIT

import Bluetooth

/// Which of the controllers on USB is meant.
package enum USBPlace: Hashable, Sendable {
    /// The first one that says that it is for Bluetooth.
    case first
    /// The first one of that vendor and product, whatever it says that it is for.
    case product(vendor: UInt16, product: UInt16)
    /// The one at that port, as the kernel names it: `1-1.4` is behind port 4 of the hub at port 1 of bus 1.
    case port(String)

    /// Parses what is behind `usb:`; `nil` if it has another form.
    init?(_ text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard parts.allSatisfy({ $0.utf8.count == 4 }), let vendor = UInt16(parts[0], radix: 16),
                let product = UInt16(parts[1], radix: 16)
            else { return nil }
            self = .product(vendor: vendor, product: product)
            return
        }
        let place = text.split(separator: "-", omittingEmptySubsequences: false)
        guard place.count == 2, text.utf8.count <= 32, Self.isNumber(place[0]),
            place[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Self.isNumber)
        else { return nil }
        self = .port(String(text))
    }

    /// A number of a bus or port, which would not become another file's name.
    private static func isNumber(_ text: Substring) -> Bool {
        (1...3).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The name: `usb`, `usb:0a12:0001`, `usb:1-1.4`.
    package var name: String {
        switch self {
        case .first: "usb"
        case .product(let vendor, let product): "usb:\(Self.identifiers(vendor, product))"
        case .port(let port): "usb:\(port)"
        }
    }

    /// A vendor and a product, as other tools write them: `0a12:0001`.
    package static func identifiers(_ vendor: UInt16, _ product: UInt16) -> String {
        [vendor, product].map { Hex.string([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }.joined(separator: ":")
    }
}
