// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A thermometer with Health Thermometer, Environmental Sensing, Battery and Device Information. The first uses
    /// indications. It has an old radio: short packets and the smallest MTU.
    ///
    /// Spec: Health Thermometer Service 1.0, 3; Environmental Sensing Service 1.0, 3
    static let thermometer = BuiltInDevice(
        "thermometer",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "thermometer",
          "summary": "a thermometer for bodies and rooms",
          "name": "Thermo 1",
          "appearance": "ear-thermometer",
          "address": "A4:C1:38:5D:27:F1",
          "address_type": "public",
          "signal": { "rssi": -67 },
          "limits": { "interval": "50 ms", "data_length": 27, "packets_per_event": 4, "mtu": 23, "phys": ["1M"] },
          "advertising": [
            {
              "interval": "1022.5 ms",
              "data": { "services": ["health-thermometer", "environmental-sensing"], "name": "Thermo 1" },
              "scan_response": { "appearance": "ear-thermometer", "tx_power": 0 }
            }
          ],
          "services": [
            {
              "uuid": "health-thermometer",
              "characteristics": [
                {
                  "uuid": "temperature-measurement",
                  "properties": ["indicate"],
                  "value": {
                    "temperature_c": { "steps": [36.6, 36.7, 36.7, 36.8, 36.7, 36.6, 36.8, 36.9], "every": "5 s" },
                    "temperature_type": "body"
                  },
                  "every": { "value_of": "measurement-interval", "unit": "1 s" }
                },
                { "uuid": "temperature-type", "properties": ["read"], "value": "0x02" }, // body
                {
                  "uuid": "intermediate-temperature",
                  "properties": ["notify"],
                  "value": {
                    "temperature_c": { "steps": [36.6, 36.7, 36.7, 36.8, 36.7, 36.6, 36.8, 36.9], "every": "5 s" },
                    "temperature_type": "body"
                  },
                  "every": "1 s"
                },
                {
                  "uuid": "measurement-interval",
                  "properties": ["read", "write"],
                  "value": "u16:5",
                  "lengths": 2,
                  "on_write": [
                    { "number": [1, 3600], "as": "u16", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } } // out of range
                  ],
                  "descriptors": [{ "uuid": "valid-range", "value": "u16:1,3600" }]
                }
              ]
            },
            {
              "uuid": "environmental-sensing",
              "characteristics": [
                {
                  "uuid": "temperature",
                  "properties": ["read", "notify"],
                  "value": { "sine": [20.9, 21.9], "period": "20 min" },
                  "every": "10 s",
                  "descriptors": [
                    { "uuid": "characteristic-presentation-format", "value": "0x0efe2f27010000" },
                    { "uuid": "characteristic-user-description", "value": "text:Room" }
                  ]
                },
                {
                  "uuid": "humidity",
                  "properties": ["read"],
                  "value": { "sine": [44.5, 47.5], "period": "47 min" },
                  "format": { "format": "uint16", "exponent": -2, "unit": "percentage" }
                }
              ]
            },
            {
              "uuid": "battery",
              "characteristics": [
                {
                  "uuid": "battery-level",
                  "properties": ["read", "notify"],
                  "value": { "ramp": [64, 1], "over": "378 h" }
                }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Thermo 1" },
                { "uuid": "serial-number-string", "properties": ["read"], "value": "text:TH1-004711" },
                { "uuid": "firmware-revision-string", "properties": ["read"], "value": "text:1.0.9" }
              ]
            }
          ]
        }
        """#
    )
}
