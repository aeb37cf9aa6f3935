// SPDX-License-Identifier: MIT
// Generated table ('make tables'): numbers and names from the Bluetooth SIG's Assigned Numbers as published in 2026.
// One line each, sorted by number: four upper-case hex digits, a space, the name.

extension NameTable {
    /// Types of objects in the Object Transfer Service.
    static let objectTypes = NameTable(
        keyDigits: 4,
        #"""
        2ACA Unspecified
        2ACB Directory Listing
        2BA9 Media Player Icon
        2BAA Track Segment
        2BAB Track
        2BAC Group
        """#
    )
}
