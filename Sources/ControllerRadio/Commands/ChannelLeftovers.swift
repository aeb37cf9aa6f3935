// SPDX-License-Identifier: MIT

import Bluetooth

/// What the user of an HCI channel has left switched on. The host switches it off at the end of the channel, because a
/// process that was killed does not do so itself.
struct ChannelLeftovers: Sendable {
    private enum Activity: Hashable {
        case scan
        case extendedScan
        case advertising
        case advertisingSet(LEAdvertisingHandle)
    }

    private var active: Set<Activity> = []

    /// Whether it scans.
    var isScanning: Bool { active.contains(.scan) || active.contains(.extendedScan) }

    /// Takes a command of the channel.
    mutating func sent(_ packet: HCICommandPacket) {
        switch packet.opcode {
        case LESetScanEnable.opcode: note(.scan, isOn: Self.isOn(packet))
        case LESetExtendedScanEnable.opcode: note(.extendedScan, isOn: Self.isOn(packet))
        case LESetAdvertisingEnable.opcode: note(.advertising, isOn: Self.isOn(packet))
        case LESetExtendedAdvertisingEnable.opcode:
            var reader = ByteReader(packet.parameters)
            guard let command = try? LESetExtendedAdvertisingEnable(from: &reader) else { return }
            if !command.isEnabled, command.sets.isEmpty {
                active.formIntersection([.scan, .extendedScan, .advertising])
            }
            for set in command.sets { note(.advertisingSet(set.handle), isOn: command.isEnabled) }
        default: break
        }
    }

    /// The commands that switch it off.
    var commands: [HCICommandPacket] {
        var commands: [HCICommandPacket] = []
        if active.contains(.scan) { commands.append(LESetScanEnable(isEnabled: false).packet) }
        if active.contains(.extendedScan) { commands.append(LESetExtendedScanEnable(isEnabled: false).packet) }
        if active.contains(.advertising) { commands.append(LESetAdvertisingEnable(isEnabled: false).packet) }
        let sets = active.compactMap { if case .advertisingSet(let handle) = $0 { handle } else { nil } }
        for handle in sets.sorted(by: { $0.rawValue < $1.rawValue }) {
            let command = LESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle)])
            if let command { commands.append(command.packet) }
        }
        return commands
    }

    private mutating func note(_ activity: Activity, isOn: Bool) {
        if isOn { active.insert(activity) } else { active.remove(activity) }
    }

    /// Each of these commands begins with whether it switches on.
    private static func isOn(_ packet: HCICommandPacket) -> Bool { packet.parameters.first == 1 }
}
