// SPDX-License-Identifier: MIT

package import Bluetooth

/// What the user of an HCI channel has left switched on. Who lends the channel switches it off at its end, because a
/// process that was killed does not do so itself.
package struct ChannelLeftovers: Sendable {
    private enum Activity: Hashable {
        case scan
        case extendedScan
        case advertising
        case advertisingSet(LEAdvertisingHandle)
        /// A set of which the controller keeps parameters and data.
        case definedSet(LEAdvertisingHandle)

        /// The command that switches it.
        var opcode: HCIOpcode {
            switch self {
            case .scan: LESetScanEnable.opcode
            case .extendedScan: LESetExtendedScanEnable.opcode
            case .advertising: LESetAdvertisingEnable.opcode
            case .advertisingSet: LESetExtendedAdvertisingEnable.opcode
            case .definedSet: LESetExtendedAdvertisingParameters.opcode
            }
        }
    }

    /// What was switched on, and whether the controller has confirmed that. What is switched on by another channel is
    /// refused to this one, and is not its own.
    private var active: [Activity: Bool] = [:]
    /// Whether it has set the controller's random address.
    package private(set) var hasSetAddress = false

    package init() {}

    package var isScanning: Bool { active[.scan] != nil || active[.extendedScan] != nil }

    package mutating func sent(_ packet: HCICommandPacket) {
        var reader = ByteReader(packet.parameters)
        switch packet.opcode {
        case LESetRandomAddress.opcode: hasSetAddress = true
        case LESetScanEnable.opcode: note(.scan, isOn: Self.isOn(packet))
        case LESetExtendedScanEnable.opcode: note(.extendedScan, isOn: Self.isOn(packet))
        case LESetAdvertisingEnable.opcode: note(.advertising, isOn: Self.isOn(packet))
        case LESetExtendedAdvertisingParameters.opcode:
            guard let command = try? LESetExtendedAdvertisingParameters(from: &reader) else { return }
            note(.definedSet(command.set), isOn: true)
        case LERemoveAdvertisingSet.opcode:
            guard let command = try? LERemoveAdvertisingSet(from: &reader) else { return }
            note(.definedSet(command.set), isOn: false)
        case LESetExtendedAdvertisingEnable.opcode:
            guard let command = try? LESetExtendedAdvertisingEnable(from: &reader) else { return }
            if !command.isEnabled, command.sets.isEmpty {
                for activity in active.keys where activity.opcode == packet.opcode { active[activity] = nil }
            }
            for set in command.sets { note(.advertisingSet(set.handle), isOn: command.isEnabled) }
        default: break
        }
    }

    /// Takes the controller's answer to a command of the channel.
    package mutating func answered(_ event: CommandCompleteEvent) {
        for (activity, isConfirmed) in active where activity.opcode == event.opcode && !isConfirmed {
            active[activity] = event.status == .success ? true : nil
        }
    }

    package var commands: [HCICommandPacket] {
        var commands: [HCICommandPacket] = []
        if active[.scan] != nil { commands.append(LESetScanEnable(isEnabled: false).packet) }
        if active[.extendedScan] != nil { commands.append(LESetExtendedScanEnable(isEnabled: false).packet) }
        if active[.advertising] != nil { commands.append(LESetAdvertisingEnable(isEnabled: false).packet) }
        let sets = active.keys.compactMap { if case .advertisingSet(let handle) = $0 { handle } else { nil } }
        for handle in sets.sorted(by: { $0.rawValue < $1.rawValue }) {
            let command = LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle)])
            if let command { commands.append(command.packet) }
        }
        // Few controllers have room for more than a handful, and only one that is off can be removed.
        let defined = active.keys.compactMap { if case .definedSet(let handle) = $0 { handle } else { nil } }
        return commands
            + defined.sorted { $0.rawValue < $1.rawValue }.map { LERemoveAdvertisingSet($0).packet }
    }

    private mutating func note(_ activity: Activity, isOn: Bool) {
        active[activity] = isOn ? active[activity] ?? false : nil
    }

    /// Each of these commands begins with whether it switches on.
    private static func isOn(_ packet: HCICommandPacket) -> Bool { packet.parameters.first == 1 }
}
