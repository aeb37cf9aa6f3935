// SPDX-License-Identifier: GPL-2.0-or-later

import CBlueZ
import Glibc

/// The filter of a raw HCI socket, which decides about the packets that it receives: hci(7), HCI_FILTER.
struct HCIFilter: Sendable {
    private var filter = hci_filter()

    /// Passes events with these codes, and on request also the commands of all programs.
    init(events codes: [Int32], withCommands: Bool = false) {
        hci_filter_clear(&filter)
        hci_filter_set_ptype(HCI_EVENT_PKT, &filter)
        if withCommands { hci_filter_set_ptype(HCI_COMMAND_PKT, &filter) }
        for code in codes { hci_filter_set_event(code, &filter) }
    }

    /// Passes the data of links, in both directions.
    private init(dataOfLinks: Void) {
        hci_filter_clear(&filter)
        hci_filter_set_ptype(HCI_ACLDATA_PKT, &filter)
    }

    init(of socket: borrowing OwnedFileDescriptor) throws(Errno) {
        try socket.getOption(SOL_HCI, HCI_FILTER, into: &filter)
    }

    /// The packet types that pass, with one bit for each.
    var types: UInt32 { filter.type_mask }

    /// The events that pass, with one bit for each code modulo 64.
    var events: UInt64 { UInt64(filter.event_mask.0) | UInt64(filter.event_mask.1) << 32 }

    /// Sets the filter on a socket. Without CAP_NET_RAW the kernel silently removes events that it deems sensitive, so
    /// the caller has to read the filter back.
    func apply(to socket: borrowing OwnedFileDescriptor) throws(Errno) {
        try socket.setOption(SOL_HCI, HCI_FILTER, filter)
    }

    /// The filter of an LE host: answers to commands, changes of links, and all LE meta events. With commands, because
    /// the kernel shows a command to raw sockets just before it goes to the controller, so that commands of other
    /// programs and of the kernel are seen too.
    static let host = HCIFilter(
        events: [
            EVT_DISCONN_COMPLETE, EVT_ENCRYPT_CHANGE, EVT_ENCRYPTION_KEY_REFRESH_COMPLETE,
            EVT_READ_REMOTE_VERSION_COMPLETE, EVT_CMD_COMPLETE, EVT_CMD_STATUS, EVT_HARDWARE_ERROR, EVT_LE_META_EVENT,
        ],
        withCommands: true
    )

    /// Answers to commands only, which the kernel allows without a capability.
    static let answers = HCIFilter(events: [EVT_CMD_COMPLETE, EVT_CMD_STATUS])

    /// The data of links, which include the packets of the Security Managers.
    static let dataOfLinks = HCIFilter(dataOfLinks: ())

    /// The kernel's own events about adapters: added, removed, up and down.
    static let adapters = HCIFilter(events: [EVT_STACK_INTERNAL])
}

extension HCIFilter: Equatable {
    static func == (left: HCIFilter, right: HCIFilter) -> Bool {
        left.types == right.types && left.events == right.events && left.filter.opcode == right.filter.opcode
    }
}
