// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// The parts of a kind of device that `watch` needs: the service to search for, and the characteristics to read and to
/// subscribe to.
///
/// A new profile is one file beside this one and one line in `all`.
public struct Profile: Sendable {
    /// The name on the command line: `heart-rate`.
    public let name: String
    /// The name in help texts: `Heart Rate`.
    public let title: String
    /// The service that devices with this profile advertise and offer.
    public let service: BluetoothUUID
    /// The characteristics whose notifications or indications are measurements; a device may lack some.
    public let measurements: [BluetoothUUID]
    /// Characteristics that are read once, before the first measurement arrives; a device may lack them.
    public let initialReads: [BluetoothUUID]

    /// Every profile, in alphabetical order.
    public static let all: [Profile] = [.battery, .heartRate]

    /// The profile with that name in any spelling, `heart-rate`, `Heart Rate` or `heartrate`, or with that UUID of its
    /// service; `nil` if there is none.
    public static func named(_ name: some StringProtocol) -> Profile? {
        let wanted = NameKey(name.utf8)
        let uuid = BluetoothUUID(name)
        return all.first { NameKey($0.name.utf8) == wanted || $0.service == uuid }
    }

    /// Decodes the value of one of the profile's characteristics; `nil` if its format is unknown.
    public func decode(_ bytes: [UInt8], of characteristic: BluetoothUUID) throws(DecodeError) -> DecodedValue? {
        try CharacteristicValue.decode(bytes, of: characteristic)
    }
}
