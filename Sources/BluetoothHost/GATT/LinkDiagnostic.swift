// SPDX-License-Identifier: MIT

import Bluetooth

/// Behaviour of a device that is odd, but that its link survives.
public struct LinkDiagnostic: Hashable, Sendable {
    /// The event, with the address of the device: one line without a full stop.
    public let text: String
    /// Whether a notification or an indication was dropped for it.
    public let isLostUpdate: Bool
    /// Whether values were dropped because they came faster than they were read, or before there was a listener.
    package let isOverflow: Bool
    /// Whether the user has to know, because it takes time or limits the values.
    package let isImportant: Bool

    init(_ text: String, isLostUpdate: Bool = false, isOverflow: Bool = false, isImportant: Bool = false) {
        self.text = text
        self.isLostUpdate = isLostUpdate
        self.isOverflow = isOverflow
        self.isImportant = isImportant
    }

    /// The device does not take an exchange of the MTU.
    init(_ device: DeviceAddress, _ failure: MTUExchangeState.Failure) {
        let what =
            switch failure {
            case .hungUp: "hung up on the exchange of the MTU"
            case .silent(let patience): "has not answered the exchange of the MTU within \(patience.text)"
            }
        self.init("\(device.address) \(what); connecting again without it", isImportant: true)
    }
}
