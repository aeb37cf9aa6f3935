// SPDX-License-Identifier: GPL-2.0-or-later

/// Whose packets an interface in Wireshark has.
enum CaptureInterface: Hashable {
    case adapter(String)
    case session(String)
    /// All programs in a shared world.
    case world

    /// What the names of interfaces begin with, so that they differ from those of other programs.
    private static let prefix = "blectl-"
    private static let session = "session-"

    /// The interface of that name, with or without `blectl-`.
    init(_ name: String) {
        let name = name.hasPrefix(Self.prefix) ? String(name.dropFirst(Self.prefix.count)) : name
        self =
            if name == "world" {
                .world
            } else if name.hasPrefix(Self.session) {
                .session(String(name.dropFirst(Self.session.count)))
            } else {
                .adapter(name)
            }
    }

    var name: String {
        switch self {
        case .adapter(let adapter): Self.prefix + adapter
        case .session(let label): Self.prefix + Self.session + label
        case .world: Self.prefix + "world"
        }
    }
}
