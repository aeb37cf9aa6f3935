// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

extension L2CAPChannelID {
    /// 0x0001: signalling on a BR/EDR link.
    package static let signaling = Self(rawValue: 0x0001)
    /// 0x0007: the Security Manager on a BR/EDR link.
    package static let basicRateSecurityManager = Self(rawValue: 0x0007)
}

extension L2CAPFrame {
    package var isSignaling: Bool { channel == .leSignaling || channel == .signaling }
    /// Whether it has a PDU of the Security Manager, which may be a key.
    package var isOfSecurityManager: Bool { channel == .securityManager || channel == .basicRateSecurityManager }
}

/// A signal of L2CAP as a capture has it: also one that a device must not send.
///
/// Spec: Core 5.4, Vol 3, Part A, 4
package struct CapturedSignal {
    package let code: UInt8
    package let identifier: UInt8
    package let data: [UInt8]

    /// The signals of a frame: exactly one on an LE link, at least one on a BR/EDR link.
    package static func all(in frame: L2CAPFrame) throws(DecodeError) -> [CapturedSignal] {
        var reader = ByteReader(frame.payload)
        var signals: [CapturedSignal] = []
        repeat {
            let code = try reader.uint8("Code")
            let identifier = try reader.uint8("Identifier")
            let length = Int(try reader.uint16("Data Length"))
            signals.append(CapturedSignal(code: code, identifier: identifier, data: try reader.bytes(length, "Data")))
        } while frame.channel == .signaling && !reader.isAtEnd
        try reader.expectEnd("L2CAPCommand")
        return signals
    }

    package func decoded() throws(DecodeError) -> L2CAPSignal {
        // The identifier has no meaning for the fields, and a link must not accept 0.
        var writer = ByteWriter()
        writer.uint8(code)
        writer.uint8(1)
        writer.uint16(UInt16(clamping: data.count))
        writer.append(data)
        return try L2CAPCommand(decoding: writer.bytes).signal
    }

    package var isResponse: Bool {
        [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A].contains(code)
    }

    package struct Request {
        private static let channelLimit = 5

        package let psm: SPSM
        /// The channels' numbers at the side that asks.
        package let sources: [L2CAPChannelID]
        package let isCreditBased: Bool

        fileprivate init?(_ signal: CapturedSignal) {
            guard [0x02, 0x14, 0x17].contains(signal.code) else { return nil }
            var reader = ByteReader(signal.data)
            guard let psm = try? reader.uint16("PSM") else { return nil }
            // MTU, MPS and credits come before the list.
            if signal.code == 0x17, (try? reader.bytes(6, "limits")) == nil { return nil }
            self.psm = SPSM(psm)
            sources = Array(reader.channels().prefix(signal.code == 0x17 ? Self.channelLimit : 1))
            isCreditBased = signal.code != 0x02
        }
    }

    /// The request for channels; `nil` if the signal is none.
    package var request: Request? { Request(self) }

    /// The channels' numbers at the side that answers a request for channels, with 0 for each that it refuses; `nil` if
    /// the signal is no such answer, or if another one follows.
    package var destinations: [L2CAPChannelID]? {
        var reader = ByteReader(data)
        switch code {
        case 0x03:
            guard let channel = try? reader.uint16("Destination CID"), (try? reader.uint16("Source CID")) != nil,
                let result = try? reader.uint16("Result"), result != 0x0001
            else { return nil }
            return [L2CAPChannelID(rawValue: result == 0 ? channel : 0)]
        case 0x15:
            guard let channel = try? reader.uint16("Destination CID"), (try? reader.bytes(6, "limits")) != nil,
                let result = try? reader.uint16("Result")
            else { return nil }
            return [L2CAPChannelID(rawValue: result == 0 ? channel : 0)]
        case 0x18:
            // The results from 0x000D say that another answer follows.
            guard (try? reader.bytes(6, "limits")) != nil, let result = try? reader.uint16("Result"), result < 0x000D
            else { return nil }
            return reader.channels()
        default: return nil
        }
    }

    /// The numbers of a channel that ends, at the side that answers the request to end it and at the one that asks;
    /// `nil` if the signal is no such answer.
    package var ended: (answering: L2CAPChannelID, asking: L2CAPChannelID)? {
        guard code == 0x07, case .disconnectionResponse(let destination, let source)? = try? decoded() else {
            return nil
        }
        return (destination, source)
    }
}

extension ByteReader {
    /// The numbers of channels up to the end.
    fileprivate mutating func channels() -> [L2CAPChannelID] {
        var channels: [L2CAPChannelID] = []
        while let channel = try? uint16("CID") { channels.append(L2CAPChannelID(rawValue: channel)) }
        return channels
    }
}
