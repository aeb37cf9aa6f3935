// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What went wrong at the radio: a cause that a person can act on, never a bare errno.
public struct RadioError: Error, Equatable, Sendable {
    /// The cause. Cases name what is the matter, not which call noticed it.
    public enum Cause: Equatable, Sendable {
        /// The kernel has no Bluetooth (`AF_BLUETOOTH` is not supported).
        case noKernelSupport
        /// There is no adapter at all.
        case noAdapter
        /// There is no adapter of that name.
        case adapterNotFound(String)
        /// The adapter is not powered.
        case adapterDown
        /// The adapter is being set up, or was a moment ago and nobody has powered it yet.
        case adapterStarting
        /// Low Energy is switched off on an adapter that has Basic Rate, too, and may not be switched on by this process.
        case lowEnergyOff
        /// The management interface refused a command.
        case managementRejected(ManagementStatus)
        /// The adapter is blocked by rfkill: by software, or by a switch on the machine.
        case radioBlocked(byHardware: Bool)
        /// The adapter went away while in use.
        case adapterRemoved
        /// Another program has the adapter to itself (HCI user channel).
        case adapterBusy
        /// The process may not do that; the name of the missing capability, such as `CAP_NET_RAW`.
        case permissionDenied(capability: String)
        /// The device did not answer the connection attempt in time.
        case connectTimedOut
        /// The device answered, but the link could not be established (HCI 0x3E likely), or it refused.
        case connectFailed(HCIStatus?)
        /// Another program of this machine has the ATT channel to the device, or waits for it before us; which one, where
        /// that is known.
        case channelBusy(by: ProgramReference?)
        /// Another program of this machine keeps the controller from connecting: only one connection can be made at a time.
        case initiatorBusy
        /// The controller has no room for another connection.
        case tooManyConnections
        /// The link broke: the device fell silent (supervision timeout) or an unknown reason.
        case linkLost(HCIStatus?)
        /// The device closed the link.
        case closedByPeer(HCIStatus?)
        /// We closed the link or the channel.
        case closedLocally
        /// The device demands more security than there is, or refused ours.
        case authenticationFailed
        /// A program that takes no turns, such as bluetoothd, serves attributes on the adapter. It will not go away.
        case attributesServedElsewhere
        /// A program that takes turns serves attributes on the adapter.
        case servingTaken(by: ProgramReference?)
        /// The radio is a socket, which carries attributes only: there is no controller, and nothing is advertised.
        case noController
        /// The socket that is the radio cannot be used.
        case socket(path: String, SocketProblem)
        /// The controller or kernel does not know how to do that.
        case unsupported
        /// The controller answered a command with an error.
        case commandRejected(HCIStatus)
        /// The controller did not answer a command in time.
        case controllerSilent
        /// What was to be sent is larger than what the channel carries, both in octets.
        case packetTooLong(Int, limit: Int)
        /// The task that waited was cancelled.
        case cancelled
        /// A system call failed in a way that has no Bluetooth meaning; the call and errno's symbolic name.
        case system(call: String, errno: String)
    }

    /// What is the matter with a socket that is a radio.
    public enum SocketProblem: Hashable, Sendable {
        /// There is no such file, or the program that listened there has gone.
        case nobodyListens
        /// The program that listens there takes nobody in at the moment.
        case full
        /// A program listens there already.
        case inUse
        /// The file is something else.
        case notASocket
        /// There is no folder for the file.
        case noFolder
        /// The rights of the file or its folder forbid it.
        case notPermitted
    }

    /// What is the matter.
    public let cause: Cause
    /// What was being done, as a noun phrase: `HCI socket`, `connection to F0:…`.
    public let operation: String
    /// The adapter that it happened on, where that is known: `hci0`.
    public let adapter: String?

    /// Makes an error.
    public init(_ cause: Cause, during operation: String, on adapter: String? = nil) {
        self.cause = cause
        self.operation = operation
        self.adapter = adapter
    }

    /// The same error, of which is known now on which adapter it happened.
    public func on(_ adapter: String) -> RadioError { RadioError(cause, during: operation, on: adapter) }

    /// Whether somebody else of this machine is in the way, who goes away by himself: it is waited for, and that is no
    /// failure of the device.
    public var isContention: Bool {
        switch cause {
        case .channelBusy, .initiatorBusy: true
        default: false
        }
    }

    /// Whether the same attempt may well succeed a moment later.
    public var isTransient: Bool {
        switch cause {
        case .connectFailed, .adapterBusy, .tooManyConnections, .linkLost, .closedByPeer, .socket(_, .full): true
        case .commandRejected(let status): status == .commandDisallowed || status == .connectionFailedToBeEstablished
        default: false
        }
    }
}
