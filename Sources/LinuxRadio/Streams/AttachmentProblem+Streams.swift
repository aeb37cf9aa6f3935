// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc

extension RadioError.AttachmentProblem {
    /// A serial port belongs to a group, such as `dialout`, of which this user is no member. Nobody joins the group of root,
    /// or one that has no access either.
    static func notPermitted(port path: String) -> Self {
        var status = stat()
        let isKnown = stat(path, &status) == 0
        let group = isKnown ? getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) } : nil
        let helps = !isKnown || status.st_gid != 0 && status.st_mode & 0o060 == 0o060
        return Self(
            "the permissions of \(path) forbid it",
            remedy: helps
                ? "sudo usermod -aG \(group ?? "dialout") \"$USER\", and log in again" : "sudo chown \"$USER\" \(path)",
            isOfPermissions: true
        )
    }

    static func oddSpeed(_ speed: UInt32, known: [UInt32]) -> Self {
        let usual = known.suffix(9).map { "\($0)" }.joined(separator: ", ")
        return Self("serial ports have no speed of \(speed) bit/s", remedy: "one of these: \(usual)")
    }

    static let noSSH = Self(
        "this machine has no ssh",
        remedy: "sudo apt install openssh-client",
        isCommand: true
    )

    /// `ssh` has ended before the other machine has answered. It has said why, unless blectl is not there.
    static func unreachable(_ host: String, status: Int32) -> Self? {
        switch status {
        case 127: Self("\(host) has no blectl", remedy: "install it there, in a folder of its PATH")
        case 255: Self("ssh does not reach \(host)", remedy: "ssh \(host) true", isCommand: true)
        default: nil
        }
    }
}
