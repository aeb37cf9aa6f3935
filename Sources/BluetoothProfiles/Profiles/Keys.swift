// SPDX-License-Identifier: MIT

public import Bluetooth

/// A characteristic whose value is the pressed keys.
public struct KeyPad: Hashable, Sendable {
    /// The service.
    public let service: BluetoothUUID
    /// The characteristic, whose first octet is the state.
    public let characteristic: BluetoothUUID
    /// The names of the keys. Of several, each has a bit, from the lowest one on; a single one is pressed if the octet
    /// is not zero.
    public let keys: [String]

    /// The keys that a value says are pressed; `nil` if it is empty.
    public func pressed(_ value: [UInt8]) -> Set<String>? {
        guard let state = value.first else { return nil }
        if keys.count == 1 { return state == 0 ? [] : Set(keys) }
        return Set(keys.indices.filter { state & 1 << UInt8($0) != 0 }.map { keys[$0] })
    }

    /// All known ones.
    public static let all: [KeyPad] = [sensorTag, nordicButton, microbitA, microbitB, thingy]

    /// The keys of a SensorTag, and of many other devices with the same service. The third one is the side key of the
    /// CC2541, and the reed relay of the CC2650.
    ///
    /// Spec: TI SensorTag User Guide, Simple Key Service
    public static let sensorTag = KeyPad(service: 0xFFE0, characteristic: 0xFFE1, keys: ["left", "right", "side"])

    /// The button of the examples of Nordic.
    ///
    /// Spec: docs.nordicsemi.com, nRF Connect SDK, LED Button Service
    public static let nordicButton = KeyPad(
        service: BluetoothUUID(bits128: 0x0000_1523_1212_EFDE_1523_785F_EABC_D123),
        characteristic: BluetoothUUID(bits128: 0x0000_1524_1212_EFDE_1523_785F_EABC_D123),
        keys: ["button"]
    )

    /// The buttons of a micro:bit.
    ///
    /// Spec: lancaster-university.github.io/microbit-docs, Bluetooth profile, Button Service
    public static let microbitA = KeyPad(
        service: BluetoothUUID(bits128: 0xE95D_9882_251D_470A_A062_FA19_22DF_A9A8),
        characteristic: BluetoothUUID(bits128: 0xE95D_DA90_251D_470A_A062_FA19_22DF_A9A8),
        keys: ["a"]
    )

    /// The second button of a micro:bit.
    public static let microbitB = KeyPad(
        service: BluetoothUUID(bits128: 0xE95D_9882_251D_470A_A062_FA19_22DF_A9A8),
        characteristic: BluetoothUUID(bits128: 0xE95D_DA91_251D_470A_A062_FA19_22DF_A9A8),
        keys: ["b"]
    )

    /// The button of a Thingy:52.
    ///
    /// Spec: nordicsemiconductor.github.io/Nordic-Thingy52-FW, User Interface Service
    public static let thingy = KeyPad(
        service: BluetoothUUID(bits128: 0xEF68_0300_9B35_4933_9B10_52FF_A974_0042),
        characteristic: BluetoothUUID(bits128: 0xEF68_0302_9B35_4933_9B10_52FF_A974_0042),
        keys: ["button"]
    )
}

/// Derives presses and releases from the states of the keys, because a device sends only the states.
public struct KeyTracker: Sendable {
    /// A press or a release.
    public struct Event: Hashable, Sendable {
        /// The name of the key.
        public let key: String
        /// Whether it was pressed, and not released.
        public let isPress: Bool
    }

    private var pressed: [KeyPad: Set<String>] = [:]

    /// Begins with all keys released.
    public init() {}

    /// The changes by a value. A value that repeats the state, or is empty, changes nothing.
    public mutating func received(_ value: [UInt8], from pad: KeyPad) -> [Event] {
        guard let now = pad.pressed(value) else { return [] }
        let before = pressed[pad] ?? []
        pressed[pad] = now
        // In the order of the keys, because sets have no order that is the same in every run.
        return pad.keys.compactMap { key in
            guard now.contains(key) != before.contains(key) else { return nil }
            return Event(key: key, isPress: now.contains(key))
        }
    }
}

extension Profile {
    /// The keys of a device: of a SensorTag, of Nordic's examples, of a micro:bit or a Thingy.
    public static let keys = Profile(
        name: "keys",
        title: "Keys",
        services: KeyPad.all.map(\.service),
        deviceNames: ["SensorTag", "TI BLE Sensor Tag", "CC2650 SensorTag", "Nordic_LBS", "Nordic_Blinky", "Thingy"],
        sources: [],
        mode: .keys(KeyPad.all)
    )
}
