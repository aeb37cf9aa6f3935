// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Device Information service.
    ///
    /// Spec: Device Information Service 1.2, 3
    static func deviceInformation(_ formats: inout FormatTable) {
        // An EUI-64: the company's 24 bits are the last three octets.
        formats[0x2A23] = { .fields(Field("system id", .eui64)) }
        for uuid: BluetoothUUID in [0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A29] {
            formats[uuid] = {
                .text
            }
        }
        formats[0x2A2A] = { .fields(.hex("regulatory certification data")) }
        formats[0x2A50] = { .handWritten(.pnpID) }
        formats[0x2BFF] = fields([
            .flags(.u8),
            .terminatedText("label", if: .set(0)),
            .terminatedText("device identifier", if: .set(1)),
            .terminatedText("issuer", if: .set(2)),
            .terminatedText("authority", if: .set(3)),
        ])
    }
}
