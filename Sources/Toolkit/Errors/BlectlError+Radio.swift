// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Terminal

extension BlectlError {
    /// A radio's error in plain words.
    ///
    /// - Parameters:
    ///   - action: The action that failed, to follow "cannot": `scan`, `read battery-level from F0:…`.
    package init(_ error: RadioError, doing action: String) {
        let (status, hint) = Self.explanation(of: error)
        let reason = error.isOfFileLimit ? "so many files are open that no other can be" : error.reason
        self.init(status, cannot: action, reason, hint: hint)
        if case .adapterNotFound(let name) = error.cause {
            self = about(adapter: name)
        } else {
            self = about(adapter: error.adapter)
        }
    }

    /// The exit status and the advice for a failure of the radio. The hint may be a command to run or a question
    /// about the device.
    private static func explanation(of error: RadioError) -> (ExitStatus, hint: String?) {
        switch error.cause {
        // In a container, the kernel may only keep Bluetooth from its network: doctor distinguishes the two cases.
        case .noKernelSupport:
            (.bluetoothUnavailable, "'blectl doctor' looks for the reason; '--simulate' needs no radio")
        case .noAdapter: (.bluetoothUnavailable, "'blectl doctor' looks for the reason; '--simulate' needs none")
        case .adapterNotFound: (.bluetoothUnavailable, "blectl adapters")
        case .adapterDown, .adapterStarting: (.bluetoothUnavailable, adapterCommand("power on", error))
        // A command switches Low Energy on itself where it may: what is missing is the permission.
        case .lowEnergyOff: (.permissionDenied, adapterCommand("le on", error))
        case .radioBlocked(byHardware: true): (.bluetoothUnavailable, "turn the switch on")
        case .radioBlocked(byHardware: false): (.bluetoothUnavailable, "sudo rfkill unblock bluetooth")
        case .adapterRemoved, .adapterBusy, .unsupported: (.bluetoothUnavailable, "blectl adapters")
        case .permissionDenied:
            (.permissionDenied, "sudo setcap cap_net_raw,cap_net_admin+eip \"$(command -v blectl)\"")
        case .connectTimedOut: (.timedOut, "is it switched on, near, and connectable? see blectl scan")
        // The attempt was over when its time was.
        case .connectRefused: (.timedOut, adapterCommand("reset", error))
        case .connectFailed: (.temporaryFailure, "try again, nearer to the device")
        case .channelBusy(nil):
            (
                .temporaryFailure,
                "end that program, which may be another blectl or a line of 'blectl shell', or: bluetoothctl disconnect"
            )
        case .channelBusy: (.temporaryFailure, "end it, or wait longer: --connect-timeout")
        case .initiatorBusy: (.temporaryFailure, "try again")
        case .servingTaken: (.temporaryFailure, "end it, or leave out --no-wait to wait for it")
        case .advertisingTaken: (.temporaryFailure, "end one of them")
        case .tooManyAdvertisements: (.bluetoothUnavailable, "advertise fewer at once")
        case .tooManyConnections:
            (.temporaryFailure, "end a program that is connected, or wait longer: --connect-timeout")
        case .linkLost: (.temporaryFailure, "try again")
        case .closedByPeer: (.temporaryFailure, "try again")
        case .closedLocally: (.temporaryFailure, nil)
        case .authenticationFailed: (.temporaryFailure, "pair them again")
        case .attributesServedElsewhere:
            (.bluetoothUnavailable, "end that program; bluetoothd is one: sudo systemctl stop bluetooth")
        case .channelRefused(let result): Self.explanation(of: result)
        case .channelMisused: (.protocolError, nil)
        case .serviceTaken: (.bluetoothUnavailable, "end that program, or choose another number: --psm")
        case .noController: (.bluetoothUnavailable, "read, write, notify, watch and inspect need none")
        case .socket(let path, let problem): Self.explanation(of: problem, at: path)
        case .commandRejected: (.temporaryFailure, nil)
        case .managementRejected(.rejected), .managementRejected(.notSupported): (.protocolError, nil)
        case .managementRejected: (.temporaryFailure, nil)
        case .controllerSilent: (.temporaryFailure, adapterCommand("reset", error) ?? connectionCommand(error))
        case .controllerUnreachable: (.bluetoothUnavailable, connectionCommand(error))
        case .controllerGone: (.temporaryFailure, nil)
        case .attachment(let problem):
            (problem.isOfPermissions ? .permissionDenied : .bluetoothUnavailable, problem.remedy)
        case .controllerGarbled: (.protocolError, connectionCommand(error))
        case .otherVersion: (.protocolError, connectionCommand(error))
        case .packetTooLong: (.badData, nil)
        case .cancelled: (.temporaryFailure, nil)
        // The queue is full because the device takes nothing: no file or device of this machine is at fault.
        case .system(call: "send", errno: "ENOBUFS"): (.temporaryFailure, "try again")
        case .system(_, errno: "EMFILE"): (.ioError, fileLimitHint)
        case .system: (.ioError, nil)
        }
    }

