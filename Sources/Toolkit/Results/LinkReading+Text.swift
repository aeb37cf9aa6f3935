// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

extension LinkReading.Unknown {
    package var words: String {
        switch self {
        case .notHeard: "the link was there before blectl listened to the controller"
        case .notAnswered: "the device has not answered"
        case .notMeasured: "the controller does not know it"
        case .failed(let error): error.reason
        }
    }
}
