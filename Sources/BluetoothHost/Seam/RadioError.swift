// SPDX-License-Identifier: MIT

public import Bluetooth

/// An error of the radio, with a cause that a user can act on instead of an errno.
public struct RadioError: Error, Equatable, Sendable {
    /// The cause. Cases name the problem, not the system call that reported it.
    public enum Cause: Equatable, Sendable {
        /// The kernel has no Bluetooth (`AF_BLUETOOTH` is not supported).
        case noKernelSupport
        /// There is no adapter.
        case noAdapter
        /// There is no adapter with that name.
        case adapterNotFound(String)
        /// The adapter is not powered.
        case adapterDown
        /// The adapter is being set up, or was set up a moment ago and is not powered yet.
        case adapterStarting
        /// Low Energy is off on a dual-mode adapter, and this process may not switch it on.
        case lowEnergyOff
        /// The management interface refused a command.
        case managementRejected(ManagementStatus)
        /// The adapter is blocked by rfkill, in software or by a switch on the machine.
        case radioBlocked(byHardware: Bool)
        /// The adapter was removed during use.
        case adapterRemoved
        /// Another program uses the adapter exclusively (HCI user channel).
        case adapterBusy
        /// The process lacks a capability, such as `CAP_NET_RAW`.
        case permissionDenied(capability: String)
        /// The device did not answer the connection attempt in time.
        case connectTimedOut
        /// The controller of this machine refused the commands with which the kernel looks for the device, for that
        /// reason. The kernel goes on waiting, so that the attempt ends in time only.
        case connectRefused(HCIStatus)
        /// The device answered, but refused, or the link could not be established (probably HCI 0x3E).
        case connectFailed(HCIStatus?)
        /// Another program of this machine uses the ATT channel to the device, or is before this one in the queue; its
        /// reference is `nil` if unknown.
        case channelBusy(by: ProcessReference?)
        /// Another program's connection attempt is running. A controller can make only one at a time.
        case initiatorBusy
        /// The controller cannot hold another connection.
        case tooManyConnections
        /// The link broke: the device fell silent (supervision timeout), or the reason is unknown.
        case linkLost(HCIStatus?)
        /// The device closed the link.
        case closedByPeer(HCIStatus?)
        /// This process closed the link or the channel.
        case closedLocally
        /// The device requires more security than the link has, or refused the security that was requested.
        case authenticationFailed
        /// A program that takes no turns, such as bluetoothd, serves attributes on the adapter. Waiting does not help.
        case attributesServedElsewhere
        /// A program that takes turns serves attributes on the adapter. Waiting helps.
        case servingTaken(by: ProcessReference?)
        /// Programs that take turns advertise on the adapter, and leave no room for another one.
        case advertisingTaken(by: ProcessReference?)
        /// The controller has room for that many of the advertising sets only.
        case tooManyAdvertisements(Int, room: Int)
        /// The device refused a credit-based channel; `nil` if the kernel does not report the reason.
        case channelRefused(LECreditBasedConnectionResult?)
        /// The device broke a rule of credit-based channels, for which the channel was closed; the rule in words.
        case channelMisused(String)
        /// Another program of this machine offers the service.
        case serviceTaken(SPSM)
        /// The radio is a socket for attributes only: it has no controller and no advertising.
        case noController
        /// The socket of the radio cannot be used.
        case socket(path: String, SocketProblem)
        /// The controller or the kernel does not support the operation.
        case unsupported
        /// The controller answered a command with an error.
        case commandRejected(HCIStatus)
        /// The controller did not answer a command in time.
        case controllerSilent
        /// Nobody is at the other end of the transport that should lead to a controller.
        case controllerUnreachable
        /// The transport to the controller has ended.
        case controllerGone
        /// The controller cannot be used as it is attached to this machine.
        case attachment(AttachmentProblem)
        /// What came over the transport to the controller is no HCI packet.
        case controllerGarbled
        /// The program at the other end, which lends the controller, is of a version that this one does not understand.
        case otherVersion(isOlder: Bool)
        /// A packet is larger than the channel allows; both in octets.
        case packetTooLong(Int, limit: Int)
        /// The task that waited was cancelled.
        case cancelled
        /// A system call failed in a way without a meaning for Bluetooth; the call and errno's symbolic name.
        case system(call: String, errno: String)
    }

    /// The problem of a radio's socket.
    public enum SocketProblem: Hashable, Sendable {
        /// There is no such file, or the program that listened there has ended.
        case nobodyListens
        /// The listening program accepts no connections at the moment.
        case full
        /// A program listens there already.
        case inUse
        /// The file is not a socket, or a socket of another type.
        case notASocket
        /// There is no file of that name, and it should be the socket of a running program.
        case noFile
        /// There is no folder for the file.
        case noFolder
        /// The permissions of the file or its folder forbid it.
        case notPermitted
    }

    /// What is the matter with a controller on a bus or at a port of this machine.
    public struct AttachmentProblem: Hashable, Sendable {
        /// The problem in a person's words. Names in it come from the device.
        public let reason: String
        /// What mends it.
        public let remedy: String
        /// Whether the remedy is a line to type.
        public let isCommand: Bool
        /// Whether this process lacks a permission.
        public let isOfPermissions: Bool

        /// Creates a problem.
        public init(_ reason: String, remedy: String, isCommand: Bool = false, isOfPermissions: Bool = false) {
            self.reason = reason
            self.remedy = remedy
            self.isCommand = isCommand
            self.isOfPermissions = isOfPermissions
        }
    }

    /// Why the operation failed; `reason` has it in words.
    public let cause: Cause
    /// The operation that failed, as a noun phrase: `HCI socket`, `connection to F0:…`.
    public let operation: String
    /// The adapter, if known: `hci0`.
    public let adapter: String?

    /// Creates an error.
    public init(_ cause: Cause, during operation: String, on adapter: String? = nil) {
        self.cause = cause
        self.operation = operation
        self.adapter = adapter
    }

    /// The same error with its adapter.
    public func on(_ adapter: String) -> RadioError { RadioError(cause, during: operation, on: adapter) }

    /// Whether another program of this machine is the cause, and will finish sooner or later. Such an error is worth
    /// waiting for, and does not count as a failure of the device.
    public var isContention: Bool {
        switch cause {
        case .channelBusy, .initiatorBusy, .tooManyConnections: true
        default: false
        }
    }

    /// Whether the process at the other end of a socket has ended: its socket is gone, or refuses connections.
    var meansEndedProcess: Bool {
        switch cause {
        case .socket(_, .noFile), .socket(_, .nobodyListens): true
        default: false
        }
    }

    /// Whether the same attempt may succeed a moment later. One that has timed out is not among them: it has waited
    /// long already.
    public var isTransient: Bool {
        switch cause {
        case .connectFailed, .adapterBusy, .linkLost, .closedByPeer, .socket(_, .full), .socket(_, .nobodyListens): true
        case .commandRejected(let status): status == .commandDisallowed || status == .connectionFailedToBeEstablished
        default: false
        }
    }
}
