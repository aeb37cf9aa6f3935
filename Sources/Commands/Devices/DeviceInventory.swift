// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import RadioSharing
import Toolkit

/// A device with stored data on this machine.
struct KeptDevice: Sendable, Equatable {
    let address: DeviceAddress
    var name: String?
    /// When it was heard last, in RFC 3339; `nil` if only other things are kept.
    var seen: String?
    /// When it was connected to last, in RFC 3339.
    var connected: String?
    var hasAttributes = false
    var isBonded = false
    var session: String?
    /// The adapter that has a link to it, which any program may have made; `nil` if none is known.
    var adapter: String?

    var reference: DeviceReference { DeviceReference(address: address, name: name) }
}

struct KernelLink: Sendable, Equatable {
    let device: DeviceAddress
    let adapter: String
}

/// The stored data of all devices, merged.
struct DeviceInventory: Sendable {
    private struct Key: Hashable {
        let address: BluetoothAddress
        let type: AddressType

        init(_ device: DeviceAddress) { (address, type) = (device.address, device.type.connectionType) }
    }

    /// Those with a link first, then those that were connected to or heard last.
    let devices: [KeptDevice]

    /// - Parameters:
    ///   - cached: The devices in the GATT cache.
    ///   - bonds: The keys.
    ///   - declaredNames: The names of simulated devices, for those of which none is kept.
    init(
        known: KnownDevices,
        cached: [DeviceAddress],
        bonds: [Bond],
        sessions: [SessionDescription],
        declaredNames: [DeviceAddress: String] = [:],
        links: [KernelLink] = []
    ) {
        var devices: [Key: KeptDevice] = [:]
        func change(_ address: DeviceAddress, _ body: (inout KeptDevice) -> Void) {
            let key = Key(address)
            var device = devices[key] ?? KeptDevice(address: DeviceAddress(address.address, key.type))
            body(&device)
            devices[key] = device
        }
        for (address, entry) in known.entries {
            change(address) { device in
                device.name = entry.name
                device.seen = entry.seen
                device.connected = entry.connected
            }
        }
        for address in cached { change(address) { $0.hasAttributes = true } }
        for bond in bonds {
            change(bond.device) { device in
                device.isBonded = true
                device.name = device.name ?? bond.name
            }
        }
        // The device at the other end of a socket has no address by which data could be kept.
        for session in sessions where session.socket == nil {
            change(session.device) { device in
                device.session = session.name
                device.name = device.name ?? session.deviceName
            }
        }
        for link in links { change(link.device) { $0.adapter = link.adapter } }
        // A declared name completes an entry and makes none, because only devices with kept data are listed.
        for (address, name) in declaredNames {
            let key = Key(address)
            if devices[key]?.name == nil { devices[key]?.name = name }
        }
        self.devices = devices.values.sorted { left, right in
            guard left.hasLink == right.hasLink else { return left.hasLink }
            let (first, second) = (left.latest, right.latest)
            return first == second ? left.address.address < right.address.address : first > second
        }
    }

    func devices(_ identifier: DeviceIdentifier) -> [KeptDevice] {
        switch identifier {
        case .address(let address): devices.filter { $0.address.address == address }
        case .name(let name): devices.filter { $0.name.map { DeviceIdentifier.isSameName($0, name) } ?? false }
        }
    }
}

extension KeptDevice {
    fileprivate var hasLink: Bool { session != nil || adapter != nil }

    /// The last time at which anything was heard of it. Times in RFC 3339 and UTC sort as texts.
    fileprivate var latest: String { max(seen ?? "", connected ?? "") }
}
