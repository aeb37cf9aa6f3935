// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

extension RadioError.Cause {
    /// The cause for a link that has ended with that reason.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.7.5
    init(endOfLink reason: HCIStatus) {
        self =
            switch reason {
            case .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionLowResources,
                .remoteDeviceTerminatedConnectionPowerOff:
                .closedByPeer(reason)
            case .connectionTerminatedByLocalHost: .closedLocally
            case .authenticationFailure, .pinOrKeyMissing, .pairingWithUnitKeyNotSupported: .authenticationFailed
            // The peer has never heard this host, so that the link was none.
            case .connectionFailedToBeEstablished: .connectFailed(reason)
            default: .linkLost(reason)
            }
    }

    init(failedAttempt status: HCIStatus, _ failure: Initiator.Failure) {
        self =
            switch (failure, status) {
            case (_, .connectionLimitExceeded), (_, .memoryCapacityExceeded),
                (_, .connectionRejectedDueToLimitedResources):
                .tooManyConnections
            case (.refused, .unknownHCICommand): .unsupported
            case (.refused, .connectionAlreadyExists): .channelBusy(by: nil)
            // As on the kernel, where it is an attempt to connect to another device.
            case (.refused, .commandDisallowed): .initiatorBusy
            case (.refused, _): .commandRejected(status)
            case (.notEstablished, _): .connectFailed(status)
            }
    }
}
