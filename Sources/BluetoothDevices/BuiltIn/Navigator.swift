// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A receiver of satellites on a walk along the Alster in Hamburg.
    ///
    /// Spec: Location and Navigation Service 1.0, 3
    static let navigator = BuiltInDevice(
        "navigator",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "navigator",
          "summary": "a receiver of satellites on a walk",
          "name": "Navigator",
          "appearance": "location-display",
          "address": "CB:29:D0:74:5E:E1",
          "signal": { "rssi": -70 },
          "advertising": [
            { "interval": "852.5 ms", "data": { "services": ["location-and-navigation"], "name": "Navigator" } }
          ],
          "services": [
            {
              "uuid": "location-and-navigation",
              "characteristics": [
                // Speed, distance, location, elevation, heading.
                { "uuid": "ln-feature", "properties": ["read"], "value": "u32:31" },
                {
                  "uuid": "location-and-speed",
                  "properties": ["notify"],
                  "value": {
                    "position": "ok",
                    "speed_mps": { "walk": [1.2, 1.6], "step": 0.1, "start": 1.4 },
                    "total_distance_m": { "counter": 0, "step": 1.4 },
                    "latitude_degrees": { "ramp": [53.5605, 53.5741], "over": "18 min", "repeat": true },
                    "longitude_degrees": { "ramp": [9.9956, 10.0032], "over": "18 min", "repeat": true },
                    "elevation_m": { "walk": [4, 7], "step": 0.5, "start": 5.2 },
                    "heading_degrees": { "walk": [14, 22], "step": 2, "start": 18 }
                  },
                  "every": "1 s"
                },
                // A position, 9 satellites of 12, 3.2 m.
                { "uuid": "position-quality", "properties": ["read"], "value": "0x8b00090c40010000" }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Navigator 1" }
              ]
            }
          ]
        }
        """#
    )
}
