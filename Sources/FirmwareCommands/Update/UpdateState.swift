// SPDX-License-Identifier: GPL-2.0-or-later

/// What has become of the device, for whoever the update leaves alone.
enum UpdateState: Sendable, Equatable {
    case untouched
    case uploading(Int, of: Int)
    case uploaded
    /// The image is started once, at the next start.
    case chosen
    /// It is started for good.
    case kept
    case starting
    case running
    case putBack

    /// The state in words, to follow a semicolon.
    var words: String {
        switch self {
        case .untouched: "the device is as it was"
        case .uploading(let octets, let total):
            "the device has \(octets) of \(total) octets of the new image, and runs the old one"
        case .uploaded: "the device has the new image, and runs the old one, also after its next start"
        case .chosen: "the device runs the old image, and starts the new one as a test at its next start"
        case .kept: "the device runs the old image, and starts the new one for good at its next start"
        case .starting:
            "the device was told to start the new image; unless that is confirmed, the start after it puts the old one back"
        case .running: "the new image runs; unless it is confirmed, the next start puts the old one back"
        case .putBack: "the device runs its old image"
        }
    }

    /// What to type.
    var hint: String {
        switch self {
        case .untouched, .uploading, .uploaded: "the same command goes on from there"
        case .chosen, .kept: "'blectl mcumgr reset' starts it"
        case .starting: "'blectl mcumgr images' shows what runs"
        case .running: "'blectl mcumgr images confirm' keeps it"
        case .putBack: "'blectl mcumgr images' shows both images"
        }
    }
}
