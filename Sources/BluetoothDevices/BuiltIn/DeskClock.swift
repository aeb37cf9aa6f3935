// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A clock, which is set by a client. It rings when a client raises an alert.
    ///
    /// Spec: Current Time Service 1.1, 3; Immediate Alert Service 1.0, 3; Link Loss Service 1.0.1, 3
    static let deskClock = BuiltInDevice(
        "desk-clock",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "desk-clock",
          "summary": "a clock that is set, and rings",
          "name": "Desk Clock",
          "appearance": "clock",
          "address": "F8:47:13:AE:60:9D",
          "signal": { "rssi": -65 },
          "advertising": [
            {
              "interval": "852.5 ms",
              "data": { "services": ["current-time", "immediate-alert"], "name": "Desk Clock" }
            }
          ],
          "services": [
            {
              "uuid": "current-time",
              "characteristics": [
                {
                  "uuid": "current-time",
                  "label": "time",
                  "properties": ["read", "write", "notify"],
                  "value": { "program": "clock.time" },
                  "lengths": 10,
                  "on_write": [{ "do": [{ "run": "clock.set" }, { "send": "time", "value": { "program": "clock.time" } }] }]
                },
                {
                  "uuid": "local-time-information",
                  "properties": ["read", "write"],
                  "value": "0x0400",
                  "lengths": 2
                },
                // Set by hand, so that its accuracy is unknown.
                { "uuid": "reference-time-information", "properties": ["read"], "value": "0x04ffffff" }
              ]
            },
            {
              "uuid": "immediate-alert",
              "characteristics": [{ "uuid": "alert-level", "properties": ["write-without-response"], "lengths": 1 }]
            },
            {
              "uuid": "link-loss",
              "characteristics": [
                {
                  "uuid": "alert-level",
                  "properties": ["read", "write"],
                  "value": "0x00",
                  "lengths": 1,
                  "on_write": [
                    { "number": [0, 2], "as": "u8", "do": "store" },
                    { "else": true, "do": { "error": "0x80" } }
                  ]
                }
              ]
            },
            {
              "uuid": "device-information",
              "characteristics": [
                { "uuid": "manufacturer-name-string", "properties": ["read"], "value": "text:blectl simulation" },
                { "uuid": "model-number-string", "properties": ["read"], "value": "text:Clock 24" }
              ]
            }
          ]
        }
        """#
    )
}
