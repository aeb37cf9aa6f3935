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
