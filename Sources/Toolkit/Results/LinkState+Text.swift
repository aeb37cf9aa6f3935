// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost

extension LinkState {
    /// The present value of a setting, in words; `nil` if it is not known.
    package func words(of setting: LinkRequest.Setting) -> String? {
        switch setting {
        case .phy:
            guard let transmitPHY, let receivePHY else { return nil }
            return transmitPHY == receivePHY ? "\(transmitPHY)" : "\(transmitPHY) sent, \(receivePHY) received"
        case .dataLength: return transmitLength.map { "\(count: $0.octets, "octet")" }
        case .parameters:
            guard let interval, let latency, let supervisionTimeout else { return nil }
            return "interval \(interval), latency \(latency), supervision timeout \(supervisionTimeout)"
        case .subrate: return subrateFactor.map { "\($0)" }
        }
    }
}

extension LinkReading.Unknown {
    package var words: String {
        switch self {
        case .notHeard: "the link was there before blectl listened to the controller"
        case .notAnswered: "the device has not answered"
        case .notAsked: "it was not asked for"
        case .notMeasured: "the controller does not know it"
        case .failed(let error): error.reason
        }
    }
}
