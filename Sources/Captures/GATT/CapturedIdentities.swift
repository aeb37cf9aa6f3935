// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost
import Toolkit

/// The identities of private devices, as the pairings of a capture tell them. The memory is bounded.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.6.4 and 3.6.5
package struct CapturedIdentities {
    /// The maximum number of identities, of keys that wait for theirs, and of links.
    private static let limit = 256

    private struct Link: Hashable {
        let port: CapturedPort
        let connection: ConnectionHandle
    }

    private var known: [DeviceIdentity] = []
    private var resolver = IdentityResolver([])
    /// The identities by the private addresses of the pairings. The key may be missing or hidden.
    private var aliases: [BluetoothAddress: DeviceAddress] = [:]
    /// The keys that devices have sent before their identity addresses.
    private var keys: [Link: SecurityKey] = [:]
    /// The devices of the links that began with a known private address.
    private var links: [Link: DeviceAddress] = [:]

    package init() {}

    /// The identity of a device with a private address; `nil` if it is not known.
    package mutating func identity(of device: DeviceAddress) -> DeviceAddress? {
        guard device.kind == .resolvable else { return nil }
        return aliases[device.address] ?? resolver.identity(of: device)?.address
    }

    mutating func learn(_ event: CapturedEvent) {
        switch event.content {
        case .frame(let frame) where frame.isOfSecurityManager && event.direction == .received:
            guard let connection = event.connection else { return }
            learn(
                frame.payload,
                Link(port: event.port, connection: connection),
                event.privateAddress ?? event.device?.address
            )
        case .management(let packet) where event.direction == .received:
            guard case .known(let event as NewIdentityResolvingKeyEvent)? = try? ManagementEvent(packet) else { return }
            let type: AddressType = event.key.device.kind == .lePublic ? .public : .random
            add(DeviceAddress(event.key.device.address, type), event.key.value, insteadOf: event.privateAddress)
        default: break
        }
    }

    /// Names the device of an event by its identity, from the beginning of its link on: what is known of a device does not
    /// change its name in the middle of a link.
    mutating func apply(to event: inout CapturedEvent) {
        guard let connection = event.connection, let device = event.device else { return }
        let link = Link(port: event.port, connection: connection)
        if event.beginsLink {
            // Links whose ends are not in the capture would stay.
            if links.count >= Self.limit { links = [:] }
            links[link] = identity(of: device)
        }
        guard let identity = links[link] else { return }
        if device.kind == .resolvable { (event.device, event.privateAddress) = (identity, device.address) }
        if event.endsLink { links[link] = nil }
    }

    /// Takes the PDUs with the key and the identity address, which comes after it.
    private mutating func learn(_ payload: [UInt8], _ link: Link, _ address: BluetoothAddress?) {
        var reader = ByteReader(payload)
        guard let code = try? reader.uint8("code") else { return }
        switch code {
        case 0x08:
            if keys.count >= Self.limit { keys = [:] }
            keys[link] = try? SecurityKey(from: &reader)
        case 0x09:
            guard let type = try? reader.uint8("address type"), let identity = try? BluetoothAddress(from: &reader)
            else {
                return
            }
            let device = DeviceAddress(identity, type == 0 ? .public : .random)
            add(device, keys.removeValue(forKey: link) ?? .zero, insteadOf: address)
        default: break
        }
    }

    private mutating func add(_ device: DeviceAddress, _ key: SecurityKey, insteadOf address: BluetoothAddress?) {
        guard aliases.count < Self.limit, known.count < Self.limit else { return }
        if let address, address != device.address, DeviceAddress(address, .random).kind == .resolvable {
            aliases[address] = device
        }
        let identity = DeviceIdentity(address: device, key: key)
        guard key != .zero, !known.contains(identity) else { return }
        known.append(identity)
        resolver = IdentityResolver(known)
    }
}
