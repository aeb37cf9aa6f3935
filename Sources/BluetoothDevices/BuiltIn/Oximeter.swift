// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A pulse oximeter on a finger: a value each second, and the result of a spot check every 15 seconds.
    ///
    /// Spec: Pulse Oximeter Service 1.0.1, 3
    static let oximeter = BuiltInDevice(
        "oximeter",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "oximeter",
          "summary": "a pulse oximeter on a finger",
          "name": "Oximeter",
          "appearance": "fingertip-pulse-oximeter",
          "address": "F4:18:66:0D:A2:C9",
          "signal": { "rssi": -61 },
          "advertising": [
            { "interval": "417.5 ms", "data": { "services": ["pulse-oximeter"], "name": "Oximeter" } }
          ],
          "services": [
            {
              "uuid": "pulse-oximeter",
              "characteristics": [
                {
                  "uuid": "plx-spot-check-measurement",
                  "properties": ["indicate"],
                  "value": {
                    "spo2_percent": { "walk": [96, 99], "step": 1, "start": 98 },
                    "pulse_rate_bpm": { "walk": [61, 70], "step": 2, "start": 65 }
                  },
                  "every": "15 s"
                },
                {
                  "uuid": "plx-continuous-measurement",
                  "properties": ["notify"],
                  "value": {
                    "spo2_percent": { "walk": [96, 99], "step": 1, "start": 98 },
                    "pulse_rate_bpm": { "walk": [61, 70], "step": 2, "start": 65 },
                    "pulse_amplitude_index_percent": { "walk": [3, 6], "step": 0.4, "start": 4.2 }
                  },
                  "every": "1 s"
                },
                { "uuid": "plx-features", "properties": ["read"], "value": "u16:32" }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Oximeter 2" }
              ]
            }
          ]
        }
        """#
    )
}
