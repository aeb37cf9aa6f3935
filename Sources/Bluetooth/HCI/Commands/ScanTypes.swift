// SPDX-License-Identifier: MIT

/// Whether a scanner requests scan responses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (LE_Scan_Type)
package enum LEScanType: UInt8, Hashable, Sendable {
    /// The scanner only listens.
    case passive = 0x00
    /// The scanner requests the scan responses of scannable advertisers.
    case active = 0x01
}

/// The address that the controller uses for itself.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (Own_Address_Type)
package enum LEOwnAddressType: UInt8, Hashable, Sendable {
    /// The public address.
    case `public` = 0x00
    /// The random address that was set.
    case random = 0x01
    /// A resolvable private address from the resolving list, or the public address if there is none.
    case resolvableOrPublic = 0x02
    /// A resolvable private address from the resolving list, or the random address that was set if there is none.
    case resolvableOrRandom = 0x03
}

/// The advertisements that a scanner reports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (Scanning_Filter_Policy)
package enum LEScanFilterPolicy: UInt8, Hashable, Sendable {
    /// All except those directed at another device.
    case all = 0x00
    /// Only those of devices in the filter accept list.
    case acceptList = 0x01
    /// As `all`, and those directed at a resolvable private address that could not be resolved.
    case allAndUnresolvedDirected = 0x02
    /// As `acceptList`, and those directed at a resolvable private address that could not be resolved.
    case acceptListAndUnresolvedDirected = 0x03
}
