// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// Values whose words come from BluetoothProfiles, so that additions there are accepted and completed without a change
/// here.
extension ValueSyntax where Value == ValueFormat {
    /// The name of a format of bytes: `u16be`.
    static var format: ValueSyntax {
        ValueSyntax(name: "FORMAT", completion: .format) { text throws(ValueProblem) in
            do {
                return try ValueFormat(text)
            } catch {
                throw ValueProblem(
                    expectation: "expected a format such as hex, utf8, raw, u8, s16 or u32be",
                    suggestion: Suggestion.closest(to: text, among: ValueFormat.names)
                )
            }
        }
    }
}

extension ValueSyntax where Value == Profile {
    /// The name of a profile that can be watched.
    static var profile: ValueSyntax {
        ValueSyntax(
            name: "PROFILE",
            choices: { Profile.all.map { Choice(word: $0.name, summary: $0.title) } }
        ) { text throws(ValueProblem) in
            guard let profile = Profile.named(text) else {
                let names = Profile.all.map(\.name)
                let words = "expected \(Prose.list(names.map { "'\($0)'" }))"
                if let name = Suggestion.closest(to: text, among: names) {
                    throw ValueProblem(expectation: words, suggestion: name)
                }
                throw ValueProblem(expectation: "\(words); other values: blectl notify \(notifyTarget(for: text))")
            }
            return profile
        }
    }

    /// The characteristic that a user may have meant by something that is no profile, for `notify`.
    private static func notifyTarget(for text: String) -> String {
        let service = AssignedNumbers.suggestions(for: text, kinds: [.service], limit: 1).first
            .flatMap { AssignedNumbers.uuids(named: $0, kinds: [.service]).first?.uuid }
        let name = service.flatMap { AssignedNumbers.mainCharacteristic(ofService: $0) }
            .flatMap { AssignedNumbers.name(ofCharacteristic: $0) }
            .map { AssignedNumber.slug($0) }
        let other = AssignedNumbers.suggestions(for: text, kinds: [.characteristic], limit: 1).first
        return name ?? other ?? "CHARACTERISTIC"
    }
}

extension ValueSyntax where Value == DeviceIdentifier {
    /// A device: its address or its name.
    static func device(_ name: String) -> ValueSyntax {
        ValueSyntax(name: name, completion: .device) { text throws(ValueProblem) in
            guard !text.isEmpty else { throw ValueProblem(expectation: "it is empty") }
            do throws(DeviceIdentifier.Problem) {
                return try DeviceIdentifier(text)
            } catch {
                throw ValueProblem(expectation: error.expectation)
            }
        }
    }
}

extension Completion {
    /// The words to offer with their meanings; empty if they have none.
    var described: [Choice] {
        switch self {
        case .format: ValueFormat.names.map { Choice(word: $0, summary: (try? ValueFormat($0))?.summary ?? "") }
        case .servedDevice: ServeSpec.devices
        case .advertisedForm: AdvertisedForm.allCases.map { Choice(word: $0.rawValue, summary: $0.summary) }
        default: []
        }
    }

    /// The words to offer, if they are known in advance.
    var words: [String] {
        switch self {
        case .nothing, .file, .fileBehindAt, .adapter, .device, .socket: []
        case .format, .servedDevice, .advertisedForm: described.map(\.word)
        case .serviceName: AssignedNumbers.slugs([.service])
        case .target: AssignedNumbers.slugs([.characteristic])
        }
    }
}
