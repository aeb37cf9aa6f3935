// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A chest strap at the edge of its range, with immature firmware. Each link breaks after 20 seconds, the strap is
    /// then out of reach for three seconds, and the battery and the heart rate change places twelve seconds after each
    /// subscription, which is long enough for a client to have subscribed to Service Changed.
    ///
    /// It does not advertise its services, so that a search for a heart rate finds the reliable strap.
    static let flakyStrap = BuiltInDevice(
        "flaky-strap",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "flaky-strap",
          "summary": "a heart rate strap that loses its connection",
          "name": "Flaky HR",
          "appearance": "heart-rate-belt",
          "address": "E7:2F:5A:C3:19:B4",
          "signal": { "rssi": -86 },
          // The appearance comes after the name.
          "advertising": [{ "interval": "417.5 ms", "data": { "name": "Flaky HR", "raw": "03194103" } }],
          "services": [
            {
              "uuid": "heart-rate",
              "characteristics": [
                {
                  "uuid": "heart-rate-measurement",
                  "label": "first",
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
            }
          ],
          "databases": {
            "updated": [
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
                "uuid": "heart-rate",
                "characteristics": [
                  {
                    "uuid": "heart-rate-measurement",
                    "label": "second",
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
              }
            ]
          },
          "timeline": [
            { "at": "20 s", "since": "connection", "do": { "leave": "3 s" } },
            { "at": "12 s", "since": { "subscription": "first" }, "do": { "database": "updated" } },
            { "at": "12 s", "since": { "subscription": "second" }, "do": { "database": null } }
          ]
        }
        """#
    )
}
