// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost

extension LinkUpdate.Outcome {
    /// The outcome as scripts read it.
    package var word: String {
        switch self {
        case .reached: "reached"
        case .different: "different"
        case .refused: "refused"
        case .rejected: "rejected"
        case .unanswered: "unanswered"
        case .ended: "link-ended"
        case .impossible: "impossible"
        }
    }

    /// The status of the controller; `nil` if it has none.
    package var status: HCIStatus? {
        switch self {
        case .refused(let status), .rejected(let status), .ended(let status): status
        case .reached, .different, .unanswered, .impossible: nil
        }
    }
}

extension BearerOutcome {
    /// What was asked for, one line each: `enhanced bearers: asked for 3; now 3 of MTU 517`.
    package var lines: [String] {
        let exchange: String? =
            switch request.exchange {
            case .offering(let size): "MTU: asked for \(size); now \(mtu)"
            case .never: "MTU: not exchanged; now \(mtu)"
            case .whenUseful: nil
            }
        let bearers = request.enhanced > 0 ? "enhanced bearers: asked for \(request.enhanced); \(words)" : nil
        return [exchange, bearers].compactMap(\.self)
    }

    /// The enhanced bearers in words: `3 of MTU 517`, or why there are none.
    package var words: String {
        if let largest = enhanced.max() { return "\(enhanced.count) of MTU \(largest)" }
        return switch lack {
        case .notOffered: "none, because the device does not offer them"
        case .refused(let result): "none, because the device refuses them\(result.map { " (\($0))" } ?? "")"
        case .unusable(let rule): "none; they were closed, because the device broke a rule of channels: \(rule)"
        case .notEncrypted: "none, because the link is not encrypted"
        case nil: "none"
        }
    }
}

extension BearerOutcome.Lack {
    /// The reason as scripts read it.
    package var word: String {
        switch self {
        case .notOffered: "not-offered"
        case .refused: "refused"
        case .unusable: "unusable"
        case .notEncrypted: "not-encrypted"
        }
    }
}

extension LinkChange {
    /// The results, one line for each setting: `interval 15 ms, as asked for`.
    package var lines: [String] {
        results.map { result in
            let wanted = request.words(of: result.setting) ?? ""
            let present = after.words(of: result.setting) ?? "not known"
            return
                "\(result.setting.words): asked for \(wanted); \(result.outcome == .reached ? "reached" : "now") \(present)"
        }
    }
}

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
