// SPDX-License-Identifier: GPL-2.0-or-later

/// A change of channels of periodic advertising.
///
/// Spec: Core Specification Supplement 11, Part A, 1.20
public struct ADChannelMapUpdate: Hashable, Sendable {
    /// The new channels.
    public let channels: LEChannelMap
    /// The periodic advertising event from which on they hold.
    public let instant: UInt16

    /// Puts the two together.
    public init(channels: LEChannelMap, instant: UInt16) {
        self.channels = channels
        self.instant = instant
    }
}

extension ADChannelMapUpdate: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        channels = try LEChannelMap(from: &reader)
        instant = try reader.uint16("instant")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(channels)
        writer.uint16(instant)
    }
}

/// The timing of periodic advertising with responses.
///
/// Spec: Core Specification Supplement 11, Part A, 1.24
public struct ADPeriodicResponseTiming: Hashable, Sendable {
    /// The access address of responses.
    public let responseAccessAddress: UInt32
    /// How many subevents an interval has.
    public let subeventCount: UInt8
    /// From the start of one subevent to the start of the next: a number of 1.25 ms.
    public let subeventInterval: UInt8
    /// From the start of a subevent to the first response slot: a number of 1.25 ms.
    public let responseSlotDelay: UInt8
    /// From the start of one response slot to the start of the next: a number of 0.125 ms.
    public let responseSlotSpacing: UInt8

    /// Puts them together.
    public init(
        responseAccessAddress: UInt32,
        subeventCount: UInt8,
        subeventInterval: UInt8,
        responseSlotDelay: UInt8,
        responseSlotSpacing: UInt8
    ) {
        self.responseAccessAddress = responseAccessAddress
        self.subeventCount = subeventCount
        self.subeventInterval = subeventInterval
        self.responseSlotDelay = responseSlotDelay
        self.responseSlotSpacing = responseSlotSpacing
    }
}

extension ADPeriodicResponseTiming: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        responseAccessAddress = try reader.uint32("RspAA")
        subeventCount = try reader.uint8("numSubevents")
        subeventInterval = try reader.uint8("subeventInterval")
        responseSlotDelay = try reader.uint8("responseSlotDelay")
        responseSlotSpacing = try reader.uint8("responseSlotSpacing")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint32(responseAccessAddress)
        writer.uint8(subeventCount)
        writer.uint8(subeventInterval)
        writer.uint8(responseSlotDelay)
        writer.uint8(responseSlotSpacing)
    }
}

/// Synchronisation of 3D glasses with a display.
///
/// Spec: 3D Synchronization Profile 1.0, 4.2
public struct ADThreeDInformation: Hashable, Sendable {
    /// What the display supports, one bit each.
    public let flags: UInt8
    /// The loss on the way, in dB, from which on glasses are too far off.
    public let pathLossThreshold: UInt8

    /// Puts the two together.
    public init(flags: UInt8, pathLossThreshold: UInt8) {
        self.flags = flags
        self.pathLossThreshold = pathLossThreshold
    }
}

extension ADThreeDInformation: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        flags = try reader.uint8("3D flags")
        pathLossThreshold = try reader.uint8("path loss threshold")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(flags)
        writer.uint8(pathLossThreshold)
    }
}
