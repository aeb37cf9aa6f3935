// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("RadioError")
struct RadioErrorTests {
    @Test(
        "causes for which a retry may succeed",
        arguments: [
            .connectFailed(nil), .connectFailed(.connectionFailedToBeEstablished), .adapterBusy,
            .linkLost(nil),
            .closedByPeer(nil), .commandRejected(.commandDisallowed),
            .commandRejected(.connectionFailedToBeEstablished), .socket(path: "/s", .nobodyListens),
            .socket(path: "/s", .full),
        ] as [RadioError.Cause]
    )
    func transient(cause: RadioError.Cause) {
        #expect(RadioError(cause, during: "test").isTransient)
    }

    @Test(
        "causes for which it cannot",
        arguments: [
            .noKernelSupport, .noAdapter, .adapterNotFound("hci9"), .adapterDown, .radioBlocked(byHardware: true),
            .adapterRemoved, .permissionDenied(capability: "CAP_NET_RAW"), .connectTimedOut, .channelBusy(by: nil),
            .initiatorBusy,
            .closedLocally, .authenticationFailed, .unsupported,
            .commandRejected(.unknownHCICommand), .controllerSilent, .packetTooLong(2, limit: 1), .cancelled,
            .system(call: "send", errno: "EIO"),
        ] as [RadioError.Cause]
    )
    func permanent(cause: RadioError.Cause) {
        #expect(!RadioError(cause, during: "test").isTransient)
    }
}
