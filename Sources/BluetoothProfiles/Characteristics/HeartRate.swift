// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Heart Rate service.
    ///
    /// Spec: Heart Rate Service 1.0, 3
    static func heartRate(_ formats: inout FormatTable) {
        formats[0x2A37] = { .heartRateMeasurement }
        formats[0x2A38] = { .fields(.choice("body sensor location", .u8, BodySensorLocation.names)) }
        formats[0x2A39] = {
            .fields(.choice("heart rate control point", .u8, [1: "reset energy expended"]))
        }
    }
}
