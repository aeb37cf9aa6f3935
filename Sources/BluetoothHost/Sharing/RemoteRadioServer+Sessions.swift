// SPDX-License-Identifier: MIT

import Bluetooth

extension RemoteRadioServer {
    /// Lends a link to other processes, and answers their questions about it.
    ///
    /// - Parameters:
    ///   - guests: The system for the guests.
    ///   - time: The clock of the requests' deadlines.
    ///   - describe: Describes the session.
    ///   - perform: Carries out the command line of a process, and replies until it has ended.
    ///   - onStop: Called when a process has ended the session, after it was answered.
    package convenience init(
        guests: SharedRadioSystem,
        time: any TimeSource,
        describe: @escaping @Sendable () -> SessionDescription,
        perform: @escaping @Sendable ([UInt8], SessionReplies) async -> Void,
        onStop: @escaping @Sendable () -> Void
    ) {
        self.init(
            time: time,
            guests: guests,
            introduction: { describe().encoded() },
            perform: { await perform($0, SessionReplies(channel: $1)) },
            answer: { bytes in
                guard let request = try? SessionRequest(decoding: bytes) else { return Answer(packets: []) }
                return Answer(packets: [describe().encoded()]) { if request == .stop { onStop() } }
            }
        )
    }
}
