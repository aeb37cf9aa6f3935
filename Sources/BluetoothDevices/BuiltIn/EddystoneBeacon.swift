// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// An Eddystone beacon that sends its URL and its telemetry in turn. It accepts no connections.
    static let eddystone = BuiltInDevice(
        "eddystone",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "eddystone",
          "summary": "a beacon with several frames",
          "address": "AC:23:3F:A1:0E:55",
          "address_type": "public",
          "signal": { "rssi": -77 },
          "advertising": [
            {
              "type": "non-connectable",
              "interval": "318.75 ms",
              "data": [
                { "eddystone_url": { "url": "https://example.com", "power": -10 } },
                { "eddystone_tlm": { "voltage": 2.978, "temperature": 23.25 } }
              ]
            }
          ]
        }
        """#
    )
}
