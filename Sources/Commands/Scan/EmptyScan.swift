// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Terminal
import Toolkit

/// The words for a scan that has shown no device: they distinguish silence from filters that hide everything.
struct EmptyScan {
    /// The time after which silence is worth a remark. Most devices advertise at least every two seconds.
    static let patience = Duration.seconds(5)

    let filter: ScanFilter
    /// Whether scannable devices were asked for their scan responses.
    let isActive: Bool
    let phy: ScanPHY
    let deviceCount: Int
    /// Those of them that are still known.
    let heard: [AdvertiserInfo]

    /// That there was no report.
    static func silence(_ time: Duration) -> String { "nothing was heard in \(NumberText.age(time))" }

    /// That no device passes the filters.
    static func hidden(_ count: Int, by filter: String) -> String {
        "\(count: count, "device") heard, but none passes: \(filter)"
    }

    /// The remark at the end of the scan; `nil` if it was too short to say anything.
    func remark(after time: Duration) -> String? {
        guard deviceCount > 0 else {
            guard time >= Self.patience else { return nil }
            let advice =
                phy == .coded
                ? "few devices advertise on LE Coded; without --phy, all PHYs are listened to"
                : "is a device near and switched on? 'blectl doctor' checks the adapter"
            return "\(Self.silence(time)): \(advice)"
        }
        let words = filter.words
        guard !words.isEmpty else { return nil }
        let text = Self.hidden(deviceCount, by: words)
        if let option = optionForNear { return "\(text); did you mean \(option)?" }
        guard !isActive, isByName else { return text }
        return "\(text); with --passive, names in scan responses are not heard"
    }

    /// The names and the patterns that the filters contain.
    private var wantedNames: [String] {
        let devices = filter.devices.compactMap { device -> String? in
            guard case .name(let name) = device else { return nil }
            return name
        }
        return filter.names.map(\.pattern) + devices
    }

    private var isByName: Bool { !wantedNames.isEmpty }

    /// The option for a device that passes all filters but those of names, and whose name is similar to a wanted one;
    /// `nil` if there is none.
    private var optionForNear: String? {
        // A device that is similar in one of them would not pass the other.
        guard filter.names.isEmpty || filter.devices.isEmpty else { return nil }
        var others = filter
        (others.names, others.devices) = ([], [])
        let candidates = heard.filter { others.accepts($0) }.sorted(by: .seen)
        let names = candidates.compactMap { $0.name?.text }
        for wanted in wantedNames {
            guard let near = Suggestion.name(closestTo: wanted, among: names),
                let device = candidates.first(where: { $0.name?.text == near })
            else { continue }
            // A user cannot type a name with invisible characters, and some names would be read as an address or an
            // option. The hint then has the address.
            let isTyped =
                near == TerminalText.escaped(near) && !near.hasPrefix("-")
                && (try? DeviceIdentifier(near)) == DeviceIdentifier.name(near)
            return "-d \(isTyped ? Prose.word(near) : device.address.address.description)"
        }
        return nil
    }
}
