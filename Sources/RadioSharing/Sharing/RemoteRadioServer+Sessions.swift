// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost

extension RemoteRadioServer {
    /// Lends a link to other processes, and answers their questions about it.
    ///
    /// - Parameters:
    ///   - guests: The system for the guests.
    ///   - time: The clock of the requests' deadlines.
    ///   - describe: Describes the session.
    ///   - capture: Begins a capture of all packets of the session.
    ///   - onStop: Called when a process has ended the session, after it was answered.
    package convenience init(
        guests: SharedRadioSystem,
        time: any TimeSource,
        describe: @escaping @Sendable () -> SessionDescription,
        capture: (@Sendable () -> any PacketChannel)? = nil,
        onStop: @escaping @Sendable () -> Void
    ) {
        self.init(
            time: time,
            guests: guests,
            answer: { bytes in
                guard let request = try? SessionRequest(decoding: bytes) else { return Answer(packets: []) }
                return Answer(packets: [describe().encoded()]) { if request == .stop { onStop() } }
            },
            capture: capture
        )
    }
}
