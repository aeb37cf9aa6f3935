// SPDX-License-Identifier: MIT
// Generated table ('make tables'): numbers and names from the Bluetooth SIG's Assigned Numbers as published in 2026.
// One line each, sorted by number: four upper-case hex digits, a space, the name.

extension NameTable {
    /// Profiles of networked lighting control in a mesh.
    static let meshProfiles = NameTable(
        keyDigits: 4,
        #"""
        1600 Ambient Light Sensor NLC Profile 1.0
        1601 Basic Lightness Controller NLC Profile 1.0
        1602 Basic Scene Selector NLC Profile 1.0
        1603 Dimming Control NLC Profile 1.0
        1604 Energy Monitor NLC Profile 1.0
        1605 Occupancy Sensor NLC Profile 1.0
        1606 HVAC Integration NLC Profile 1.0
        """#
    )
}
