// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension SessionLabel {
    /// A name made of a device's: `Pulse HR` becomes `pulse-hr`. One at a socket without a name is called as the socket.
    package init(device: DeviceReference) {
        let dash = UInt8(ascii: "-")
        var octets: [UInt8] = []
        let name = device.name ?? device.socket?.split(separator: "/").last.map { String($0) } ?? ""
        for octet in name.lowercased().utf8.prefix(Self.limit) {
            let isPlain = octet != dash && Self.isPlain(octet)
            if isPlain || octets.last.map({ $0 != dash }) ?? false { octets.append(isPlain ? octet : dash) }
        }
        if octets.last == dash { octets.removeLast() }
        let text = String(decoding: octets, as: UTF8.self)
        let address = device.address.address.description.lowercased().replacing(":", with: "")
        description = Self(text)?.description ?? address
    }
}
