// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// An iBeacon, which accepts no connections.
    static let iBeacon = BuiltInDevice(
        "ibeacon",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "ibeacon",
          "summary": "a beacon",
          "address": "E2:0D:77:41:C3:19",
          "signal": { "rssi": -63 },
          "advertising": [
            {
              "type": "non-connectable",
              "interval": "100 ms",
              "data": {
                "ibeacon": { "uuid": "f7826da6-4fa2-4e98-8024-bc5b71e0893e", "major": 1, "minor": 42, "power": -59 }
              }
            }
          ]
        }
        """#
    )
}
