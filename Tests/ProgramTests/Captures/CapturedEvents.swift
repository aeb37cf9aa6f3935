// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

@testable import BluetoothHost

extension TappedPacket {
    /// An event of the first controller, at the beginning of the capture.
    static func hci(_ event: some HCIEventParameters) -> TappedPacket {
        TappedPacket(
            channel: .hci,
            adapter: ManagementIndex(0),
            link: nil,
            direction: .received,
            bytes: HCIPacket.event(event.packet).encoded(),
            instant: .zero,
            wall: WallTime(nanosecondsSince1970: 0)
        )
    }
}

extension LEConnectionCompleteEvent {
    /// The event of a connection with handle 0x0040.
    static func connection(to peer: DeviceAddress, as role: LERole) -> LEConnectionCompleteEvent {
        LEConnectionCompleteEvent(
            0x0040,
            role: role,
            peer: peer,
            interval: LEInterval(rawValue: 24),
            latency: 0,
            supervisionTimeout: LEInterval(rawValue: 42)
        )
    }
}
