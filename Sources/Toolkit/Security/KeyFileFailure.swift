// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

package struct KeyFileFailure: Error, Equatable, CustomStringConvertible {
    package enum File: Equatable {
        case bonds
        /// The keys of this machine's own private addresses.
        case identity
    }

    /// The kinds of problems, which have different statuses.
    package enum Kind: Equatable {
        case damaged
        case unreadable
        case unwritable
    }

    package let file: File
    package let kind: Kind
    package let path: String
    package let reason: String
    /// Whether the folder of the file cannot be used, so that blectl has never kept a bond there.
    package var isOfFolder = false
    /// Whether the place belongs to another user, as with the home of another one.
    var isForeign = false
    fileprivate var isOfFullDisk = false

    package var description: String { "\(path): \(reason)" }

    package init(_ file: File, _ kind: Kind, _ path: String, _ reason: String, isOfFolder: Bool = false) {
        self.file = file
        self.kind = kind
        self.path = path
        self.reason = reason
        self.isOfFolder = isOfFolder
    }

    package init(_ file: File, _ kind: Kind, _ path: String, _ failure: StateFolder.Failure) {
        self.init(file, kind, path, failure.text, isOfFolder: failure.isOfFolder)
        isForeign = failure.isForeign
        isOfFullDisk = failure.isOfFullDisk
    }
}

extension BlectlError {
    package init(_ failure: KeyFileFailure, doing action: String) {
        let (name, things) =
            switch failure.file {
            case .bonds: ("file of bonds", "bonds")
            case .identity: ("file of this machine's identity", "keys of private addresses")
            }
        switch failure.kind {
        case .damaged:
            self.init(
                .badData,
                cannot: action,
                "the \(name) \(failure.path) is damaged: \(failure.reason); it was left as it is",
                hint: "put a copy in its place, or move it away and pair again"
            )
        case .unreadable:
            self.init(
                .cannotOpenInput,
                cannot: action,
                "the \(things) in \(failure.path) cannot be read: \(failure.reason)",
                hint: failure.isOfFolder || failure.isForeign ? Self.ownFolder : nil
            )
        case .unwritable:
            self.init(
                failure.isOfFullDisk ? .ioError : .cannotCreateOutput,
                cannot: action,
                "the \(things) in \(failure.path) cannot be written: \(failure.reason)",
                hint: failure.isOfFolder || failure.isForeign ? Self.ownFolder : nil
            )
        }
    }

    /// The remedy for the place of another user.
    private static let ownFolder = "use a folder of this user: 'sudo -H', or XDG_STATE_HOME=FOLDER"
}
