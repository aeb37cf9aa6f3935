// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

extension FirmwareUpdateState {
    /// The state in words, to follow a semicolon.
    var words: String {
        switch self {
        case .untouched: "the device is as it was"
        case .uploading(let octets, let total):
            "the device has \(octets) of \(total) octets of the new image, and runs the old one"
        case .uploaded: "the device has the new image, and runs the old one, also after its next start"
        case .chosen: "the device runs the old image, and starts the new one as a test at its next start"
        case .kept: "the device runs the old image, and starts the new one for good at its next start"
        case .starting:
            "the device was told to start the new image; unless that is confirmed, the start after it puts the old one back"
        case .running: "the new image runs; unless it is confirmed, the next start puts the old one back"
        case .putBack: "the device runs its old image"
        case .enteringBootLoader(let places):
            "the device was told to start its boot loader, at \(Self.list(places)); it still has its old firmware"
        case .inBootLoader(let place, let octets, let total, _):
            "the boot loader at \(place.address) has \(octets) of \(total) octets, and may have erased the old firmware"
        case .installed: "the device has the new firmware, and was told to start it"
        }
    }

    var hint: String {
        switch self {
        case .untouched, .uploading, .uploaded: "the same command goes on from there"
        case .chosen, .kept: "'blectl mcumgr reset' starts it"
        case .starting: "'blectl mcumgr images' shows what runs"
        case .running: "'blectl mcumgr images confirm' keeps it"
        case .putBack: "'blectl mcumgr images' shows both images"
        case .enteringBootLoader(let places):
            "the same command goes on; if the device does not come back, try it with -d \(Self.list(places))"
        case .inBootLoader(let place, _, _, let goesOn):
            "the same command with -d \(place.address) \(goesOn ? "goes on from there" : "sends it anew")"
        case .installed(let place): "'blectl read firmware-revision-string -d \(place.address)' shows what runs"
        }
    }

    private static func list(_ places: [DeviceAddress]) -> String {
        places.map(\.address.description).joined(separator: " or ")
    }
}
