// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import RadioSharing

package enum SessionChoice: Equatable {
    /// None: the command connects itself.
    case none
    case one(SessionDescription)
    /// The sessions that fit; the user has to name one.
    case several([SessionDescription])

    /// Chooses among the sessions of a command's world.
    ///
    /// - Parameters:
    ///   - selector: The device that the command means; `nil` for any.
    ///   - adapters: The adapters that it may use.
    package init(among sessions: [SessionDescription], for selector: DeviceSelector?, adapters: AdapterSelection) {
        let fitting = sessions.filter { session in
            adapters.contains(session.adapter) && Self.fits(session, selector)
        }
        switch fitting.count {
        case 0: self = .none
        case 1: self = .one(fitting[0])
        default:
            // A name is that of a session first.
            let named = selector?.givenName.map { name in fitting.filter { $0.name == name } } ?? []
            self = named.count == 1 ? .one(named[0]) : .several(fitting)
        }
    }

    /// Whether the user may mean a session. A session whose services are not known yet fits a search for services,
    /// because its device was not asked.
    static func fits(_ session: SessionDescription, _ selector: DeviceSelector?) -> Bool {
        // There is one device at a socket, so its name and its address need not match.
        if session.socket != nil { return true }
        switch selector {
        case nil: return true
        case .address(let address, _): return session.device.address == address
        case .name(let name):
            return session.name == name || session.deviceName.map { DeviceIdentifier.isSameName($0, name) } ?? false
        case .advertising(let name, let services):
            return (name.map { $0.matches(session.deviceName ?? "") } ?? true)
                && services.allSatisfy(session.services.contains)
        case .likely(let services, let names):
            // The services are not known, so that nothing speaks against the session.
            if session.services.isEmpty { return true }
            return services.contains(where: session.services.contains)
                || names.contains { wanted in
                    session.deviceName.map { DeviceIdentifier.isSameName($0, wanted) } ?? false
                }
        }
    }
}

extension SessionDescription {
    package var reference: DeviceReference {
        DeviceReference(address: device, name: deviceName, socket: socket)
    }

    /// The device as a command refers to it, which may have given an address to one at a socket.
    package func reference(as selector: DeviceSelector?) -> DeviceReference {
        guard socket != nil, case .address(let address, let type)? = selector else { return reference }
        return DeviceReference(
            address: DeviceAddress(address, type ?? .public),
            name: deviceName,
            socket: socket,
            isTypeKnown: type != nil
        )
    }
}
