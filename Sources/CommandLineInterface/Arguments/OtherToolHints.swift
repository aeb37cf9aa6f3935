// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// Words of other tools, such as gatttool, bluetoothctl, hcitool and bleak, and their equivalents in blectl.
enum OtherToolHints {
    /// The advice for a word of another program: the word of blectl that does the same, or a hint.
    enum Advice: Equatable {
        case word(String)
        case hint(String)
    }

    /// The advice for an unknown command; `nil` if no known tool has it.
    package static func command(_ word: String, among commands: [CommandName]) -> Advice? {
        // Of bleak: `read_gatt_char`.
        let word = String(word.lowercased().map { $0 == "_" ? "-" : $0 })
        if let command = commands.first(where: { $0.type.foreignNames.contains(word) }) {
            return .word(command.rawValue)
        }
        return switch word {
        case "connect", "disconnect", "lecc", "ledc", "con": .hint(held)
        case "power", "up", "down", "reset": .hint("blectl adapter power on|off, blectl adapter reset")
        case "select": .hint("every command takes an adapter: --adapter hci0; 'blectl adapters' lists them")
        case "agent", "default-agent": .hint("'blectl pair' asks on the terminal, or takes --passkey and --confirm")
        case "discoverable", "pairable": .hint("blectl advertise --connectable, or blectl serve")
        case "unsubscribe", "stop-notify": .hint("Ctrl-C ends 'blectl notify', and so do --count and --duration")
        case "mtu": .hint(mtu)
        case "rssi": .hint("blectl scan, or for the signal of a link: blectl link --signal")
        case "sec-level", "security", "set-security": .hint("every command that connects has --security LEVEL")
        case "sniff", "snoop", "snooper", "btmon", "record", "pcap", "hcidump":
            .hint("--capture FILE writes the packets of a command; blectl trace FILE prints such a file")
        case "uart", "serial", "terminal": .hint("blectl watch uart")
        default: nil
        }
    }

    /// The advice for an option that does not exist, with its dashes.
    ///
    /// - Parameter command: The command of the line, if it is known: the same option has other equivalents elsewhere.
    package static func option(_ name: String, of command: CommandName? = nil) -> Advice? {
        if command?.rawValue == "clone", name == "--listen" { return .word("--listen-time") }
        if command?.rawValue == "read", name == "--all" {
            return .hint("all values of a device: blectl inspect --values; those of a service: blectl read 'SERVICE/*'")
        }
        // Of smpmgr and mcumgr.
        if command?.rawValue == "update", name == "--confirm" {
            return .hint("an image that runs is confirmed unless --test is given; --permanent confirms it before")
        }
        if command?.rawValue == "scan", let advice = scanOption(name) { return advice }
        if let option = options.first(where: { $0.words.contains(name) })?.option { return .word(option) }
        return switch name {
        case "-a", "--handle", "-u", "--uuid":
            command?.spec.arguments.contains { $0.value.completion == .target } == false
                ? nil : .hint("the attribute is an argument: handle:0x0018, 0x2A19, battery-level")
        case "--value": .hint("the value is an argument: blectl write TARGET VALUE")
        case "--exec-text": .hint("leave it out: what programs print is text, and --exec-raw takes their bytes")
        case "-I", "--interactive": .hint(held)
        case "--raw", "--hex": .hint("--as \(name.dropFirst(2))")
        case "-m", "--mtu": .hint(mtu)
        case "--with-response", "--response", "--request", "--req":
            .hint("writes have a response unless --no-response is given")
        case "--no-color", "--no-colour": .hint("--color never, or the variable NO_COLOR=1")
        // The actions of gatttool.
        case "--primary", "--characteristics", "--char-desc":
            .hint(
                command?.rawValue == "inspect"
                    ? "leave it out: 'inspect' prints them" : "it is a command: blectl inspect"
            )
        default: nil
        }
    }

    /// The advice for an option of `scan`.
    private static func scanOption(_ name: String) -> Advice? {
        switch name {
        case "-u", "--uuid", "--uuids", "--service-uuid": .word("--service")
        case "--min-rssi", "--rssi-min": .word("--rssi")
        case "--allow-duplicates", "--duplicate-data": .word("--duplicates")
        case "--time", "--scan-time": .word("--duration")
        case "--interval", "--window": .hint("when the radio listens: --scan-interval TIME, --scan-window TIME")
        case "--raw", "--hex": .hint("--json has the octets of each report")
        case "--filter-duplicates", "--no-duplicates": .hint("every device is shown once unless --duplicates is given")
        default: nil
        }
    }

    /// The hint for an operand that a command does not take, and whose place is behind an option of it; `nil` if there
    /// is none. Some commands take a device as an operand, and others as an option.
    static func option(for word: String, of command: CommandName) -> String? {
        let options = command.spec
        // It was one but for the word before it.
        if word.hasPrefix("-"), word.contains(where: \.isLetter) { return "options stand before '--'" }
        if options.option(named: "psm") != nil, UInt16(word) != nil || word.hasPrefix("0x") { return "--psm \(word)" }
        let name = Prose.word(word)
        if word.hasPrefix("hci"), UInt16(word.dropFirst(3)) != nil { return "--adapter \(word)" }
        if command.rawValue == "scan" {
            switch word {
            case "on", "le", "bredr": return "leave it out"
            case "off": return "'blectl scan' ends with Ctrl-C, or after --duration TIME"
            default: return "only devices with that name: --name \(name)"
            }
        }
        if options.arguments.contains(where: { $0.value.completion == .device }) {
            return "a name of several words is quoted, as in 'My Sensor'"
        }
        return options.option(named: "device") == nil ? nil : "a device is named by an option: -d \(name)"
    }

    /// The hint about the exchange of the MTU, which other tools have as a command or an option.
    private static let mtu = "a larger MTU is requested when a value needs it; --link-mtu requests one"

    /// The hint about a connection that outlasts a command.
    private static let held =
        "every command connects, and disconnects when it ends; 'blectl shell' and 'blectl session start' hold the link"

    /// The hint for an option that does not exist, and whose name is a command here or elsewhere; `nil` for another.
    ///
    /// - Parameter typed: The command of the line, if it is known. Then the name is more likely to be of something that
    ///   this command could do, unless it is an action of gatttool, which has its commands as options.
    static func commandHint(
        forOption name: String,
        of typed: CommandName?,
        among commands: [CommandName]
    ) -> String? {
        let name = name.drop { $0 == "-" }
        switch command(String(name), among: commands) {
        case .word(let word)?:
            guard let typed else { return "it is a command: blectl \(word)" }
            guard word != typed.rawValue, name == "listen" || name.contains("-") else { return nil }
            return "it is a command: blectl \(word)"
        case .hint(let text)?: return text
        case nil: return nil
        }
    }

    private static var options: [(option: String, words: [String])] {
        [
            ("--device", ["-b", "--addr", "--mac", "--bdaddr", "--target"]),
            ("--address-type", ["-t", "--addr-type"]),
            ("--adapter", ["--hci", "--interface"]),
            ("--count", ["--limit", "-c"]),
            ("--verbose", ["--debug", "--trace"]),
            ("--quiet", ["--silent"]),
            ("--link-phy", ["--phy"]),
            ("--link-interval", ["--interval", "--connection-interval"]),
            ("--security", ["-l", "--sec-level", "--level"]),
            ("--no-response", ["--without-response", "--no-rsp", "--cmd", "--command"]),
            ("--json", ["--ndjson", "--jsonl"]),
            ("--only", ["--test", "--filter", "--grep"]),
            ("--define", ["--var", "--variable", "--set"]),
        ]
    }
}
