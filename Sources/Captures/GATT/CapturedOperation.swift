// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import Toolkit

/// An operation of GATT, as a client performed it or a server began it: one value, however many packets it took.
package struct CapturedOperation {
    package enum Kind: Sendable, Equatable {
        /// A value was read, with Read Blob requests if it is long.
        case read
        /// The values of several attributes, without their lengths between them.
        case readMultiple([Handle])
        case write(WriteResult.Procedure)
        case notification
        case indication
    }

    package enum Outcome: Sendable, Equatable {
        case success
        case refused(ATTErrorCode)
        case unanswered
        /// The client has discarded the parts that it had prepared.
        case discarded
    }

    package let kind: Kind
    package var outcome: Outcome
    /// The attribute, of a server at either end of the link.
    package let attribute: AttributeReference
    /// The handle of the characteristic's value; of the attribute itself if its characteristic is not known.
    package let valueHandle: Handle
    /// The octets; of a refused or unanswered write, those that were to be written.
    package var value: [UInt8]
    /// The position of the first of these octets in the value.
    package let offset: Int
    /// Whether the value may go on, because the last packet was full.
    package var mayBeCut: Bool
    /// The first and the last packet, by their numbers.
    package var packets: ClosedRange<Int>
    /// When the last packet passed.
    package var time: WallTime
    package var elapsed: Duration
    /// The time from the first packet to the last one.
    package var duration: Duration
    package let adapter: ManagementIndex?
    package let connection: ConnectionHandle?
    package let privateAddress: BluetoothAddress?
    /// Whether the host that has captured began it: as client, or as the server that has sent an update.
    package let isFromHost: Bool
    package let isRedacted: Bool

    package var isOfHost: Bool {
        switch kind {
        case .notification, .indication: isFromHost
        case .read, .readMultiple, .write: !isFromHost
        }
    }

    /// Whether it changes what a client is sent.
    package var isSubscription: Bool {
        guard case .write = kind else { return false }
        return attribute.descriptor == .clientCharacteristicConfiguration
    }

    /// The value and its meaning; `nil` if there is none.
    package var presentation: ValuePresentation? {
        if case .read = kind, outcome != .success, value.isEmpty { return nil }
        guard !isRedacted else { return nil }
        // A part would be decoded as if it were all.
        guard offset == 0, !mayBeCut else { return ValuePresentation(octets: value) }
        if case .readMultiple = kind { return ValuePresentation(octets: value) }
        return try? ValuePresentation(value, of: attribute, format: nil)
    }
}

extension ATTErrorCode {
    /// Whether a link with more security may be what the server wants.
    package var asksForSecurity: Bool {
        [.insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort].contains(self)
    }
}
