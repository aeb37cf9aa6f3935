// SPDX-License-Identifier: MIT
// Generated table ('make tables'): numbers and names from the Bluetooth SIG's Assigned Numbers as published in 2026.
// One line each, sorted by number: four upper-case hex digits, a space, the name.

extension NameTable {
    /// Protocols of Bluetooth Classic, as in service records.
    static let protocols = NameTable(
        keyDigits: 4,
        #"""
        0001 SDP
        0002 UDP
        0003 RFCOMM
        0004 TCP
        0005 TCS-BIN
        0006 TCS-AT
        0007 ATT
        0008 OBEX
        0009 IP
        000A FTP
        000C HTTP
        000E WSP
        000F BNEP
        0010 UPNP
        0011 HID Protocol
        0012 Hardcopy Control Channel
        0014 Hardcopy Data Channel
        0016 Hardcopy Notification Channel
        0017 AVCTP
        0019 AVDTP
        001B CMTP
        001E MCAP Control Channel
        001F MCAP Data Channel
        0100 L2CAP
        """#
    )
}
