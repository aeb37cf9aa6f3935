// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

extension HCIStatus {
    /// The names that faults use: `connection-timeout`.
    static let faultWords: [String] = named.map(\.word)

    private static let named: [(word: String, status: HCIStatus)] = (UInt8(1)...UInt8.max).compactMap { number in
        let status = HCIStatus(rawValue: number)
        return status.name.map { (AssignedNumber.slug($0), status) }
    }

    /// The status of a number, such as `0x3E`, or of a name; `nil` for other texts.
    init?(faultWord text: String) {
        if let number = FaultWords.number(text) {
            guard let code = UInt8(exactly: number) else { return nil }
            self.init(rawValue: code)
            return
        }
        guard let match = Self.named.first(where: { $0.word == text.lowercased() }) else { return nil }
        self = match.status
    }

    /// The name, or the number if there is none.
    var faultWord: String {
        Self.named.first { $0.status == self }?.word ?? "0x\(Hex.string(rawValue, minimumDigits: 2))"
    }
}
