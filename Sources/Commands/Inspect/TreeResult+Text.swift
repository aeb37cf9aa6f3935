// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Terminal
import Toolkit

/// The widths of the columns of a tree as text, so that handles, properties and values stand below each other.
struct TreeLayout: Sendable, Equatable {
    /// The widest label, with the lines of the tree before it.
    var labelColumns = 0
    /// The widest list of properties, in its brackets.
    var propertyColumns = 0
    /// The names of characteristics.
    var formats = FormatCatalogue.assigned

    mutating func include(_ node: TreeResult.Node, _ branch: TreeBranch) {
        switch node {
        case .service, .include: break
        case .characteristic(let characteristic, _):
            let label = TreeResult.label(of: characteristic, formats)
            labelColumns = max(labelColumns, branch.width + TerminalText.width(of: label.text))
            propertyColumns = max(propertyColumns, "[\(characteristic.properties)]".utf8.count)
        case .descriptor(let descriptor, _, _):
            let label = TreeResult.label(of: descriptor)
            labelColumns = max(labelColumns, branch.width + TerminalText.width(of: label.text))
        }
    }
}

extension TreeResult {
    /// An attribute by its UUID, and by its name if it has one.
    fileprivate struct Label {
        let uuid: BluetoothUUID
        /// The assigned name, or that of a private format; `nil` if there is none.
        let name: String?

        /// The label without colours, whose width counts for the columns.
        var text: String { name.map { "\($0) (\(uuid))" } ?? uuid.description }

        /// The label with the part in colour that a reader looks for.
        func painted(_ style: TextStyle) -> String {
            guard let name else { return style.paint(uuid.description, .cyan) }
            return "\(style.paint(name, .cyan)) (\(uuid))"
        }
    }

    /// The least number of columns for a value on a terminal, however narrow that is.
    private static let leastValueColumns = 24

    /// The least number of columns for labels, below which a terminal has no columns.
    private static let leastLabelColumns = 32

    /// The label of a characteristic, for which private formats may have a name.
    fileprivate static func label(of characteristic: GATTCharacteristic, _ formats: FormatCatalogue) -> Label {
        Label(uuid: characteristic.uuid, name: formats.name(ofCharacteristic: characteristic.uuid))
    }

    /// The label of a descriptor. Only assigned descriptors have names.
    fileprivate static func label(of descriptor: GATTDescriptor) -> Label {
        Label(uuid: descriptor.uuid, name: AssignedNumbers.name(ofDescriptor: descriptor.uuid))
    }

    /// The line of the tree. Without Unicode the ellipsis becomes two dots.
    func text(_ style: TextStyle) -> String? {
        let line = styled(style)
        guard !style.usesUnicode else { return line }
        return TerminalText.ascii(line.split(separator: "…", omittingEmptySubsequences: false).joined(separator: ".."))
    }

    /// The line with the lines of the tree before it. The kinds of nodes differ in the part after the label.
    private func styled(_ style: TextStyle) -> String {
        let start = branch.text(style.glyphs)
        switch node {
        case .service:
            let kind = service.isPrimary ? "service" : "secondary service"
            let label = Label(uuid: service.uuid, name: formats.name(ofService: service.uuid))
            return "\(start)\(kind) \(label.painted(style))  \(style.paint(service.range.description, .faint))"
        case .include(let include):
            let label = include.uuid.map { Label(uuid: $0, name: formats.name(ofService: $0)).painted(style) }
            let range = style.paint(include.range.description, .faint)
            return "\(start)includes \(label ?? "a service")  \(range)"
        case .characteristic(let characteristic, let value):
            return line(
                Self.label(of: characteristic, formats),
                characteristic.valueHandle,
                "[\(characteristic.properties)]",
                value,
                style
            )
        case .descriptor(let descriptor, _, let value):
            return line(Self.label(of: descriptor), descriptor.handle, "", value, style)
        }
    }

    /// The line of a characteristic or a descriptor: label, handle, properties and value in columns.
    ///
    /// A narrow terminal gets no columns, so that room is left for the value.
    private func line(
        _ label: Label,
        _ handle: Handle,
        _ properties: String,
        _ value: Value?,
        _ style: TextStyle
    ) -> String {
        let width = branch.width + TerminalText.width(of: label.text)
        // In a narrow terminal blanks would only push the values into another line. A label that leaves no room for
        // them stands alone outside of the columns.
        let room = style.columns.map { $0 - layout.propertyColumns - 20 } ?? layout.labelColumns
        let isNarrow = room < Self.leastLabelColumns && room < layout.labelColumns
        let labelColumns = isNarrow ? width : max(width, min(room, layout.labelColumns))
        var line = branch.text(style.glyphs) + label.painted(style)
        line += String(repeating: " ", count: labelColumns - width + 2) + style.paint(handle.description, .faint)
        var columns = labelColumns + 2 + handle.description.utf8.count
        if !properties.isEmpty {
            line += "  " + properties
            columns += 2 + properties.utf8.count
        }
        guard let value else { return line }
        if !isNarrow {
            let end = labelColumns + 2 + handle.description.utf8.count + 2 + layout.propertyColumns
            line += String(repeating: " ", count: max(0, end - columns))
            columns = max(columns, end)
        }
        if let error = value.error { return "\(line)  ! \(style.paint(error, .red))" }
        guard let presentation = value.presentation else { return line }
        return "\(line)  = \(Self.text(presentation, room: style.columns.map { $0 - columns - 5 }, style))"
    }

    /// A value; on a terminal at most as long as the rest of the line, with its length if it is cut.
    private static func text(_ value: ValuePresentation, room: Int?, _ style: TextStyle) -> String {
        let text = value.text
        guard let room else { return text }
        let limit = max(leastValueColumns, room)
        guard TerminalText.width(of: text) > limit else { return text }
        let length = " (\(count: value.bytes.count, "octet"))"
        return TerminalText.fitted(text, columns: limit - length.utf8.count, ellipsis: style.glyphs.ellipsis)
            + style.paint(length, .faint)
    }
}
