// SPDX-License-Identifier: MIT

package import Bluetooth

/// A pairing that has failed. Its keys, if there were any, are not kept.
package struct PairingError: Error, Equatable, Sendable {
    package enum Problem: Equatable, Sendable {
        /// The device or a person did not answer in time.
        case timedOut(Duration)
        /// The answer to a prompt was no.
        case declined
        /// The device, or this machine, has ended the pairing for this reason.
        case failed(PairingFailure)
        /// The kernel reports a failure without a reason.
        case rejected(ManagementStatus)
        case linkEnded(RadioError)
        /// Links of other programs would be lost, because the adapter has to be switched off and on once.
        case adapterInUse
    }

    package let device: DeviceAddress
    package let problem: Problem

    package init(_ device: DeviceAddress, _ problem: Problem) {
        self.device = device
        self.problem = problem
    }

    /// The problem in a person's words, to follow "cannot pair:".
    package var reason: String {
        switch problem {
        case .timedOut(let limit): "no answer within \(limit.text)"
        case .declined: "the answer was no"
        case .failed(let failure):
            "\(failure.meaning) (SMP 0x\(Hex.string(failure.rawValue, minimumDigits: 2)) \(failure))"
        case .rejected(.alreadyPaired): "they are paired already"
        case .rejected(.authenticationFailed):
            "the pairing failed: a wrong passkey, no agreement on the protection, or the device does not pair"
        case .rejected(.busy): "another pairing or connection is running"
        case .rejected(let status): "the kernel reports: \(status)"
        case .linkEnded(let error): "the link ended: \(error.reason)"
        case .adapterInUse:
            "the kernel pairs only after the adapter was switched off and on once, and that would end the links of "
                + "other programs"
        }
    }
}
