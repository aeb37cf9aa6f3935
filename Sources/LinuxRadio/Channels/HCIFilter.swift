// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// Which packets a raw HCI socket gets to see: hci(7), HCI_FILTER.
struct HCIFilter: Equatable, Sendable {
    private(set) var types: UInt32 = 0
    private(set) var events: UInt64 = 0

    /// Lets events with these codes through, and the commands of others where they are wanted.
    init(events codes: [Int32], withCommands: Bool = false) {
        types = 1 << UInt32(HCI_EVENT_PKT & HCI_FLT_TYPE_BITS)
        if withCommands { types |= 1 << UInt32(HCI_COMMAND_PKT & HCI_FLT_TYPE_BITS) }
        for code in codes { events |= 1 << UInt64(code & HCI_FLT_EVENT_BITS) }
    }

    /// What a socket has.
    init(of socket: borrowing OwnedFileDescriptor) throws(Errno) {
        var filter = hci_filter()
        try socket.getOption(SOL_HCI, HCI_FILTER, into: &filter)
        types = filter.type_mask
        events = UInt64(filter.event_mask.0) | UInt64(filter.event_mask.1) << 32
    }

    /// Sets it on a socket. Without CAP_NET_RAW the kernel takes out, and tells nobody, what it deems sensitive.
    func apply(to socket: borrowing OwnedFileDescriptor) throws(Errno) {
        let low = UInt32(truncatingIfNeeded: events)
        let high = UInt32(truncatingIfNeeded: events >> 32)
        try socket.setOption(
            SOL_HCI,
            HCI_FILTER,
            hci_filter(type_mask: types, event_mask: (low, high), opcode: 0)
        )
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
