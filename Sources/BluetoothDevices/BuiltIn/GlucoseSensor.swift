// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A glucose sensor that is worn on the skin. Its minutes pass in seconds.
    ///
    /// Spec: Continuous Glucose Monitoring Service 1.0.2, 3
    static let glucoseSensor = BuiltInDevice(
        "glucose-sensor",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "glucose-sensor",
          "summary": "a glucose sensor that is worn",
          "name": "Glucose Sensor",
          "appearance": "continuous-glucose-monitor",
          "address": "EA:54:09:C7:6D:12",
          "signal": { "rssi": -71 },
          "advertising": [
            {
              "interval": "1022.5 ms",
              "data": { "services": ["continuous-glucose-monitoring"], "name": "Glucose Sensor" }
            }
          ],
          "services": [
            {
              "uuid": "continuous-glucose-monitoring",
              "characteristics": [
                {
                  "uuid": "cgm-measurement",
                  "properties": ["notify"],
                  // Size, no flags, mg/dl, minutes.
                  "value": [
                    "0600",
                    { "walk": [92, 148], "step": 4, "start": 112, "as": "u16" },
                    { "counter": 240, "step": 5, "limit": 20160, "as": "u16" }
                  ],
                  "every": "5 s"
                },
                // Trend; capillary whole blood in subcutaneous tissue; no checksum.
                { "uuid": "cgm-feature", "properties": ["read"], "value": "0x00800051ffff" },
                { "uuid": "cgm-session-run-time", "properties": ["read"], "value": "u16:336" }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Sensor 14" }
              ]
            }
          ]
        }
        """#
    )
}
