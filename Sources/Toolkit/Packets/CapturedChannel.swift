// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth

/// What is known of the channel of a frame: the service that it leads to.
package struct CapturedChannel {
    /// The number at the side that receives the frame.
    package let number: L2CAPChannelID
    package let psm: SPSM
    /// Whether frames are parts of service data units, and need credits.
    package let isCreditBased: Bool
    /// The octets of the unit so far, and all of them; `nil` in a channel without units.
    package var unit: (received: Int, total: Int)?

    /// The Attribute Protocol on a BR/EDR link.
    package static let attributeProtocol = SPSM(0x001F)

    /// Whether the frames carry ATT PDUs.
    package var isOfATT: Bool { isCreditBased ? psm == .enhancedATT : psm == Self.attributeProtocol }

    package init(number: L2CAPChannelID, psm: SPSM, isCreditBased: Bool, unit: (received: Int, total: Int)? = nil) {
        self.number = number
        self.psm = psm
        self.isCreditBased = isCreditBased
        self.unit = unit
    }
}
