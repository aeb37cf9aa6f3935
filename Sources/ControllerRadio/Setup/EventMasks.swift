// SPDX-License-Identifier: MIT

import Bluetooth

/// The events that this host asks for.
///
/// Some controllers refuse a mask with a bit that their version does not define, so that each bit depends on what the
/// controller has.
enum EventMasks {
    /// The bit of an event is one less than its code; Command Complete, Command Status and Number Of Completed Packets
    /// cannot be masked.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.3.1
    static let all: UInt64 = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x30, 0x3E].reduce(0) { $0 | 1 << ($1 - 1) }

    /// The bit of an LE event is one less than its subevent code.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.1
    static func lowEnergy(_ facts: ControllerFacts) -> UInt64 {
        var subevents: [UInt64] = [0x01, 0x02, 0x03, 0x04, 0x05]
        // Before these versions the bits were reserved, whatever the features say.
        if facts.hciVersion.rawValue >= 0x07, facts.leFeatures.contains(.connectionParametersRequest) {
            subevents.append(0x06)
        }
        if facts.hciVersion.rawValue >= 0x08 {
            if facts.leFeatures.contains(.dataPacketLengthExtension) { subevents.append(0x07) }
            if facts.leFeatures.contains(.llPrivacy) { subevents.append(0x0A) }
        }
        if facts.hciVersion.rawValue >= 0x09 {
            if !facts.leFeatures.isDisjoint(with: [.le2MPHY, .codedPHY]) { subevents.append(0x0C) }
            if facts.leFeatures.contains(.extendedAdvertising) { subevents += [0x0A, 0x0D, 0x11, 0x12, 0x13] }
            if facts.leFeatures.contains(.channelSelectionAlgorithm2) { subevents.append(0x14) }
        }
        if facts.hasSubrating { subevents.append(0x23) }
        return subevents.reduce(0) { $0 | 1 << ($1 - 1) }
    }
}
