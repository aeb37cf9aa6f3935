// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CBlueZ
import Glibc
import Testing

@testable import LinuxRadio

@Suite("errno to cause")
struct RadioErrorErrnoTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let errno: Int32
        let hci: RadioError.Cause?
        let beginning: RadioError.Cause?
        let connecting: RadioError.Cause?
        let connected: RadioError.Cause?

        var testDescription: String { Errno(errno).description }

        /// `nil` means that the number has no Bluetooth meaning in that phase. `beginning` equals `connecting` by
        /// default.
        init(
            _ errno: Int32,
            hci: RadioError.Cause? = nil,
            beginning: RadioError.Cause? = nil,
            connecting: RadioError.Cause? = nil,
            connected: RadioError.Cause? = nil
        ) {
            self.errno = errno
            self.hci = hci
            self.beginning = beginning ?? connecting
            self.connecting = connecting
            self.connected = connected
        }

        init(_ errno: Int32, always cause: RadioError.Cause) {
            self.init(errno, hci: cause, connecting: cause, connected: cause)
        }
    }

    static let rows: [Row] = [
        Row(EAFNOSUPPORT, always: .noKernelSupport),
        Row(ERFKILL, always: .radioBlocked(byHardware: false)),
        Row(ENODEV, always: .adapterRemoved),
        Row(ENETDOWN, always: .adapterDown),
        Row(ECANCELED, always: .cancelled),
        // HCI 0x01
        Row(EBADRQC, connecting: .unsupported, connected: .linkLost(nil)),
        // HCI 0x02
        Row(ENOTCONN, connecting: .connectFailed(nil), connected: .closedByPeer(nil)),
        // HCI 0x03
        Row(EIO, connecting: .connectFailed(nil), connected: .linkLost(nil)),
        // HCI 0x04, 0x3C
        Row(EHOSTDOWN, hci: .adapterDown, connecting: .connectTimedOut, connected: .linkLost(nil)),
        // HCI 0x05, 0x18
        Row(
            EACCES,
            hci: .permissionDenied(capability: "CAP_NET_RAW"),
            connecting: .authenticationFailed,
            connected: .authenticationFailed
        ),
        // HCI 0x06
        Row(EBADE, connecting: .authenticationFailed, connected: .authenticationFailed),
        // HCI 0x07
        Row(ENOMEM, connecting: .tooManyConnections),
        // HCI 0x08, 0x10
        Row(
            ETIMEDOUT,
            connecting: .connectFailed(HCIStatus(rawValue: 0x08)),
            connected: .linkLost(HCIStatus(rawValue: 0x08))
        ),
        // HCI 0x09, 0x0A
        Row(EMLINK, connecting: .tooManyConnections),
        // HCI 0x0B
        Row(EALREADY, connecting: .initiatorBusy),
        // HCI 0x0C; from connect(2) itself: another socket has the channel
        Row(EBUSY, hci: .adapterBusy, beginning: .channelBusy(by: nil), connecting: .initiatorBusy),
        // HCI 0x0D to 0x0F, 0x1B; from connect(2) itself: LE is off
        Row(ECONNREFUSED, beginning: .lowEnergyOff, connecting: .tooManyConnections),
        // HCI 0x11, 0x20, 0x27, 0x29
        Row(EOPNOTSUPP, hci: .unsupported, connecting: .unsupported, connected: .linkLost(nil)),
        // HCI 0x13 to 0x15
        Row(ECONNRESET, connecting: .connectFailed(nil), connected: .closedByPeer(nil)),
        // HCI 0x16
        Row(ECONNABORTED, connecting: .connectFailed(nil), connected: .closedLocally),
        // HCI 0x1A
        Row(EPROTONOSUPPORT, hci: .noKernelSupport, connecting: .unsupported, connected: .linkLost(nil)),
        // HCI 0x19, 0x1E, 0x23 to 0x25
        Row(EPROTO, connecting: .connectFailed(nil), connected: .linkLost(nil)),
        // HCI 0x3E and all others
        Row(ENOSYS, connecting: .connectFailed(HCIStatus(rawValue: 0x3E)), connected: .linkLost(nil)),
        // No route: the adapter is gone or down
        Row(EHOSTUNREACH, connecting: .adapterDown, connected: .linkLost(nil)),
        Row(EPIPE, hci: .adapterRemoved, connecting: .connectFailed(nil), connected: .closedByPeer(nil)),
        Row(EPERM, hci: .permissionDenied(capability: "CAP_NET_RAW")),
        Row(EBADFD, hci: .adapterRemoved),
        Row(ENXIO, hci: .adapterRemoved),
        // HCI 0x12 and 0x17: bugs of this program, so they are shown unchanged
        Row(EINVAL),
        Row(ELOOP),
        Row(EMFILE),
    ]

    @Test("Every errno of the table, in every phase", arguments: rows)
    func meaning(row: Row) {
        let expectations: [(SocketPhase, RadioError.Cause?)] = [
            (.hci, row.hci), (.beginning, row.beginning), (.connecting, row.connecting), (.connected, row.connected),
        ]
        for (phase, cause) in expectations {
            let error = RadioError(Errno(row.errno), in: phase, call: "call", during: "operation")
            let unknown = RadioError.Cause.system(call: "call", errno: Errno(row.errno).description)
            #expect(error.cause == cause ?? unknown, "\(phase)")
            #expect(error.operation == "operation")
        }
    }

    @Test("A listener's errnos")
    func listening() {
        let rows: [(Int32, RadioError.Cause)] = [
            (EADDRINUSE, .attributesServedElsewhere), (EADDRNOTAVAIL, .adapterDown), (EAFNOSUPPORT, .noKernelSupport),
            (EOPNOTSUPP, .unsupported), (EMFILE, .system(call: "accept", errno: "EMFILE")),
        ]
        for (number, cause) in rows {
            let error = RadioError(Errno(number), in: .listening, call: "accept", during: "operation")
            #expect(error.cause == cause, "\(Errno(number))")
        }
    }

    @Test("A transport's errnos")
    func transport() {
        let rows: [(Int32, RadioError.Cause)] = [
            (ECONNREFUSED, .controllerUnreachable), (ENETUNREACH, .controllerUnreachable), (EPIPE, .controllerGone),
            (ECONNRESET, .controllerGone), (EMFILE, .system(call: "connect", errno: "EMFILE")),
        ]
        for (number, cause) in rows {
            let error = RadioError(Errno(number), in: .transport, call: "connect", during: "operation")
            #expect(error.cause == cause, "\(Errno(number))")
        }
    }

    @Test("Each errno is in the table once")
    func unambiguous() {
        #expect(Set(Self.rows.map(\.errno)).count == Self.rows.count)
    }

    @Test("An errno has its symbolic name, and another number is shown as such")
    func names() {
        #expect(Errno(ECONNRESET).description == "ECONNRESET")
        #expect(Errno(ERFKILL).description == "ERFKILL")
        #expect(Errno(9_999).description == "errno 9999")
    }

    @Test("Every controller status, by libbluetooth's table to errno, is a cause of a failed connection")
    func statuses() {
        for status in UInt16(0x01)...0x45 {
            let errno = Errno(bt_error(status))
            // Invalid parameters and repeated pairing attempts are bugs of this program, so they are shown unchanged.
            guard errno != Errno(EINVAL), errno != Errno(ELOOP) else { continue }
            let error = RadioError(errno, in: .connecting, call: "call", during: "operation")
            if case .system = error.cause { Issue.record("HCI 0x\(String(status, radix: 16)): \(error.cause)") }
        }
    }
}
