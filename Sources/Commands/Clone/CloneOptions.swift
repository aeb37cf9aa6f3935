// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

struct CloneOptions: Sendable, Equatable {
    var readsValues = false
    /// How long to record notifications; `nil` does not record.
    var recordingTime: Duration?
    var listeningTime = Duration.seconds(3)
    /// The path of the device file; `nil` for standard output.
    var output: String?
    /// The capture that the device is cloned from; `nil` for the device itself.
    var capture: String?
    /// The file that tells what handles in the capture are; `nil` for none.
    var hint: String?
}

extension CloneOptions {
    init(_ arguments: ParsedArguments) {
        readsValues = arguments[CloneCommand.values]
        recordingTime = arguments[CloneCommand.record]
        listeningTime = arguments[CloneCommand.listenTime]
        output = arguments[CloneCommand.output]
        capture = arguments[CloneCommand.capture]
        hint = arguments[CloneCommand.hint]
    }
}
