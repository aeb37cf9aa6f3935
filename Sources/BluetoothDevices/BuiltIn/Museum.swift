// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A device without behaviour, whose database has all the shapes that the specification allows and that clients
    /// have trouble with, taken from the qualification tests of GATT. It is older than the Database Hash, and has an
    /// old radio.
    static let museum = BuiltInDevice(
        "museum",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "museum",
          "summary": "every oddity of a database",
          "address": "C0:1D:0A:71:FA:C7",
          "standard_services": false,
          "signal": { "rssi": -80 },
          "limits": { "interval": "30 ms", "data_length": 27, "mtu": 23, "phys": ["1M"] },
          // The appearance comes after the name.
          "advertising": [{ "interval": "672.5 ms", "data": { "name": "Museum", "raw": "03194005" } }],
          "services": [
            // Generic Access with a characteristic that clients hardly ever read: the preferred connection parameters.
            {
              "uuid": "generic-access",
              "characteristics": [
                { "uuid": "device-name", "properties": ["read"], "value": "text:Museum" },
                { "uuid": "appearance", "properties": ["read"], "value": "0x4005" },
                {
                  "uuid": "peripheral-preferred-connection-parameters",
                  "properties": ["read"],
                  "value": "0x1800280000002a00"
                }
              ]
            },
            // Service Changed alone, as in Bluetooth up to 5.0.
            {
              "uuid": "generic-attribute",
              "handle": "0x0010",
              "characteristics": [
                { "uuid": "service-changed", "properties": ["indicate"] }
              ]
            },
            // Its handles come before those of the services that include it.
            {
              "uuid": "b1ec0610-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "secondary",
              "primary": false,
              "handle": "0x0020",
              "characteristics": [
                {
                  "uuid": "b1ec0611-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read"],
                  "value": "text:included, and before its includers"
                }
              ]
            },
            // Includes services of each kind: secondary and primary, before and after it, with long and short UUIDs.
            {
              "uuid": "181c",
              "label": "includer",
              "handle": "0x0030",
              "includes": ["secondary", "empty", "nested", "alternating"],
              "characteristics": [
                { "uuid": "2a8a", "properties": ["read"], "value": "text:User" }
              ]
            },
            // Long UUIDs before short ones.
            {
              "uuid": "b1ec0620-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "long first",
              "handle": "0x0040",
              "characteristics": [
                { "uuid": "b1ec0621-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:one" },
                { "uuid": "b1ec0622-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:two" },
                { "uuid": "2a24", "properties": ["read"], "value": "text:three" },
                { "uuid": "2a25", "properties": ["read"], "value": "text:four" }
              ]
            },
            // Short UUIDs before long ones.
            {
              "uuid": "b1ec0630-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "short first",
              "handle": "0x0050",
              "characteristics": [
                { "uuid": "2a24", "properties": ["read"], "value": "text:one" },
                { "uuid": "2a25", "properties": ["read"], "value": "text:two" },
                { "uuid": "b1ec0631-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:three" },
                { "uuid": "b1ec0632-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:four" }
              ]
            },
            // Long and short UUIDs in turn, and one that is not assigned.
            {
              "uuid": "180a",
              "label": "alternating",
              "handle": "0x0060",
              "characteristics": [
                { "uuid": "2a29", "properties": ["read"], "value": "text:one" },
                { "uuid": "b1ec0641-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:two" },
                { "uuid": "2a24", "properties": ["read"], "value": "text:three" },
                { "uuid": "b1ec0642-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read"], "value": "text:four" },
                { "uuid": "2eee", "properties": ["read"], "value": "text:five" }
              ]
            },
            // A secondary service that contains nothing but an include declaration.
            {
              "uuid": "1816",
              "label": "nested",
              "primary": false,
              "handle": "0x0080",
              "includes": ["secondary"]
            },
            // A service that consists of its declaration.
            {
              "uuid": "1802",
              "label": "empty",
              "handle": "0x0090"
            },
            // One of two services with the same UUID, each with two characteristics of the same UUID.
            {
              "uuid": "b1ec0650-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "twin 1",
              "handle": "0x00b0",
              "characteristics": [
                {
                  "uuid": "b1ec0651-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x0101",
                  "lengths": 2,
                  "description": "twin 1, exhibit 1"
                },
                {
                  "uuid": "b1ec0651-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x0102",
                  "lengths": 2,
                  "description": "twin 1, exhibit 2"
                }
              ]
            },
            {
              "uuid": "b1ec0650-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "twin 2",
              "handle": "0x00c0",
              "characteristics": [
                {
                  "uuid": "b1ec0651-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x0201",
                  "lengths": 2,
                  "description": "twin 2, exhibit 1"
                },
                {
                  "uuid": "b1ec0651-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x0202",
                  "lengths": 2,
                  "description": "twin 2, exhibit 2"
                }
              ]
            },
            // Unknown descriptors before, between and after known ones, gaps between the handles, and a characteristic
            // without any property.
            {
              "uuid": "b1ec0660-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "descriptors",
              "handle": "0x0100",
              "characteristics": [
                {
                  "uuid": "b1ec0661-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "handle": "0x0102",
                  "value_handle": "0x0110",
                  "properties": ["read", "notify", "indicate"],
                  "extended_properties": ["writable-auxiliaries"],
                  "value": "0x01",
                  "descriptors": [
                    { "uuid": "29ee", "value": "0xee" },
                    {
                      "uuid": "b1ec066d-5ec7-4c3a-9d0e-51a1b1ec0001",
                      "value": "0xab",
                      "permissions": { "read": "open", "write": "open" }
                    },
                    { "uuid": "characteristic-user-description", "value": "text:descriptors" },
                    { "uuid": "b1ec066e-5ec7-4c3a-9d0e-51a1b1ec0001", "value": "", "handle": "0x0120" },
                    { "uuid": "characteristic-presentation-format", "value": "0x0400ad27010000" },
                    { "uuid": "client-characteristic-configuration", "handle": "0x0140" }
                  ]
                },
                {
                  "uuid": "b1ec0662-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "handle": "0x0150",
                  "properties": [],
                  "permissions": { "read": "none", "write": "none" },
                  "value": "0x02",
                  "description": "neither read nor written"
                }
              ]
            },
            // Values around the lengths at which an answer is full, and the longest possible value.
            {
              "uuid": "b1ec0670-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "lengths",
              "handle": "0x0200",
              "characteristics": [
                { "uuid": "b1ec0671-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read", "write"], "value": "" },
                { "uuid": "b1ec0672-5ec7-4c3a-9d0e-51a1b1ec0001", "properties": ["read", "write"], "value": "0x00" },
                {
                  "uuid": "b1ec0673-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x000102030405060708090a0b0c0d0e0f1011"
                },
                {
                  "uuid": "b1ec0674-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x000102030405060708090a0b0c0d0e0f101112"
                },
                {
                  "uuid": "b1ec0675-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x000102030405060708090a0b0c0d0e0f10111213"
                },
                {
                  "uuid": "b1ec0676-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x000102030405060708090a0b0c0d0e0f101112131415"
                },
                {
                  "uuid": "b1ec0677-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x000102030405060708090a0b0c0d0e0f10111213141516"
                },
                {
                  "uuid": "b1ec0678-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": "0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b"
                },
                {
                  "uuid": "b1ec0679-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "properties": ["read", "write"],
                  "value": [
                    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
                    "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
                    "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f",
                    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
                    "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
                    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                    "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
                    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
                    "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f",
                    "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f",
                    "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f",
                    "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
                    "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf",
                    "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
                    "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
                  ]
                }
              ]
            },
            // Its characteristic ends at the last handle but one.
            {
              "uuid": "b1ec0680-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "next to last",
              "handle": "0xfff0",
              "characteristics": [
                {
                  "uuid": "b1ec0681-5ec7-4c3a-9d0e-51a1b1ec0001",
                  "handle": "0xfffd",
                  "value_handle": "0xfffe",
                  "properties": ["read"],
                  "value": "text:next to last"
                }
              ]
            },
            // The last possible handle, so that no attribute can follow.
            {
              "uuid": "b1ec0690-5ec7-4c3a-9d0e-51a1b1ec0001",
              "label": "last",
              "handle": "0xffff"
            }
          ]
        }
        """#
    )
}
