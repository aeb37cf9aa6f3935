// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A chest strap with Heart Rate, Battery and Device Information.
    static let pulseStrap = BuiltInDevice(
        "pulse-strap",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "pulse-strap",
          "summary": "a heart rate strap",
          "name": "Pulse HR",
          "appearance": "heart-rate-belt",
          "address": "C8:4B:1D:3A:90:5E",
          "signal": { "rssi": -58 },
          "advertising": [
            {
              "interval": "211.25 ms",
              "data": { "services": ["heart-rate", "battery"], "appearance": "heart-rate-belt" },
              "scan_response": { "name": "Pulse HR", "tx_power": 4 }
            }
          ],
          "services": [
            {
              "uuid": "heart-rate",
              "characteristics": [
                {
                  "uuid": "heart-rate-measurement",
                  "properties": ["notify"],
                  "value": { "program": "heart.measurement" },
                  "every": "1 s"
                },
                { "uuid": "body-sensor-location", "properties": ["read"], "value": "0x01" }, // chest
                {
                  "uuid": "heart-rate-control-point",
                  "properties": ["write"],
                  "lengths": 1,
                  "on_write": [
                    { "is": "0x01", "do": { "run": "heart.reset-energy" } },
                    { "else": true, "do": { "error": "0x80" } } // control point not supported
                  ]
                }
              ]
            },
            {
              "uuid": "battery",
              "characteristics": [
                {
                  "uuid": "battery-level",
                  "properties": ["read", "notify"],
                  "value": { "ramp": [87, 1], "over": "69 h" },
                  "every": "1 min",
                  "only_changes": true
                }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Pulse HR 2" },
                { "uuid": "serial-number-string", "properties": ["read"], "value": "text:PHR-000117" },
                { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:2.4.1" }
              ]
            }
          ]
        }
        """#
    )
}
