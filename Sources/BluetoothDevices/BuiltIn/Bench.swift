// SPDX-License-Identifier: MIT

public import Bluetooth

extension BuiltInDevice {
    /// The service of the device that measurements are made against.
    public static let benchService = BluetoothUUID(bits128: 0xb1ecb000_5ec7_4c3a_9d0e_51a1b1ec0001)
    /// Its characteristic that is read and written.
    public static let benchData = BluetoothUUID(bits128: 0xb1ecb001_5ec7_4c3a_9d0e_51a1b1ec0001)
    /// Its characteristic that sends notifications, as many as the shortest connection interval has room for at least.
    public static let benchStream = BluetoothUUID(bits128: 0xb1ecb002_5ec7_4c3a_9d0e_51a1b1ec0001)

    /// A device for measurements of the link: values to read and to write, a stream of notifications, and channels that
    /// echo, take and send.
    static let bench = BuiltInDevice(
        "bench",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "bench",
          "summary": "values, a stream and channels to be measured",
          "name": "Bench",
          "address": "C5:BE:4C:00:00:01",
          "signal": { "rssi": -48, "movement": "still" },
          "limits": { "interval": "7.5 ms", "mtu": 247 },
          "advertising": [
            {
              "interval": "100 ms",
              "data": { "services": ["b1ecb000-5ec7-4c3a-9d0e-51a1b1ec0001"] },
              "scan_response": { "name": "Bench" }
            }
          ],
          "channels": [
            { "psm": 128, "does": "echo" },
            { "psm": 129, "does": "sink" },
            { "psm": 130, "does": "source", "octets": 65536 }
          ],
          "services": [
            {
              "uuid": "b1ecb000-5ec7-4c3a-9d0e-51a1b1ec0001",
              "characteristics": [
                // As much as one packet of the MTU carries.
                {
                  "uuid": "b1ecb001-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write", "write-without-response"],
                  "value": [
                    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
                    "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
                    "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f",
                    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
                    "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
                    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                    "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3"
                  ]
                },
                {
                  "uuid": "b1ecb002-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["notify"],
                  "value": [
                    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
                    "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
                    "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f",
                    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
                    "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
                    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                    "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3"
                  ],
                  "every": "7.5 ms"
                }
              ]
            }
          ]
        }
        """#
    )
}
