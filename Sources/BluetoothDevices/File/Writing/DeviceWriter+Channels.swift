// SPDX-License-Identifier: MIT

import Bluetooth

extension DeviceWriter {
    /// A channel of L2CAP with its behaviour. Its parameters are written only if they differ from the defaults.
    static func channel(_ channel: DeviceChannel) -> JSONNode {
        let usual = DeviceChannel(spsm: channel.spsm, behavior: channel.behavior)
        let word: String
        var octets: Int?
        switch channel.behavior {
        case .echo: word = "echo"
        case .sink: word = "sink"
        case .source(let count):
            word = "source"
            octets = count
        }
        let needed = channel.requirement
        let security = needed.authentication ? "authenticated" : needed.isOpen ? "none" : "encrypted"
        return .object([
            "psm": .number(channel.spsm.rawValue),
            "does": .string(word),
            "octets": octets.map { .number($0) },
            "mtu": unless(usual.mtu, channel.mtu) { .number($0) },
            "mps": unless(usual.mps, channel.mps) { .number($0) },
            "credits": unless(usual.credits, channel.credits) { .number($0) },
            "connections": unless(usual.maximumChannels, channel.maximumChannels) { .number($0) },
            "security": unless("none", security) { .string($0) },
        ])
    }
}
