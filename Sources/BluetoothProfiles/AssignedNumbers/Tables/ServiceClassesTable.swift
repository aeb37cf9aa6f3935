// SPDX-License-Identifier: MIT
// Generated table ('make tables'): numbers and names from the Bluetooth SIG's Assigned Numbers as published in 2026.
// One line each, sorted by number: four upper-case hex digits, a space, the name.

extension NameTable {
    /// Service classes of Bluetooth Classic, which dual-mode devices advertise.
    static let serviceClasses = NameTable(
        keyDigits: 4,
        #"""
        1000 Service Discovery Server
        1001 Browse Group Descriptor
        1002 Public Browse Root
        1101 Serial Port
        1102 LAN Access Using PPP
        1103 Dial-Up Networking
        1104 IrMC Sync
        1105 OBEX Object Push
        1106 OBEX File Transfer
        1107 IrMC Sync Command
        1108 Headset
        1109 Cordless Telephony
        110A Audio Source
        110B Audio Sink
        110C A/V Remote Control Target
        110D Advanced Audio Distribution
        110E A/V Remote Control
        110F A/V Remote Control Controller
        1110 Intercom
        1111 Fax
        1112 Headset Audio Gateway
        1113 WAP
        1114 WAP CLIENT
        1115 PANU
        1116 NAP
        1117 GN
        1118 Direct Printing
        1119 Reference Printing
        111A Imaging
        111B Imaging Responder
        111C Imaging Automatic Archive
        111D Imaging Referenced Objects
        111E Hands-Free
        111F AG Hands-Free
        1120 Direct Printing Referenced Objects
        1121 Reflected UI
        1122 Basic Printing
        1123 Printing Status
        1124 HID
        1125 Hardcopy Cable Replacement
        1126 HCR Print
        1127 HCR Scan
        1128 Common ISDN Access
        112D SIM Access
        112E Phonebook Access Client
        112F Phonebook Access Server
        1130 Phonebook Access Profile
        1131 Headset - HS
        1132 Message Access Server
        1133 Message Notification Server
        1134 Message Access Profile
        1135 GNSS
        1136 GNSS Server
        1137 3D Display
        1138 3D Glasses
        1139 3D Synch Profile
        113A Multi Profile Specification
        113B MPS
        113C CTN Access Service
        113D CTN Notification Service
        113E Calendar Tasks and Notes Profile
        1200 PnP Information
        1201 Generic Networking
        1202 Generic File Transfer
        1203 Generic Audio
        1204 Generic Telephony
        1205 UPNP Service
        1206 UPNP IP Service
        1300 ESDP UPNP IP PAN
        1301 ESDP UPNP IP LAP
        1302 ESDP UPNP L2CAP
        1303 Video Source
        1304 Video Sink
        1305 Video Distribution
        1400 HDP
        1401 HDP Source
        1402 HDP Sink
        """#
    )
}
