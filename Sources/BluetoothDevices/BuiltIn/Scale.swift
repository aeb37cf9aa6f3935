// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A scale that measures the weight and the composition of a body. A person stands on it every few seconds.
    ///
    /// Spec: Weight Scale Service 1.0, 3; Body Composition Service 1.0, 3
    static let scale = BuiltInDevice(
        "scale",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "scale",
          "summary": "a scale that looks into a body",
          "name": "Bathroom Scale",
          "appearance": "weight-scale",
          "address": "E1:7C:20:5A:93:04",
          "signal": { "rssi": -73 },
          "advertising": [
            {
              "interval": "640 ms",
              "data": { "services": ["weight-scale", "body-composition"], "name": "Bathroom Scale" }
            }
          ],
          "services": [
            {
              "uuid": "weight-scale",
              "includes": ["body-composition"],
              "characteristics": [
                // User, BMI, a resolution of 5 g and of 1 mm.
                { "uuid": "weight-scale-feature", "properties": ["read"], "value": "0xbe010000" },
                {
                  "uuid": "weight-measurement",
                  "properties": ["indicate"],
                  "value": {
                    "weight_kg": { "walk": [71.2, 72.4], "step": 0.3, "start": 71.8 },
                    "user_id": 1,
                    "bmi_kg_per_m2": 22.4,
                    "height_m": 1.79
                  },
                  "every": "6 s"
                }
              ]
            },
            {
              "uuid": "body-composition",
              "characteristics": [
                // User, basal metabolism, muscle, muscle mass, water, impedance, weight.
                { "uuid": "body-composition-feature", "properties": ["read"], "value": "0x9e3b0000" },
                {
                  "uuid": "body-composition-measurement",
                  "properties": ["indicate"],
                  "value": {
                    "body_fat_percent": { "walk": [16.8, 18.2], "step": 0.3, "start": 17.4 },
                    "user_id": 1,
                    "basal_metabolism_kj": 7112,
                    "muscle_percent": 44.1,
                    "impedance_ohm": { "walk": [498, 522], "step": 6, "start": 510 },
                    "weight_kg": { "walk": [71.2, 72.4], "step": 0.3, "start": 71.8 }
                  },
                  "every": "6 s"
                }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Scale 3" }
              ]
            }
          ]
        }
        """#
    )
}
