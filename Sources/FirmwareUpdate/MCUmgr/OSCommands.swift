// SPDX-License-Identifier: MIT

package import Bluetooth

/// Has a text sent back. Spec: Zephyr, OS Management Group, Echo
package struct MCUmgrEcho: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 0, .write)

    package let text: String

    package init(_ text: String) { self.text = text }

    package var fields: CBORMap { CBORMap(["d": .text(text)]) }

    /// The text that came back.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> String { try fields.required("r", \.string) }
}

/// Asks for the tasks that run. Spec: Zephyr, OS Management Group, Task statistics
package struct MCUmgrTasks: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 2, .read)

    /// A task. What the system does not count is `nil`.
    package struct Task: Hashable, Sendable {
        package let name: String
        package let priority: Int
        package let identifier: Int
        /// Its state, as the system numbers it.
        package let state: Int
        /// How much of its stack was used, in the system's words: four octets in Zephyr.
        package let stackUse: Int?
        /// The size of its stack, in the same unit.
        package let stackSize: Int?
        /// How often it was switched to.
        package let contextSwitches: Int?
        /// How long it ran, in the system's ticks.
        package let runtime: Int?
    }

    package init() {}

    /// The tasks, in the order of their names.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> [Task] {
        var tasks: [Task] = []
        for (name, item) in try fields.required("tasks", \.fields).named {
            guard let task = item.fields else { throw DecodeError(name, .inconsistent("it has the wrong type")) }
            tasks.append(
                Task(
                    name: name,
                    priority: try task.required("prio", \.integer),
                    identifier: try task.required("tid", \.integer),
                    state: try task.required("state", \.integer),
                    stackUse: try task.optional("stkuse", \.integer),
                    stackSize: try task.optional("stksiz", \.integer),
                    contextSwitches: try task.optional("cswcnt", \.integer),
                    runtime: try task.optional("runtime", \.integer)
                )
            )
        }
        return tasks
    }
}

/// Asks for the time. Spec: Zephyr, OS Management Group, Date-time command
package struct MCUmgrReadTime: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 4, .read)

    package init() {}

    /// The time as the server writes it: `2026-11-29T10:35:00.000000`.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> String {
        try fields.required("datetime", \.string)
    }
}

/// A time as MCUmgr writes it: `2026-11-29T10:35:00`, with parts of a second and a zone if they are known.
///
/// Spec: Zephyr, OS Management Group, Date-time command; RFC 3339, 5.6
package enum MCUmgrTime {
    /// Whether a text is a time. Days and zones are not held to the calendar.
    package static func isValid(_ text: String) -> Bool {
        var rest = Substring(text)
        for (separator, digits, range) in parts {
            if let separator {
                guard rest.first == separator else { return false }
                rest.removeFirst()
            }
            guard let number = number(&rest, digits), range.contains(number) else { return false }
        }
        if rest.first == "." {
            rest.removeFirst()
            let fraction = rest.prefix { $0.isASCII && $0.isNumber }
            guard (1...9).contains(fraction.count) else { return false }
            rest.removeFirst(fraction.count)
        }
        if rest.isEmpty || rest == "Z" { return true }
        guard let sign = rest.popFirst(), "+-".contains(sign) else { return false }
        guard let hours = number(&rest, 2), hours < 24, rest.popFirst() == ":" else { return false }
        guard let minutes = number(&rest, 2), minutes < 60 else { return false }
        return rest.isEmpty
    }

    /// What comes before each number, its digits, and its range.
    private static let parts: [(Character?, Int, ClosedRange<Int>)] = [
        (nil, 4, 0...9_999), ("-", 2, 1...12), ("-", 2, 1...31), ("T", 2, 0...23), (":", 2, 0...59), (":", 2, 0...60),
    ]

    /// Takes a number of that many digits; `nil` if there are fewer.
    private static func number(_ rest: inout Substring, _ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        rest.removeFirst(digits)
        return Int(text)
    }
}

/// Sets the time. Spec: Zephyr, OS Management Group, Date-time command
package struct MCUmgrSetTime: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 4, .write)

    /// The time: `2026-11-29T10:35:00Z`.
    package let text: String

    package init(_ text: String) { self.text = text }

    package var fields: CBORMap { CBORMap(["datetime": .text(text)]) }

    package typealias Response = Void
}

/// Has the device start anew. Spec: Zephyr, OS Management Group, System reset
package struct MCUmgrReset: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 5, .write)

    /// Whether it starts also if it is busy.
    package let isForced: Bool

    /// Starts it anew.
    package init(isForced: Bool = false) { self.isForced = isForced }

    package var fields: CBORMap { CBORMap(["force": isForced ? CBORValue(1) : nil]) }

    package typealias Response = Void
}

/// Asks for the server's buffers, which limit the requests that may wait for it.
///
/// Spec: Zephyr, OS Management Group, MCUmgr parameters
package struct MCUmgrParameters: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 6, .read)

    package struct Buffers: Hashable, Sendable {
        /// The octets of a frame that one buffer takes, with its header.
        package let size: Int
        package let count: Int

        package init(size: Int, count: Int) {
            self.size = size
            self.count = count
        }
    }

    package init() {}

    package static func response(_ fields: CBORMap) throws(DecodeError) -> Buffers {
        Buffers(size: try fields.required("buf_size", \.count), count: try fields.required("buf_count", \.count))
    }
}

/// Asks what the device runs. Spec: Zephyr, OS Management Group, OS/Application info
package struct MCUmgrInformation: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 7, .read)

    /// What is asked for, a letter each; `a` for all.
    package let format: String

    package init(format: String = "a") { self.format = format }

    package var fields: CBORMap { CBORMap(["format": .text(format)]) }

    /// The answer, as one line.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> String {
        try fields.required("output", \.string)
    }
}

/// Asks for the boot loader. Spec: Zephyr, OS Management Group, Bootloader information
package struct MCUmgrBootLoader: MCUmgrRequest {
    package static let call = MCUmgrCall(.os, 8, .read)

    package init() {}

    /// Its name: `MCUboot`.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> String {
        try fields.required("bootloader", \.string)
    }
}
