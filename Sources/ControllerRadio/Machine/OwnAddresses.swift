// SPDX-License-Identifier: MIT

import Bluetooth

/// The addresses of this side on the air. Pairing computes with them, and the users of HCI channels choose those with
/// which they advertise.
struct OwnAddresses: Sendable {
    private struct AdvertisingSet: Sendable {
        var type = LEOwnAddressType.public
        var random: BluetoothAddress?
    }

    /// The type with which this side connects.
    var ownType = LEOwnAddressType.public
    private var publicAddress = BluetoothAddress(rawValue: 0)
    private(set) var random: BluetoothAddress?
    /// The random address before the last command.
    private var former: BluetoothAddress?
    /// That of legacy advertising.
    private var advertisingType: LEOwnAddressType?
    private var sets: [LEAdvertisingHandle: AdvertisingSet] = [:]

    init() {}

    /// The addresses of a controller that is ready.
    ///
    /// - Parameter random: The static random address that a controller without a public one has.
    init(_ facts: ControllerFacts, random: BluetoothAddress) {
        ownType = facts.ownAddressType
        publicAddress = facts.publicAddress
        if ownType == .random { self.random = random }
    }

    /// The controller has refused the last command, such as a random address while the former is in use (0x0C).
    mutating func refused() { random = former }

    /// Takes a command that the controller gets.
    mutating func sent(_ packet: HCICommandPacket) {
        former = random
        var reader = ByteReader(packet.parameters)
        switch packet.opcode {
        case LESetRandomAddress.opcode:
            if let command = try? LESetRandomAddress(from: &reader) { random = command.address }
        case LESetAdvertisingParameters.opcode:
            if let command = try? LESetAdvertisingParameters(from: &reader) { advertisingType = command.ownAddressType }
        case LESetExtendedAdvertisingParameters.opcode:
            guard let command = try? LESetExtendedAdvertisingParameters(from: &reader) else { return }
            sets[command.set, default: AdvertisingSet()].type = command.ownAddressType
        case LESetAdvertisingSetRandomAddress.opcode:
            guard let command = try? LESetAdvertisingSetRandomAddress(from: &reader) else { return }
            sets[command.set, default: AdvertisingSet()].random = command.address
        case LERemoveAdvertisingSet.opcode:
            if let command = try? LERemoveAdvertisingSet(from: &reader) { sets[command.set] = nil }
        default: break
        }
    }

    /// The address with which this side connects.
    var ofCentral: DeviceAddress { address(ownType, random) }

    /// The address with which it advertises; the event of the end of the set says more if there are several sets.
    var ofPeripheral: DeviceAddress {
        if sets.count == 1, let set = sets.first?.key { return of(set) }
        return address(advertisingType ?? ownType, random)
    }

    func of(_ handle: LEAdvertisingHandle) -> DeviceAddress {
        guard let set = sets[handle] else { return ofPeripheral }
        return address(set.type, set.random ?? random)
    }

    private func address(_ type: LEOwnAddressType, _ random: BluetoothAddress?) -> DeviceAddress {
        // This host gives the controller no key to make addresses with, so that the types which resolve are as the others.
        let isRandom = type == .random || type == .resolvableOrRandom
        guard isRandom, let random else { return DeviceAddress(publicAddress, .public) }
        return DeviceAddress(random, .random)
    }
}
