// SPDX-License-Identifier: MIT

/// Where a controller is that is not the kernel's. Its name takes the place of an adapter's.
package enum ControllerPlace: Hashable, Sendable {
    /// At a stream socket in the file system: `unix:PATH`.
    case unix(path: String)
    /// At a port of a machine: `tcp:HOST:PORT`.
    case tcp(host: String, port: UInt16)
    /// At a serial port, with its speed in bits a second: `serial:PATH[,SPEED][,flow]`.
    case serial(path: String, speed: UInt32, hasFlowControl: Bool)
    /// On USB: `usb`, `usb:0a12:0001`, `usb:1-1.4`.
    case usb(USBPlace)
    /// One that `blectl` on another machine lends, its first one if none is named: `ssh:HOST[:PORT][/ADAPTER]`.
    case ssh(host: String, adapter: String?)
    /// That of an adapter of the kernel, which is taken from it for the time: `user:hciN`.
    case user(adapter: Int)

    /// The longest path that fits into the address of a socket, in octets: unix(7).
    private static let maximumPathLength = 107
    /// The speed of a serial port, unless it is given: that of Zephyr's `hci_uart`.
    private static let usualSpeed: UInt32 = 1_000_000

    /// Whether a text is meant as a place, well-formed or not.
    package static func isMeant(by text: String) -> Bool {
        text == "usb" || ["unix:", "tcp:", "serial:", "usb:", "ssh:", "user:"].contains { text.hasPrefix($0) }
    }

    /// The names of adapters and places in a list with commas. A comma in a place begins no other one unless an adapter
    /// or a place follows: `serial:/dev/ttyACM0,1000000,flow,hci1` has two.
    ///
    /// - Parameter isAdapter: Whether a text means an adapter of the kernel.
    package static func names(in list: String, isAdapter: (String) -> Bool) -> [String] {
        var names: [String] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
            if let last = names.last, isMeant(by: last), !isMeant(by: part), !isAdapter(part) {
                names[names.count - 1] += "," + part
            } else {
                names.append(part)
            }
        }
        return names
    }

    /// Parses a name; `nil` if it has another form. An IPv6 address is in brackets: `tcp:[::1]:6402`.
    package init?(_ name: String) {
        guard let colon = name.firstIndex(of: ":") else {
            guard name == "usb" else { return nil }
            self = .usb(.first)
            return
        }
        let rest = name[name.index(after: colon)...]
        switch name[..<colon] {
        case "unix":
            guard (1...Self.maximumPathLength).contains(rest.utf8.count) else { return nil }
            self = .unix(path: String(rest))
        case "tcp": self.init(hostAndPort: rest)
        case "serial": self.init(portAndSpeed: rest)
        case "usb":
            guard let place = USBPlace(rest) else { return nil }
            self = .usb(place)
        case "ssh": self.init(hostAndAdapter: rest)
        case "user":
            guard rest.hasPrefix("hci"), let number = UInt16(rest.dropFirst(3)), rest == "hci\(number)" else {
                return nil
            }
            self = .user(adapter: Int(number))
        default: return nil
        }
    }

    private init?(hostAndPort text: Substring) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard (1...253).contains(host.utf8.count) else { return nil }
        self = .tcp(host: String(host), port: port)
    }

    private init?(hostAndAdapter text: Substring) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, (1...253).contains(host.utf8.count), parts.last?.isEmpty == false,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        // A dash would make it an option of ssh.
        guard let name = Self.sshWords(for: String(host)).last, !name.isEmpty, !name.hasPrefix("-") else { return nil }
        self = .ssh(host: String(host), adapter: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// A host as words of ssh's command line: with `-p` for a port after a colon, and without the brackets of an IPv6
    /// address. The last one is the host.
    package static func sshWords(for host: String) -> [String] {
        let end = host.lastIndex(of: ":").flatMap { colon -> (name: Substring, port: UInt16)? in
            let name = host[..<colon]
            // Without brackets, several colons are those of an IPv6 address.
            guard let port = UInt16(host[host.index(after: colon)...]), port > 0,
                name.hasSuffix("]") || !name.contains(":")
            else { return nil }
            return (name, port)
        }
        var name = end?.name ?? Substring(host)
        if name.hasSuffix("]"), let bracket = name.firstIndex(of: "[") {
            name = name[..<bracket] + name[name.index(after: bracket)...].dropLast()
        }
        return (end.map { ["-p", "\($0.port)"] } ?? []) + [String(name)]
    }

    private init?(portAndSpeed text: Substring) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let hasFlowControl = parts.count > 1 && parts.last == "flow"
        if hasFlowControl { parts.removeLast() }
        var speed = Self.usualSpeed
        if parts.count > 1, let last = parts.popLast() {
            guard let given = UInt32(last), given > 0 else { return nil }
            speed = given
        }
        guard parts.count == 1, let path = parts.first, (1...4_095).contains(path.utf8.count) else { return nil }
        self = .serial(path: String(path), speed: speed, hasFlowControl: hasFlowControl)
    }

    /// What to look at if no controller answers there, in a person's words; `nil` if nothing can be said.
    package var advice: String? {
        switch self {
        case .unix: "start the program that listens there: btvirt -s, or blectl radio serve"
        case .tcp: "start the controller there, or look at the name and the port"
        case .serial(let path, let speed, let hasFlowControl):
            "'ls /dev/tty[AU]*' shows the ports; the firmware may have another speed or flow control: serial:\(path),"
                + "\(speed == Self.usualSpeed ? 115_200 : Self.usualSpeed)\(hasFlowControl ? "" : ",flow")"
        case .usb: "pull it out, and plug it in again"
        case .ssh, .user: nil
        }
    }

    /// How it is attached, in the words in which the kernel says it of its adapters.
    package var bus: String {
        switch self {
        case .usb: "usb"
        case .serial: "uart"
        case .unix, .tcp, .ssh, .user: "socket"
        }
    }

    /// The name: `unix:/tmp/bt-server-le`, `tcp:localhost:6402`, `serial:/dev/ttyACM0,1000000,flow`, `user:hci0`.
    package var name: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .usb(let place): place.name
        case .user(let adapter): "user:hci\(adapter)"
        case .tcp(let host, let port): "tcp:\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .ssh(let host, let adapter): "ssh:\(host)" + (adapter.map { "/\($0)" } ?? "")
        case .serial(let path, let speed, let hasFlowControl): "serial:\(path),\(speed)\(hasFlowControl ? ",flow" : "")"
        }
    }
}
