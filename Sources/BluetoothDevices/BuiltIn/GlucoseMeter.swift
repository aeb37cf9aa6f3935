// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A glucose meter with five stored measurements, which it sends when a client asks for them.
    ///
    /// Spec: Glucose Service 1.0.1, 3
    static let glucoseMeter = BuiltInDevice(
        "glucose-meter",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "glucose-meter",
          "summary": "a glucose meter with stored records",
          "name": "Glucose Meter",
          "appearance": "glucose-meter",
          "address": "C6:92:1D:B8:40:7F",
          "signal": { "rssi": -64 },
          "advertising": [
            { "interval": "760 ms", "data": { "services": ["glucose"], "name": "Glucose Meter" } }
          ],
          "services": [
            {
              "uuid": "glucose",
              "characteristics": [
                { "uuid": "glucose-measurement", "label": "record", "properties": ["notify"] },
                { "uuid": "glucose-measurement-context", "label": "context", "properties": ["notify"] },
                // Low battery and strip errors.
                { "uuid": "glucose-feature", "properties": ["read"], "value": "0x1900" },
                {
                  "uuid": "record-access-control-point",
                  "label": "access",
                  "properties": ["indicate", "write"],
                  "on_write": [{ "do": { "run": "records.request" } }]
                }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Meter 5" }
              ]
            }
          ]
        }
        """#
    )
}
