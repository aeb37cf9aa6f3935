// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface

/// All that `doctor` has seen of a machine. The findings follow from it.
struct MachineSnapshot: Sendable {
    /// The controller's own description.
    struct Controller: Sendable, Equatable {
        /// The manufacturer and the versions of HCI and LMP.
        let version: HCIReadLocalVersionInformation.ReturnParameters
        /// Whether it claims the extended commands for scans; `nil` if it does not say.
        let hasExtendedScan: Bool?
    }

    /// The outcome of a question to the controller.
    enum Answer: Sendable, Equatable {
        /// No adapter could be opened.
        case notAsked
        case given(Controller)
        /// It has not answered, or the socket could not be opened.
        case failed(RadioError)
    }

    /// The outcome of the attempt to start a scan, which was ended at once.
    enum Scan: Sendable, Equatable {
        /// The controller does not answer, so that there is nothing to try.
        case notTried
        /// The scan was started, with the kind of commands that worked.
        case started(BluetoothHost.Scan.Mode)
        case failed(RadioError)
    }

    /// The state of files that blectl keeps.
    enum Files: Sendable, Equatable {
        /// They have no folder, for that reason.
        case noPlace(String)
        /// They can be used: how many things are kept.
        case usable(path: String, count: Int)
        /// There are none, which is usual.
        case none(path: String)
        /// Nothing can be kept there, and most commands go on without it.
        case refused(root: String, reason: String)
        /// They are damaged, and commands that need them fail.
        case damaged(ExitStatus, reason: String, hint: String?)
    }

    /// The facts that the machine shows; `nil` if it cannot be seen, because another process simulates it.
    var facts: MachineFacts?
    /// The name or the address of the adapter that was asked for; `nil` for any.
    var wanted: String?
    var adapters: [AdapterDescription] = []
    /// The adapter that a scan would use, usable or not; `nil` if there is none.
    var adapter: AdapterDescription?
    /// Why no adapter can be used; `nil` if one can.
    var problem: RadioError?
    var controller = Answer.notAsked
    var scan = Scan.notTried
    /// Whether a blectl was killed during its scan, and its scan still runs on the controller.
    var isScanOrphaned = false
    /// The folder of cached attributes.
    var cache = Files.noPlace("")
    var bonds = Files.noPlace("")
    var formats = Files.noPlace("")
}
