// SPDX-License-Identifier: MIT
// Generated table ('make tables'): numbers and names from the Bluetooth SIG's Assigned Numbers as published in 2026.
// One line each, sorted by number: four upper-case hex digits, a space, the name.

extension NameTable {
    /// 16-bit UUIDs of standards development organisations.
    static let standardsOrganizations = NameTable(
        keyDigits: 4,
        #"""
        FCCC Wi-Fi Easy Connect Specification
        FFEF Wi-Fi Direct Specification
        FFF0 Public Key Open Credential (PKOC)
        FFF1 ICCE Digital Key
        FFF2 Aliro
        FFF3 FiRa Consortium
        FFF4 FiRa Consortium
        FFF5 Car Connectivity Consortium, LLC
        FFF6 Matter Profile ID
        FFF7 Zigbee Direct
        FFF8 Mopria Alliance BLE
        FFF9 FIDO2 secure client-to-authenticator transport
        FFFA ASTM Remote ID
        FFFB Direct Thread Commissioning
        FFFC Wireless Power Transfer (WPT)
        FFFD Universal Second Factor Authenticator
        FFFE Wireless Power Transfer
        """#
    )
}
