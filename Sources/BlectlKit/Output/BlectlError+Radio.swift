// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost

extension BlectlError {
    /// A radio's error in a person's words.
    ///
    /// - Parameters:
    ///   - error: What went wrong.
    ///   - action: The action that failed, to follow "cannot": `scan`, `read battery-level from F0:…`.
    public init(_ error: RadioError, doing action: String) {
        let (status, cause, hint) = Self.explanation(of: error)
        self.init(status, cannot: action, cause, hint: hint)
        if case .adapterNotFound(let name) = error.cause {
            self = about(adapter: name)
        } else {
            self = about(adapter: error.adapter)
        }
    }

    /// The cause alone, in a person's words.
    static func reason(_ error: RadioError) -> String { explanation(of: error).cause }

    private static func explanation(of error: RadioError) -> (ExitStatus, cause: String, hint: String?) {
        switch error.cause {
        case .noKernelSupport:
            (.bluetoothUnavailable, "this kernel has no Bluetooth support", "blectl --simulate runs without a radio")
        case .noAdapter:
            (.bluetoothUnavailable, "there is no Bluetooth adapter", "plug one in, or use blectl --simulate")
        case .adapterNotFound(let name):
            (.bluetoothUnavailable, "there is no adapter \(name)", "blectl adapters")
        case .adapterDown:
            (.bluetoothUnavailable, "\(adapterName(error)) is down", adapterCommand("power on", error))
        case .adapterStarting:
            (
                .bluetoothUnavailable, "\(adapterName(error)) is starting, and not powered yet",
                adapterCommand("power on", error)
            )
        case .lowEnergyOff:
            (
                .permissionDenied,
                "Low Energy is off on \(error.adapter ?? "the adapter"), and switching it on needs CAP_NET_ADMIN",
                adapterCommand("le on", error)
            )
        case .radioBlocked(byHardware: true):
            (.bluetoothUnavailable, "the radio is switched off by a switch or key of the machine", "turn the switch on")
        case .radioBlocked(byHardware: false):
            (.bluetoothUnavailable, "the radio is blocked by software", "rfkill unblock bluetooth")
        case .adapterRemoved:
            (.bluetoothUnavailable, "the adapter was unplugged", "blectl adapters")
        case .adapterBusy:
            (.bluetoothUnavailable, "another program uses the adapter exclusively", "blectl adapters")
        case .permissionDenied(let capability):
            (
                .permissionDenied, "the capability \(capability) is missing",
                "sudo setcap cap_net_raw,cap_net_admin+eip \"$(command -v blectl)\""
            )
        case .connectTimedOut:
            (.timedOut, "the device did not answer", "is it switched on, near, and connectable? see blectl scan")
        case .connectFailed(let status):
            (
                .temporaryFailure,
                "the link could not be established: the device stopped answering"
                    + (status.map { " (HCI \($0))" } ?? " (HCI 0x3E likely)"),
                "try again, nearer to the device"
            )
        case .channelBusy(nil):
            (
                .temporaryFailure, "another program of this machine is connected to the device",
                "end that program, or: bluetoothctl disconnect"
            )
        case .channelBusy(let program?):
            (
                .temporaryFailure, "another program of this machine uses the device: \(program)",
                "end it, or wait longer: --connect-timeout"
            )
        case .initiatorBusy:
            (.temporaryFailure, "another program of this machine is connecting to a device", "try again")
        case .servingTaken(let program):
            (
                .temporaryFailure,
                "another program serves on this adapter" + (program.map { ": \($0)" } ?? ""),
                "end it, or leave out --no-wait to wait for it"
            )
        case .advertisingTaken(let program):
            (
                .temporaryFailure,
                "the adapter has no room besides the advertisements of "
                    + (program.map { "another program: \($0)" } ?? "other programs"),
                "end one of them"
            )
        case .tooManyAdvertisements(let number, let room):
            (
                .bluetoothUnavailable, "the adapter has room for \(room) of \(count: number, "advertisement")",
                "advertise fewer at once"
            )
        case .tooManyConnections:
            (
                .temporaryFailure, "the controller has no room for another connection",
                "end a program that is connected, or wait longer: --connect-timeout"
            )
        case .linkLost(let status):
            (.temporaryFailure, "the connection was lost" + (status.map { " (HCI \($0))" } ?? ""), "try again")
        case .closedByPeer(let status):
            (.temporaryFailure, "the device closed the connection" + (status.map { " (HCI \($0))" } ?? ""), "try again")
        case .closedLocally:
            (.temporaryFailure, "the connection was closed", nil)
        case .authenticationFailed:
            (.temporaryFailure, "the device and this machine do not agree on a key", "pair them again")
        case .attributesServedElsewhere:
            (
                .bluetoothUnavailable, "another program serves attributes on this adapter",
                "end that program; bluetoothd is one: sudo systemctl stop bluetooth"
            )
        case .noController:
            (
                .bluetoothUnavailable, "a socket has no advertisements",
                "read, write, notify, watch and inspect need none"
            )
        case .socket(let path, let problem): Self.explanation(of: problem, at: path)
        case .unsupported:
            (.bluetoothUnavailable, "the controller or the kernel does not support it", "blectl adapters")
        case .commandRejected(let status):
            (.temporaryFailure, "the controller refused: \(status)", nil)
        case .managementRejected(let status):
            (.temporaryFailure, "the kernel refused: \(status)", nil)
        case .controllerSilent:
            (.temporaryFailure, "the controller does not answer", adapterCommand("reset", error))
        case .packetTooLong(let length, let limit):
            (.badData, "\(length) octets are more than the \(limit) that a packet carries", nil)
        case .cancelled:
            (.temporaryFailure, "interrupted", nil)
        case .system(call: "send", errno: "ENOBUFS"):
            (.temporaryFailure, "the device does not accept packets fast enough (ENOBUFS)", "try again")
        case .system(let call, let errno):
            (.ioError, "\(call) failed (\(errno))", nil)
        }
    }

    private static func explanation(
        of problem: RadioError.SocketProblem,
        at path: String
    ) -> (ExitStatus, cause: String, hint: String?) {
        switch problem {
        case .nobodyListens:
            (.temporaryFailure, "no program listens at \(path)", "blectl --radio unix:\(path) serve pulse-strap")
        case .full: (.temporaryFailure, "the program that listens at \(path) accepts no connections", "try again")
        case .inUse: (.cannotCreateOutput, "another program listens at \(path)", "end it, or choose another path")
        case .notASocket: (.cannotCreateOutput, "\(path) is not a packet socket", "choose another path")
        case .noFile: (.cannotOpenInput, "there is no socket \(path)", nil)
        case .noFolder: (.cannotCreateOutput, "there is no folder for \(path)", "make one, or choose another path")
        case .notPermitted:
            (.permissionDenied, "the permissions of \(path) or of its folder forbid it", "ls -ld \(path) shows them")
        }
    }

    /// The adapter of the error, by its name if that is known.
    private static func adapterName(_ error: RadioError) -> String {
        error.adapter.map { "the adapter \($0)" } ?? "the adapter"
    }

    /// The command that switches the adapter of the error.
    private static func adapterCommand(_ action: String, _ error: RadioError) -> String {
        AdapterSpec.commandLine(action, adapter: error.adapter)
    }
}
