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
            .adapterRemoved, .permissionDenied(capability: "CAP_NET_RAW"), .connectTimedOut,
            .connectRefused(.commandDisallowed),
            .channelBusy(by: nil),
            .initiatorBusy,
            .closedLocally, .authenticationFailed, .unsupported,
            .commandRejected(.unknownHCICommand), .controllerSilent, .packetTooLong(2, limit: 1), .cancelled,
            .system(call: "send", errno: "EIO"),
        ] as [RadioError.Cause]
    )
    func permanent(cause: RadioError.Cause) {
        #expect(!RadioError(cause, during: "test").isTransient)
    }

    @Test("a refusal by the controller is not told as the silence of a device, and has its name")
    func refusals() {
        func reason(_ cause: RadioError.Cause) -> String { RadioError(cause, during: "test").reason }
        #expect(
            reason(.connectRefused(.commandDisallowed))
                == "the controller refused to connect: command disallowed (0x0C)"
        )
        #expect(reason(.initiatorBusy).contains("command disallowed"))
        let silence = "the link could not be established: the device stopped answering"
        #expect(reason(.connectFailed(nil)) == "\(silence) (HCI 0x3E likely)")
        for status in [HCIStatus.connectionFailedToBeEstablished, .connectionTimeout] {
            #expect(reason(.connectFailed(status)) == "\(silence) (HCI \(status))")
        }
        for status in [HCIStatus.commandDisallowed, .connectionLimitExceeded, .unsupportedRemoteFeature] {
            #expect(reason(.connectFailed(status)) == "the link could not be established (HCI \(status))")
        }
    }
}
