// SPDX-License-Identifier: GPL-2.0-or-later

/// Whether a scanner asks for scan responses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (LE_Scan_Type)
public enum LEScanType: UInt8, Hashable, Sendable {
    /// Listen only.
    case passive = 0x00
    /// Ask scannable advertisers for their scan response.
    case active = 0x01
}

/// Which of its addresses the controller uses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (Own_Address_Type)
public enum LEOwnAddressType: UInt8, Hashable, Sendable {
    /// The public address.
    case `public` = 0x00
    /// The random address that was set.
    case random = 0x01
    /// A resolvable private address from the resolving list, else the public address.
    case resolvableOrPublic = 0x02
    /// A resolvable private address from the resolving list, else the random address that was set.
    case resolvableOrRandom = 0x03
}

/// Which advertisements a scanner lets through.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (Scanning_Filter_Policy)
public enum LEScanFilterPolicy: UInt8, Hashable, Sendable {
    /// All, save those directed at somebody else.
    case all = 0x00
    /// Those of devices in the filter accept list.
    case acceptList = 0x01
    /// All, and those directed at a resolvable private address that could not be resolved.
    case allAndUnresolvedDirected = 0x02
    /// Those of devices in the filter accept list, and the directed ones as above.
    case acceptListAndUnresolvedDirected = 0x03
}