    /// What helps a process that can open no more files.
    static let fileLimitHint = "raise the limit of open files: ulimit -n 64"

    /// A refused channel. Refusals that more security or a free place would change are distinguished from permanent
    /// ones.
    private static func explanation(of result: LECreditBasedConnectionResult?) -> (ExitStatus, hint: String?) {
        switch result {
        case .spsmNotSupported?: (.notFound, "the number of a service is often in one of the device's characteristics")
        case .noResources?: (.temporaryFailure, "try again when another channel of the device has ended")
        case .insufficientAuthentication?, .insufficientEncryption?, .encryptionKeySizeTooShort?:
            (.protocolError, "blectl pair DEVICE")
        case .insufficientAuthorization?: (.protocolError, "allow this machine at the device")
        case nil:
            (.protocolError, "the kernel does not say why; the capability CAP_NET_RAW lets blectl see the answer")
        default: (.protocolError, nil)
        }
    }

    private static func explanation(
        of problem: RadioError.SocketProblem,
        at path: String
    ) -> (ExitStatus, hint: String?) {
        switch problem {
        case .nobodyListens where SessionSocket.isNamed(by: path):
            (.temporaryFailure, "the session has ended: repeat the command, or blectl session start")
        case .nobodyListens: (.temporaryFailure, "blectl --radio \(Prose.word("unix:\(path)")) serve pulse-strap")
        case .full: (.temporaryFailure, "try again")
        case .inUse: (.cannotCreateOutput, "end it, or choose another path")
        case .notASocket: (.cannotCreateOutput, "choose another path")
        case .noFile: (.cannotOpenInput, nil)
        case .noFolder: (.cannotCreateOutput, "make one, or choose another path")
        case .notPermitted: (.permissionDenied, "'ls -ld \(path)' shows them")
        }
    }

    /// What to look at if no controller answers there; `nil` for adapters.
    private static func connectionCommand(_ error: RadioError) -> String? {
        let place = error.adapter.flatMap { ControllerPlace($0) }
        guard case .ssh(let host, _)? = place else { return place?.advice }
        let words = ControllerPlace.sshWords(for: host).map(Prose.word)
        return "ssh \(words.joined(separator: " ")) blectl version"
    }

    /// `nil` for a controller that has no other program to command it.
    private static func adapterCommand(_ action: String, _ error: RadioError) -> String? {
        if let adapter = error.adapter, ControllerPlace.isMeant(by: adapter) { return nil }
        return AdapterHint.commandLine(action, adapter: error.adapter)
    }
}

extension RadioError {
    /// Whether the process, or the system, can open no more files.
    package var isOfFileLimit: Bool {
        guard case .system(_, let number) = cause else { return false }
        return number == "EMFILE" || number == "ENFILE"
    }
}
