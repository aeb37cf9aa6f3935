// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import Records

/// A value that an observation passes on.
package enum ObservedValue: Sendable {
    case sent(ValueEvent)
    /// A frame that ends with a value that the device has sent.
    case frame([UInt8], ValueEvent)
    /// The operation has read it after a gap.
    case read(AttributeValue, Timestamp)

    package var value: [UInt8] {
        switch self {
        case .sent(let event): event.value
        case .frame(let octets, _): octets
        case .read(let value, _): value.value
        }
    }

    package var handle: Handle {
        switch self {
        case .sent(let event), .frame(_, let event): event.handle
        case .read(let value, _): value.handle
        }
    }

    /// When the value was received, for a read the moment of its response.
    package var timestamp: Timestamp {
        switch self {
        case .sent(let event), .frame(_, let event): Timestamp(wall: event.wall, monotonic: event.instant)
        case .read(_, let timestamp): timestamp
        }
    }
}
