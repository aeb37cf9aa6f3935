// SPDX-License-Identifier: MIT

/// Removes an advertising set. It must be disabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.59
package struct LERemoveAdvertisingSet: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x003C)
    package static let name = "LE Remove Advertising Set"
    package static let supportBit: HCISupportBit? = HCISupportBit(37, 0)

    package var set: LEAdvertisingHandle

    package init(_ set: LEAdvertisingHandle) { self.set = set }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
    }

    package var details: String { "set \(set)" }
}

/// Removes all advertising sets. All must be disabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.60
package struct LEClearAdvertisingSets: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x003D)
    package static let name = "LE Clear Advertising Sets"
    package static let supportBit: HCISupportBit? = HCISupportBit(37, 1)

    package init() {}
}
