// SPDX-License-Identifier: MIT

import Bluetooth

extension Error {
    /// Whether the failure would recur on each link that is made again.
    var isLasting: Bool {
        switch self {
        case let error as ConnectFailure: error.error.isLasting
        case let error as RadioError:
            switch error.cause {
            case .permissionDenied, .noKernelSupport, .socket(_, .notASocket), .socket(_, .notPermitted), .cancelled:
                true
            default: false
            }
        case let error as LinkChangeFailure: error.result.outcome.isLasting
        case let error as SecurityFailure: error.isLastingFailure
        default: isLastingRefusal || self is CancellationError
        }
    }

    /// Whether the device will refuse the subscription to a characteristic each time.
    var isLastingRefusal: Bool {
        switch self {
        case is MissingAttribute, is NotObservable:
            true
        case let error as GATTError:
            if case .refused(let response) = error { !response.code.mayPass } else { false }
        default:
            false
        }
    }
}

extension SecurityFailure {
    /// Whether raising the security would fail in the same way on the next link: a key that the device refuses, or that
    /// is too weak, gets no better.
    fileprivate var isLastingFailure: Bool {
        switch problem {
        case .unavailable: !causeMayPass
        case .timedOut: false
        case .failed(let error): error.isRefusalOfKey
        // Without encryption no key was used that could be too weak.
        case .insufficient(let security): security.isEncrypted
        }
    }
}

extension RadioError {
    /// Whether a link that was to be encrypted has ended for want of a common key. Other ends, such as the silence of a
    /// device that is too far away, say nothing about the key.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 5.1.3.1 (0x06) and 5.1.3 (0x3D)
    fileprivate var isRefusalOfKey: Bool {
        switch cause {
        // Linux ends the link itself if the device refuses the key, and reports that as an end by this machine. An end
        // by the owner of the link is no failure of its security.
        case .authenticationFailed, .closedLocally:
            true
        case .linkLost(let status?), .closedByPeer(let status?), .connectFailed(let status?):
            [HCIStatus.authenticationFailure, .pinOrKeyMissing, .connectionTerminatedDueToMICFailure].contains(status)
        default:
            false
        }
    }
}

extension ATTErrorCode {
    /// Whether the same request may succeed a moment later.
    fileprivate var mayPass: Bool {
        [.unlikelyError, .insufficientResources, .databaseOutOfSync, .procedureAlreadyInProgress].contains(self)
    }
}

extension LinkUpdate.Outcome {
    /// Whether the same request would have the same outcome on the next link.
    fileprivate var isLasting: Bool {
        switch self {
        case .different, .refused, .impossible: true
        // Another procedure of the lost link was in the way, of this machine or of the device.
        case .rejected(let status): status != .commandDisallowed && status != .controllerBusy
        case .reached, .unanswered, .ended: false
        }
    }
}
