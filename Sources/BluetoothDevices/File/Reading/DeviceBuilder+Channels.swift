// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceBuilder {
    /// A service on credit-based channels; `nil` if the schema has refused it.
    mutating func channel(_ object: JSONCursor, besides others: [DeviceChannel]) -> DeviceChannel? {
        guard let number: UInt16 = integer(object["psm"]), let word = object["does"]?.string else { return nil }
        let behavior: DeviceChannel.Behavior
        switch word {
        case "echo": behavior = .echo
        case "sink": behavior = .sink
        case "source": behavior = .source(octets: integer(object["octets"]))
        default: return nil
        }
        if let octets = object["octets"], word != "source" {
            faults.add(octets, "only a source has a number of octets")
        }
        if others.contains(where: { $0.spsm == SPSM(number) }), let psm = object["psm"] {
            faults.add(psm, "another channel has the number \(number)")
        }
        var channel = DeviceChannel(spsm: SPSM(number), behavior: behavior)
        channel.mtu = integer(object["mtu"]) ?? channel.mtu
        channel.mps = integer(object["mps"]) ?? channel.mps
        channel.credits = integer(object["credits"]) ?? channel.credits
        channel.maximumChannels = integer(object["connections"]) ?? channel.maximumChannels
        channel.requirement = object["security"]?.string.flatMap { DeviceWords.channelSecurities[$0] } ?? .open
        return channel
    }
}

extension DeviceWords {
    /// The security that a channel needs.
    static let channelSecurities: [String: AccessRequirement] = [
        "none": .open, "encrypted": AccessRequirement(encryption: true),
        "authenticated": AccessRequirement(encryption: true, authentication: true),
    ]
}
