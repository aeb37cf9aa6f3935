// SPDX-License-Identifier: MIT

/// A change of the channels of periodic advertising.
///
/// Spec: Core Specification Supplement 11, Part A, 1.20
public struct ADChannelMapUpdate: Hashable, Sendable {
    /// The new channels.
    public let channels: LEChannelMap
    /// The number of the periodic advertising event from which on the channels apply.
    public let instant: UInt16

    /// Creates the element.
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
    /// The number of subevents in an interval.
    public let subeventCount: UInt8
    /// The time between the starts of two subevents, in units of 1.25 ms.
    public let subeventInterval: UInt8
    /// The time between the start of a subevent and the first response slot, in units of 1.25 ms.
    public let responseSlotDelay: UInt8
    /// The time between the starts of two response slots, in units of 0.125 ms.
    public let responseSlotSpacing: UInt8

    /// Creates the element.
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
    /// The features of the display, with one bit for each.
    public let flags: UInt8
    /// The path loss in dB beyond which glasses are too far away.
    public let pathLossThreshold: UInt8

    /// Creates the element.
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
