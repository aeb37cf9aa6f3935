// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// Which packets a raw HCI socket gets to see: hci(7), HCI_FILTER.
struct HCIFilter: Sendable {
    private var filter = hci_filter()

    /// Lets events with these codes through, and the commands of others where they are wanted.
    init(events codes: [Int32], withCommands: Bool = false) {
        hci_filter_clear(&filter)
        hci_filter_set_ptype(HCI_EVENT_PKT, &filter)
        if withCommands { hci_filter_set_ptype(HCI_COMMAND_PKT, &filter) }
        for code in codes { hci_filter_set_event(code, &filter) }
    }

    /// What a socket has.
    init(of socket: borrowing OwnedFileDescriptor) throws(Errno) {
        try socket.getOption(SOL_HCI, HCI_FILTER, into: &filter)
    }

    /// The packet types that pass, a bit for each.
    var types: UInt32 { filter.type_mask }

    /// The events that pass, a bit for each code modulo 64.
    var events: UInt64 { UInt64(filter.event_mask.0) | UInt64(filter.event_mask.1) << 32 }

    /// Sets it on a socket. Without CAP_NET_RAW the kernel takes out, and tells nobody, what it deems sensitive.
    func apply(to socket: borrowing OwnedFileDescriptor) throws(Errno) {
        try socket.setOption(SOL_HCI, HCI_FILTER, filter)
    }

    /// What a host of LE devices wants to know: answers to commands, what becomes of links, and all LE meta events. The kernel
    /// shows it the commands of others, its own among them, just before they go to the controller.
    static let host = HCIFilter(
        events: [
            EVT_DISCONN_COMPLETE, EVT_ENCRYPT_CHANGE, EVT_ENCRYPTION_KEY_REFRESH_COMPLETE,
            EVT_READ_REMOTE_VERSION_COMPLETE, EVT_CMD_COMPLETE, EVT_CMD_STATUS, EVT_HARDWARE_ERROR, EVT_LE_META_EVENT,
        ],
        withCommands: true
    )

    /// Answers to commands only: allowed to everyone.
    static let answers = HCIFilter(events: [EVT_CMD_COMPLETE, EVT_CMD_STATUS])

    /// The kernel's own events about adapters that come, go, and are switched on and off.
    static let adapters = HCIFilter(events: [EVT_STACK_INTERNAL])
}

extension HCIFilter: Equatable {
    static func == (left: HCIFilter, right: HCIFilter) -> Bool {
        left.types == right.types && left.events == right.events && left.filter.opcode == right.filter.opcode
    }
}
