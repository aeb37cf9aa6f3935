// SPDX-License-Identifier: MIT

package import Bluetooth

/// A signal that is about several credit-based channels at once, up to five.
///
/// Spec: Core 5.4, Vol 3, Part A, 4.25 to 4.28
package enum EnhancedChannelSignal: Hashable, Sendable {
    /// L2CAP_CREDIT_BASED_CONNECTION_REQ: the service, what the sender can receive, and its numbers of the channels.
    case connectionRequest(SPSM, CreditBasedLimits, credits: UInt16, [L2CAPChannelID])
    /// L2CAP_CREDIT_BASED_CONNECTION_RSP: the numbers are in the order of the request, 0 for a refused channel.
    case connectionResponse(CreditBasedLimits, credits: UInt16, LECreditBasedConnectionResult, [L2CAPChannelID])
    /// L2CAP_CREDIT_BASED_RECONFIGURE_REQ: what the sender can receive now, on its channels with these numbers.
    case reconfigureRequest(CreditBasedLimits, [L2CAPChannelID])
    /// L2CAP_CREDIT_BASED_RECONFIGURE_RSP.
    case reconfigureResponse(ReconfigurationResult)

    /// The answer to the request to change channels.
    package enum ReconfigurationResult: UInt16, Sendable {
        case successful
        case smallerMTU
        case smallerMPS
        case invalidCID
        case unacceptableParameters
    }

    /// The largest number of channels in one signal.
    package static let channelLimit = 5

    /// The signal with that code; `nil` if it is of another kind. Throws if its fields are not those of the code.
    package init?(_ code: UInt8, _ data: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(data)
        switch code {
        case 0x17:
            let spsm = SPSM(try reader.uint16("SPSM"))
            let limits = try CreditBasedLimits(from: &reader)
            let credits = try reader.uint16("Initial Credits")
            self = .connectionRequest(spsm, limits, credits: credits, try Self.channels(&reader, atLeast: 1))
        case 0x18:
            let limits = try CreditBasedLimits(from: &reader)
            let credits = try reader.uint16("Initial Credits")
            let result = LECreditBasedConnectionResult(try reader.uint16("Result"))
            // Some devices leave out the numbers if all channels are refused.
            let channels = try Self.channels(&reader, atLeast: 0)
            self = .connectionResponse(limits, credits: credits, result, channels)
        case 0x19:
            let limits = try CreditBasedLimits(from: &reader)
            self = .reconfigureRequest(limits, try Self.channels(&reader, atLeast: 1))
        case 0x1A:
            let result = ReconfigurationResult(rawValue: try reader.uint16("Result"))
            self = .reconfigureResponse(result ?? .unacceptableParameters)
        default: return nil
        }
        try reader.expectEnd("Data")
    }

    private static func channels(
        _ reader: inout ByteReader,
        atLeast least: Int
    ) throws(DecodeError) -> [L2CAPChannelID] {
        var channels: [L2CAPChannelID] = []
        while !reader.isAtEnd, channels.count < channelLimit { channels.append(try reader.channelID("CID")) }
        guard channels.count >= least else { throw DecodeError("CID", .invalid(value: 0)) }
        return channels
    }

    package var signal: L2CAPSignal {
        var writer = ByteWriter()
        func write(_ channels: [L2CAPChannelID]) { for channel in channels { writer.uint16(channel.rawValue) } }
        switch self {
        case .connectionRequest(let spsm, let limits, let credits, let channels):
            writer.uint16(spsm.rawValue)
            limits.encode(into: &writer)
            writer.uint16(credits)
            write(channels)
            return .other(code: 0x17, data: writer.bytes)
        case .connectionResponse(let limits, let credits, let result, let channels):
            limits.encode(into: &writer)
            writer.uint16(credits)
            writer.uint16(result.rawValue)
            write(channels)
            return .other(code: 0x18, data: writer.bytes)
        case .reconfigureRequest(let limits, let channels):
            limits.encode(into: &writer)
            write(channels)
            return .other(code: 0x19, data: writer.bytes)
        case .reconfigureResponse(let result):
            writer.uint16(result.rawValue)
            return .other(code: 0x1A, data: writer.bytes)
        }
    }
}
