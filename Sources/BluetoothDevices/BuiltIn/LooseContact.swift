// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A desk light whose plug has a loose contact: every third connection breaks after a second, and the light is then
    /// dark for two more.
    static let looseContact = BuiltInDevice(
        "loose-contact",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "loose-contact",
          "summary": "a light that drops every third connection",
          "name": "Loose Light",
          "appearance": "desk-light",
          "address": "C3:11:0B:5E:77:4D",
          "signal": { "rssi": -74 },
          "advertising": [{ "interval": "500 ms", "data": { "appearance": "desk-light", "name": "Loose Light" } }],
          "services": [
            {
              "uuid": "11ba0001-6c0d-4e7b-8f52-0d9a4be17c63",
              "characteristics": [
                {
                  "uuid": "11ba0002-6c0d-4e7b-8f52-0d9a4be17c63",
                  "label": "brightness",
                  "properties": ["read", "write", "notify"],
                  "value": "u8:40",
                  "lengths": 1,
                  "on_write": [
                    { "number": [0, 100], "as": "u8", "do": { "set": "brightness" } },
                    { "else": true, "do": { "error": "value-not-allowed" } }
                  ],
                  "description": "Brightness in percent"
                }
              ]
            }
          ],
          "timeline": [{ "at": "1 s", "since": "connection", "do": { "run": "loose-contact.shake" } }]
        }
        """#
    )
}
