// SPDX-License-Identifier: MIT

/// One fault of a device file or a world file.
public struct DeviceFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file.
    public let file: String
    /// The line, counted from 1.
    public let line: Int
    /// The position on the line in characters, counted from 1; `nil` unless the text is not JSON.
    public let column: Int?
    /// The JSON path of the value, `services[0].uuid`; empty if the text is not JSON.
    public let path: String
    /// The fault, as a sentence without a full stop. It may contain text of the file, unescaped.
    public let message: String

    /// Creates an error.
    public init(file: String, line: Int, column: Int? = nil, path: String, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
    }

    /// `strap.json:14: services[0].uuid: 'batery' is not …`
    public var description: String {
        let place = "\(file):\(line)" + (column.map { ":\($0)" } ?? "")
        return path.isEmpty ? "\(place): \(message)" : "\(place): \(path): \(message)"
    }
}

/// All faults of a file, in the order of its lines.
public struct DeviceFileErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faults; at least one.
    public let errors: [DeviceFileError]
    /// Whether there are more, because reading stops when a file has very many.
    public let isIncomplete: Bool

    /// Creates the collection.
    public init(_ errors: [DeviceFileError], isIncomplete: Bool = false) {
        self.errors = errors
        self.isIncomplete = isIncomplete
    }

    /// One line for each fault.
    public var description: String {
        errors.map(\.description).joined(separator: "\n") + (isIncomplete ? "\nand more" : "")
    }
}

struct FaultCollector: Sendable {
    /// The number of faults after which reading stops.
    static let limit = 200

    let file: String
    /// The faults in the order in which they were found.
    private(set) var errors: [DeviceFileError] = []
    /// Whether the limit is reached, and reading should stop.
    private(set) var isFull = false

    init(file: String) { self.file = file }

    var isEmpty: Bool { errors.isEmpty }

    /// Adds a fault at the place of a value. The message is only made if there is room for the fault.
    mutating func add(_ cursor: JSONCursor, _ message: @autoclosure () -> String) {
        add(line: cursor.line, cursor.path, message())
    }

    /// Adds a fault at a place without a value, such as a missing line of a table.
    mutating func add(line: Int, _ path: JSONPath, _ message: @autoclosure () -> String) {
        guard errors.count < Self.limit else {
            isFull = true
            return
        }
        let error = DeviceFileError(file: file, line: line, path: path.description, message: message())
        // Two rules may find the same fault in the same value.
        if !errors.contains(error) { errors.append(error) }
    }

    /// All faults, ordered by line.
    var all: DeviceFileErrors {
        // The standard library does not promise a stable order, so that faults of the same line are ordered by their
        // offset.
        let sorted = errors.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
        return DeviceFileErrors(sorted.map(\.element), isIncomplete: isFull)
    }
}
