// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("L2CAP")
struct L2CAPTests {
    @Test("a frame's octets")
    func frame() {
        expectWire(L2CAPFrame(.att, octets("0a 03 00")), "03 00 04 00 0a 03 00")
        expectWire(L2CAPFrame(L2CAPChannelID(rawValue: 0x0040), []), "00 00 40 00")
        #expect("\(L2CAPChannelID.securityManager)" == "0x0006")
    }

    @Test("a whole frame in one packet, with the flag of its direction")
    func acl() {
        let frame = L2CAPFrame(.att, octets("0a 03 00"))
        #expect(
            Hex.string(HCIPacket.acl(HCIACLPacket(frame, on: 0x0040, isFromHost: true)).encoded())
                == "0240000700030004000a0300"
        )
        #expect(
            Hex.string(HCIPacket.acl(HCIACLPacket(frame, on: 0x0E00, isFromHost: false)).encoded())
                == "02002e0700030004000a0300"
        )
    }
}
