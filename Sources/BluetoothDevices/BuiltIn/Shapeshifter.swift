// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A device that changes its database during connections, as a firmware update does. Cached knowledge is then
    /// wrong, and the device announces that by Service Changed and by its Database Hash.
    ///
    /// A write to its control point selects the shape and the time: see `ShapeshifterProgram`. The control service and
    /// those before it never move, so that a client can always write again; the readings do.
    static let shapeshifter = BuiltInDevice(
        "shapeshifter",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "shapeshifter",
          "summary": "a device that changes its database on request",
          "name": "Shapeshifter",
          "address": "F1:5A:9E:5B:1F:7E",
          "signal": { "rssi": -66 },
          "limits": { "interval": "15 ms", "connections": 2 },
          "advertising": [
            {
              "interval": "285 ms",
              "data": { "name": "Shapeshifter" },
              "scan_response": { "services": ["b1ec0500-5ec7-4c3a-9d0e-51a1b1ec0001"] }
            }
          ],
          "services": [
            {
              "uuid": "b1ec0500-5ec7-4c3a-9d0e-51a1b1ec0001",
              "characteristics": [
                {
                  "uuid": "b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["write"],
                  "lengths": [1, 2],
                  "on_write": [{ "do": { "run": "shapeshifter.change" } }]
                },
                {
                  "uuid": "b1ec0502-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "label": "shape",
                  "properties": ["read", "notify"],
                  "value": { "program": "shapeshifter.shape" }
                }
              ]
            },
            {
              "uuid": "b1ec0510-5ec7-4c3a-9d0e-51a1b1ec0001",
              "characteristics": [
                {
                  "uuid": "b1ec0511-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "notify"],
                  "value": { "program": "shapeshifter.reading" },
                  "every": "1 s",
                  "lengths": [0, 2],
                  "descriptors": [
                    { "uuid": "client-characteristic-configuration" },
                    { "uuid": "characteristic-user-description", "value": "text:shape, seconds" }
                  ]
                },
                { "uuid": "b1ec0512-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:plain" }
              ]
            }
          ],
          "databases": {
            // A service before the readings gives them other handles.
            "pushed": [
              {
                "uuid": "b1ec0500-5ec7-4c3a-9d0e-51a1b1ec0001",
                "characteristics": [
                  {
                    "uuid": "b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "properties": ["write"],
                    "lengths": [1, 2],
                    "on_write": [{ "do": { "run": "shapeshifter.change" } }]
                  },
                  {
                    "uuid": "b1ec0502-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "label": "shape",
                    "properties": ["read", "notify"],
                    "value": { "program": "shapeshifter.shape" }
                  }
                ]
              },
              {
                "uuid": "b1ec0520-5ec7-4c3a-9d0e-51a1b1ec0001",
                "characteristics": [
                  {
                    "uuid": "b1ec0521-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "properties": ["read", "write", "notify"],
                    "value": "text:padding"
                  }
                ]
              },
              {
                "uuid": "b1ec0510-5ec7-4c3a-9d0e-51a1b1ec0001",
                "characteristics": [
                  {
                    "uuid": "b1ec0511-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "properties": ["read", "notify"],
                    "value": { "program": "shapeshifter.reading" },
                    "every": "1 s",
                    "lengths": [0, 2],
                    "descriptors": [
                      { "uuid": "client-characteristic-configuration" },
                      { "uuid": "characteristic-user-description", "value": "text:shape, seconds" }
                    ]
                  },
                  { "uuid": "b1ec0512-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:pushed" }
                ]
              }
            ],
            // The readings have the last handles, up to 0xFFFF.
            "outermost": [
              {
                "uuid": "b1ec0500-5ec7-4c3a-9d0e-51a1b1ec0001",
                "characteristics": [
                  {
                    "uuid": "b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "properties": ["write"],
                    "lengths": [1, 2],
                    "on_write": [{ "do": { "run": "shapeshifter.change" } }]
                  },
                  {
                    "uuid": "b1ec0502-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "label": "shape",
                    "properties": ["read", "notify"],
                    "value": { "program": "shapeshifter.shape" }
                  }
                ]
              },
              {
                "uuid": "b1ec0510-5ec7-4c3a-9d0e-51a1b1ec0001",
                "handle": "0xfff9",
                "characteristics": [
                  {
                    "uuid": "b1ec0511-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "properties": ["read", "notify"],
                    "value": { "program": "shapeshifter.reading" },
                    "every": "1 s",
                    "lengths": [0, 2],
                    "descriptors": [
                      { "uuid": "client-characteristic-configuration" },
                      { "uuid": "characteristic-user-description", "value": "text:shape, seconds" }
                    ]
                  },
                  { "uuid": "b1ec0512-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:outermost" }
                ]
              }
            ],
            // There are no readings.
            "bare": [
              {
                "uuid": "b1ec0500-5ec7-4c3a-9d0e-51a1b1ec0001",
                "characteristics": [
                  {
                    "uuid": "b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "properties": ["write"],
                    "lengths": [1, 2],
                    "on_write": [{ "do": { "run": "shapeshifter.change" } }]
                  },
                  {
                    "uuid": "b1ec0502-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "label": "shape",
                    "properties": ["read", "notify"],
                    "value": { "program": "shapeshifter.shape" }
                  }
                ]
              }
            ]
          }
        }
        """#
    )
}
