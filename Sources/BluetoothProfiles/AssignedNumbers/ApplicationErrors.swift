// SPDX-License-Identifier: MIT

public import Bluetooth

extension AssignedNumbers {
    /// The name that the specification of a service gives to an application error; `nil` if it gives none.
    ///
    /// Every service has its own meanings for the codes from 0x80 to 0x9F, so that a code has no name without a
    /// service.
    ///
    /// Spec: the section "Attribute Protocol Application Error Codes" of each service specification
    public static func applicationError(_ code: ATTErrorCode, ofService service: BluetoothUUID) -> String? {
        guard let short = service.short16 else { return nil }
        return applicationErrors.first { $0.service == short }?.names.first { $0.code == code.rawValue }?.name
    }

    private static var applicationErrors: [(service: UInt16, names: [(code: UInt8, name: String)])] {
        [
            (0x1805, [(0x80, "data field ignored")]),
            (0x1808, [(0x80, "procedure already in progress"), (0x81, "CCCD improperly configured")]),
            (0x1809, [(0x80, "out of range")]),
            (0x180D, [(0x80, "control point not supported")]),
            // The code is outside of the range for applications, but the specification of the service says so.
            (0x1811, [(0xA0, "command not supported")]),
            (0x1814, [(0x80, "procedure already in progress"), (0x81, "CCCD improperly configured")]),
            (0x1816, [(0x80, "procedure already in progress"), (0x81, "CCCD improperly configured")]),
            (0x1818, [(0x80, "inappropriate connection parameters")]),
            (0x181A, [(0x80, "write request rejected"), (0x81, "condition not supported")]),
            (0x181C, [(0x80, "user data access not permitted")]),
            (0x181E, [(0x80, "op code not supported"), (0x81, "operation failed")]),
            (0x181F, [(0x80, "missing CRC"), (0x81, "invalid CRC")]),
            (0x1823, [(0x81, "invalid request"), (0x82, "network not available")]),
            (
                0x1825,
                [
                    (0x80, "write request rejected"), (0x81, "object not selected"),
                    (0x82, "concurrency limit exceeded"), (0x83, "object name already exists"),
                ]
            ),
            (
                0x1843,
                [
                    (0x80, "invalid change counter"), (0x81, "opcode not supported"), (0x82, "mute disabled"),
                    (0x83, "value out of range"), (0x84, "gain mode change not allowed"),
                ]
            ),
            (0x1844, [(0x80, "invalid change counter"), (0x81, "opcode not supported")]),
            (
                0x1845,
                [
                    (0x80, "invalid change counter"), (0x81, "opcode not supported"), (0x82, "value out of range"),
                ]
            ),
            (
                0x1846,
                [
                    (0x80, "lock denied"), (0x81, "lock release not allowed"), (0x82, "invalid lock value"),
                    (0x83, "OOB SIRK only"), (0x84, "lock already granted"),
                ]
            ),
            (0x184D, [(0x80, "mute disabled")]),
            (0x184F, [(0x80, "opcode not supported"), (0x81, "invalid Source_ID")]),
            (
                0x1854,
                [
                    (0x80, "invalid opcode"), (0x81, "write name not allowed"),
                    (0x82, "preset synchronization not supported"), (0x83, "preset operation not possible"),
                    (0x84, "invalid parameters length"),
                ]
            ),
        ]
    }
}
