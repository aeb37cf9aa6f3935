// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A serial port that echoes its input: the Nordic UART Service, with a resolvable private address.
    ///
    /// The address is that of the specification's sample data, so the identity key of the sample data resolves it.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, D.7
    static let uartEcho = BuiltInDevice(
        "uart-echo",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "uart-echo",
          "summary": "a serial port that echoes",
          "name": "UART Echo",
          "address": "70:81:94:0D:FB:AA",
          "signal": { "rssi": -49 },
          "limits": { "interval": "15 ms", "mtu": 517, "connections": 2 },
          "advertising": [
            {
              "interval": "152.5 ms",
              "data": { "services": ["6e400001-b5a3-f393-e0a9-e50e24dcca9e"] },
              "scan_response": { "name": "UART Echo" }
            }
          ],
          "services": [
            {
              "uuid": "6e400001-b5a3-f393-e0a9-e50e24dcca9e",
              "characteristics": [
                {
                  "uuid": "6e400002-b5a3-f393-e0a9-e50e24dcca9e",
                  "properties": ["write", "write-without-response"],
                  "on_write": [{ "do": { "echo": "transmitter" } }]
                },
                { "uuid": "6e400003-b5a3-f393-e0a9-e50e24dcca9e", "label": "transmitter", "properties": ["notify"] }
              ]
            }
          ]
        }
        """#
    )
}
