// SPDX-License-Identifier: MIT

/// Selects the events that the controller sends. Only the controller's owner, the kernel, sends it; it is decoded for
/// traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.1
package struct HCISetEventMask: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.baseband, 0x0001)
    package static let name = "Set Event Mask"
    package static let supportBit: HCISupportBit? = HCISupportBit(5, 6)

    /// One bit for each event; LE Meta events are bit 61 (Event_Mask).
    package var mask: UInt64

    package init(mask: UInt64) { self.mask = mask }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mask = try fields(\.mask, "Event_Mask")
    }

    package var details: String { "0x" + Hex.string(mask, minimumDigits: 16) }
}

/// Selects the LE events that the controller sends. Only the controller's owner, the kernel, sends it; it is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.1
package struct LESetEventMask: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0001)
    package static let name = "LE Set Event Mask"
    package static let supportBit: HCISupportBit? = HCISupportBit(25, 0)

    /// One bit for each subevent; the lowest bit is for code 0x01 (LE_Event_Mask).
    package var mask: UInt64

    package init(mask: UInt64) { self.mask = mask }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mask = try fields(\.mask, "LE_Event_Mask")
    }

    package var details: String { "0x" + Hex.string(mask, minimumDigits: 16) }
}
