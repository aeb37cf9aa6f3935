// SPDX-License-Identifier: MIT

extension BuiltInDevice {
    /// A weather station that broadcasts all its data in one extended advertisement of about 350 octets. Only extended
    /// scanners receive it, in several fragments. It accepts no connections.
    static let weatherMast = BuiltInDevice(
        "weather-mast",
        #"""
        {
          "schema": "blectl-device/1",
          "label": "weather-mast",
          "summary": "a beacon by extended advertising",
          "address": "F5:90:2E:6B:D8:03",
          "signal": { "rssi": -70 },
          "advertising": [
            {
              "type": "extended",
              "sid": 3,
              "secondary_phy": "2M",
              "interval": "546.25 ms",
              "tx_power": 8,
              "data": {
                "name": "Weather Mast North",
                "tx_power": 8,
                "manufacturer": [
                  {
                    "company": "0x05f1",
                    "data": "0177696e643b677573743b7261696e3b73756e3b70726573737572653b68756d69646974793b80878e95\
        9ca3aab1868d949ba2a9b0858c939aa1a8af848b9299a0a7ae838a91989fa6ad828990979ea5ac81888f\
        969d80878e959ca3aab1868d949ba2a9b0858c939aa1a8af848b9299a0a7ae838a91989fa6ad82899097\
        9ea5ac81888f969d80878e959ca3aab1868d949ba2a9b0858c939aa1a8af848b9299a0a7ae838a91989f\
        a6ad828990979ea5ac81888f969d"
                  },
                  {
                    "company": "0x05f1",
                    "data": "0277696e643b677573743b7261696e3b73756e3b70726573737572653b68756d69646974793b80878e95\
        9ca3aab1868d949ba2a9b0858c939aa1a8af848b9299a0a7ae838a91989fa6ad828990979ea5ac81888f\
        969d80878e959ca3aab1868d949ba2a9b0858c939aa1a8af848b9299a0a7ae838a91989fa6ad82899097\
        9ea5ac81888f969d"
                  }
                ]
              }
            }
          ]
        }
        """#
    )
}
