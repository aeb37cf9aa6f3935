// SPDX-License-Identifier: GPL-2.0-or-later

/// Words of other tools, such as gatttool, bluetoothctl, hcitool and bleak, and their equivalents in blectl.
enum ForeignWords {
    /// The advice to a user who types the word of another program: the word of blectl that does the same, or a hint.
    enum Advice: Equatable {
        /// A word of blectl.
        case word(String)
        /// A sentence, as a hint.
        case hint(String)
    }

    /// The advice for an unknown command; `nil` if no known tool has it.
    static func command(_ word: String) -> Advice? {
        let word = word.lowercased()
        if let command = commands.first(where: { $0.words.contains(word) })?.command { return .word(command.rawValue) }
        return switch word {
        case "connect", "disconnect", "interactive":
            .hint("every command connects, and disconnects when it ends; 'blectl inspect' shows a device")
        case "power", "up", "down", "reset": .hint("blectl adapter power on|off, blectl adapter reset")
        case "mtu": .hint("blectl requests a larger MTU when a value needs it; -v shows the exchange")
        default: nil
        }
    }

    /// The advice for an option that does not exist, with its dashes.
    static func option(_ name: String) -> Advice? {
        if let option = options.first(where: { $0.words.contains(name) })?.option { return .word(option) }
        return switch name {
        case "-a", "--handle", "-u", "--uuid":
            .hint("the attribute is an argument: handle:0x0018, 0x2A19, battery-level")
        case "--value": .hint("the value is an argument: blectl write TARGET VALUE")
        case "-I", "--interactive": .hint("every command connects, and disconnects when it ends")
        case "--raw", "--hex": .hint("--as \(name.dropFirst(2))")
        default: nil
        }
    }

    /// The hint for an option that does not exist, and whose name is a command here or elsewhere; `nil` for another.
    static func commandHint(forOption name: String) -> String? {
        switch command(String(name.drop { $0 == "-" })) {
        case .word(let word)?: "it is a command: blectl \(word)"
        case .hint(let text)?: text
        case nil: nil
        }
    }

    private static var commands: [(command: CommandName, words: [String])] {
        [
            (.scan, ["lescan", "discover", "list", "search", "find", "ls"]),
            (
                .inspect,
                [
                    "services", "characteristics", "char-desc", "primary", "gatt", "info", "tree", "dump", "enumerate",
                    "list-attributes",
                ]
            ),
            (.read, ["char-read", "char-read-hnd", "char-read-uuid", "get"]),
            (.write, ["char-write", "char-write-cmd", "char-write-req", "set", "send"]),
            (.notify, ["subscribe", "listen", "indicate", "notifications", "start-notify"]),
            (.watch, ["monitor"]),
            (.serve, ["peripheral", "server", "emulate"]),
            (.advertise, ["leadv", "beacon", "broadcast", "adv", "add-adv", "ibeacon", "eddystone", "altbeacon"]),
            (.pair, ["trust", "bond"]),
            (.unpair, ["remove", "untrust"]),
            (.bonds, ["paired-devices", "keys"]),
            (.devices, ["known-devices"]),
            (.forget, ["clear-cache"]),
            (.adapters, ["controllers", "hciconfig", "dev"]),
            (.doctor, ["diagnose", "troubleshoot", "status", "why"]),
        ]
    }

    private static var options: [(option: String, words: [String])] {
        [
            ("--version", ["-V"]),
            ("--device", ["-b", "--addr", "--mac", "--bdaddr", "--target"]),
            ("--address-type", ["-t", "--addr-type"]),
            ("--adapter", ["--hci", "--interface"]),
            ("--count", ["--limit", "-c"]),
            ("--verbose", ["--debug", "--trace"]),
            ("--quiet", ["--silent"]),
            ("--link-phy", ["--phy"]),
            ("--link-interval", ["--interval", "--connection-interval"]),
        ]
    }
}
