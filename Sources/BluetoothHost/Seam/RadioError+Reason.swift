// SPDX-License-Identifier: MIT

import Bluetooth

extension RadioError {
    /// Why the operation failed, in a person's words: one line in lower case without a full stop.
    public var reason: String {
        switch cause {
        case .noKernelSupport: "this kernel has no Bluetooth support"
        case .noAdapter: "there is no Bluetooth adapter"
        case .adapterNotFound(let name): "there is no adapter \(name)"
        case .adapterDown: "\(adapterName) is down"
        case .adapterStarting: "\(adapterName) is starting, and not powered yet"
        case .lowEnergyOff: "Low Energy is off on \(adapter ?? "the adapter"), and switching it on needs CAP_NET_ADMIN"
        case .radioBlocked(byHardware: true): "the radio is switched off by a switch or key of the machine"
        case .radioBlocked(byHardware: false): "the radio is blocked by software"
        case .adapterRemoved: "the adapter was unplugged"
        case .adapterBusy: "another program uses the adapter exclusively"
        case .permissionDenied(let capability): "the capability \(capability) is missing"
        case .connectTimedOut: "the device did not answer"
        case .connectFailed(let status):
            "the link could not be established"
                + (Self.isSilence(status) ? ": the device stopped answering" : "")
                + (status.map { " (HCI \($0))" } ?? " (HCI 0x3E likely)")
        case .connectRefused(let status): "the controller refused to connect: \(status)"
        case .channelBusy(nil): "another program of this machine is connected to the device"
        case .channelBusy(let program?): "another program of this machine uses the device: \(program)"
        case .initiatorBusy: "another program of this machine is connecting to a device (HCI command disallowed likely)"
        case .servingTaken(let program): "another program serves on this adapter" + (program.map { ": \($0)" } ?? "")
        case .advertisingTaken(let program):
            "the adapter has no room besides the advertisements of "
                + (program.map { "another program: \($0)" } ?? "other programs")
        case .tooManyAdvertisements(let number, let room):
            "the adapter has room for \(room) of \(count: number, "advertisement")"
        case .tooManyConnections: "the controller has no room for another connection"
        case .linkLost(let status): "the connection was lost" + (status.map { " (HCI \($0))" } ?? "")
        case .closedByPeer(let status): "the device closed the connection" + (status.map { " (HCI \($0))" } ?? "")
        case .closedLocally: "the connection was closed"
        case .authenticationFailed: "the device and this machine do not agree on a key"
        case .attributesServedElsewhere: "another program serves attributes on this adapter"
        case .channelRefused(let result?): result.reason
        case .channelRefused(nil): "the device refused the channel"
        case .channelMisused(let rule): "the device broke a rule of credit-based channels: \(rule)"
        case .serviceTaken(let spsm): "another program of this machine offers the service \(spsm)"
        case .noController: "a socket has no controller"
        case .socket(let path, let problem): problem.reason(at: path)
        case .unsupported: "the controller or the kernel does not support it"
        case .commandRejected(let status): "the controller refused: \(status)"
        case .managementRejected(let status): "the kernel refused: \(status)"
        case .controllerSilent: "the controller does not answer"
        case .controllerUnreachable: "there is no controller at \(adapter ?? "the other end")"
        case .controllerGone: "the controller has ended the connection" + (adapter.map { " to \($0)" } ?? "")
        case .attachment(let problem): problem.reason
        case .controllerGarbled: "what comes from \(adapter ?? "the controller") are no HCI packets"
        case .otherVersion(let isOlder):
            "the blectl at \(adapter ?? "the other end") is too \(isOlder ? "old" : "new") for this one"
        case .packetTooLong(let length, let limit): "\(length) octets are more than the \(limit) that a packet carries"
        case .cancelled: "interrupted"
        case .system(call: "send", errno: "ENOBUFS"): "the device does not accept packets fast enough (ENOBUFS)"
        case .system(let call, errno: "ENOSPC"): "\(call) failed: no space is left (ENOSPC)"
        case .system(let call, let errno): "\(call) failed (\(errno))"
        }
    }

    /// Whether a failed attempt means that the device has stopped answering. Other statuses are of the controller or of
    /// the device's link layer, and say themselves what they mean.
    private static func isSilence(_ status: HCIStatus?) -> Bool {
        switch status {
        case nil, .connectionTimeout?, .connectionFailedToBeEstablished?: true
        default: false
        }
    }

    /// The adapter, by its name if that is known.
    private var adapterName: String { adapter.map { "the adapter \($0)" } ?? "the adapter" }
}

extension RadioError.AttachmentProblem {
    /// A controller that has only what it was made with, and needs more before it works.
    package static func needsFirmware(of maker: String) -> Self {
        Self(
            "the controller of \(maker) needs firmware, which blectl cannot load",
            remedy: "let the kernel's driver load it, and use the adapter as hciN"
        )
    }
}

extension LECreditBasedConnectionResult {
    /// Why the device refused, in a person's words.
    fileprivate var reason: String {
        let words =
            switch self {
            case .spsmNotSupported: "the device has no service with that number"
            case .noResources: "the device has no room for another channel"
            case .insufficientAuthentication: "the device requires pairing"
            case .insufficientAuthorization: "the device has not authorized this machine"
            case .encryptionKeySizeTooShort: "the key of the link is too short for the device"
            case .insufficientEncryption: "the device requires an encrypted link"
            case .unacceptableParameters: "the device and this machine do not agree on sizes"
            default: "the device refused the channel"
            }
        let code = "0x" + Hex.string(rawValue, minimumDigits: 4)
        return "\(words) (L2CAP \(code)\(name.map { " \($0)" } ?? ""))"
    }
}

extension RadioError.SocketProblem {
    fileprivate func reason(at path: String) -> String {
        switch self {
        case .nobodyListens: "no program listens at \(path)"
        case .full: "the program that listens at \(path) accepts no connections"
        case .inUse: "another program listens at \(path)"
        case .notASocket: "\(path) is not a packet socket"
        case .noFile: "there is no socket \(path)"
        case .noFolder: "there is no folder for \(path)"
        case .notPermitted: "the permissions of \(path) or of its folder forbid it"
        }
    }
}
