// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A device whose texts all attack the terminal: they set the window's title and the colour, reverse the text,
    /// begin a new line and column, and are not UTF-8.
    static let hostile = BuiltInDevice(
        "hostile",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "hostile",
          "summary": "texts that attack the terminal",
          "address": "CE:66:60:00:00:66",
          "signal": { "rssi": -60 },
          "advertising": [
            {
              "interval": "250 ms",
              "data": {},
              "scan_response": "1e091b5d303b70776e6564071b5b33316d52e280ae640a0978c29bfffec0af"
            }
          ],
          "services": [
            {
              "uuid": "generic-access",
              "characteristics": [
                {
                  "uuid": "device-name",
                  "properties": ["read"],
                  "value": "hex:1b5d303b70776e6564071b5b33316d52e280ae640a0978c29bfffec0af"
                }
              ]
            },
            { "uuid": "generic-attribute", "characteristics": [
              { "uuid": "service-changed", "properties": ["indicate"] },
              { "uuid": "client-supported-features", "properties": ["read", "write"] },
              { "uuid": "database-hash", "properties": ["read"] }
            ] },
            {
              "uuid": "device-information",
              "characteristics": [
                {
                  "uuid": "model-number-string",
                  "properties": ["read"],
                  "value": "hex:1b5d303b70776e6564071b5b33316d52e280ae640a0978c29bfffec0af",
                  "descriptors": [
                    {
                      "uuid": "characteristic-user-description",
                      "value": "hex:1b5d303b70776e6564071b5b33316d52e280ae640a0978c29bfffec0af"
                    }
                  ]
                }
              ]
            }
          ]
        }
        """#
    )
}
