// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Captures
import Records
import Terminal
import Toolkit

/// An operation of GATT in a capture (`trace --values`).
struct CapturedOperationResult: RecordedResult {
    let operation: CapturedOperation
    var namesDevice = true

    static let record = RecordKind<Self>(
        "operation",
        "an operation of GATT in a capture: `time` is that of its last packet, `monotonic_ns` from the first packet of the file"
    ) {
        RecordField("operation", .string, "`read`, `write`, `subscription`, `notification` or `indication`") { $0.verb }
        RecordField("procedure", orNull: .string, "procedure of a write, as in the records of `write`") {
            guard case .write(let procedure) = $0.operation.kind else { return nil }
            return procedure.rawValue
        }
        RecordField("direction", .string, "`sent` if the host has begun it, `received` if the device has") {
            $0.operation.isFromHost ? "sent" : "received"
        }
        RecordField("server", .string, "owner: `device`, or `host`, which captured") {
            $0.operation.isOfHost ? "host" : "device"
        }
        AttributeReference.record.of { $0.operation.attribute }
        RecordField("value", orNull: .hex, "bytes; null if there are none, and with `--redact`") {
            $0.operation.presentation?.bytes
        }
        RecordField("length", orNull: .integer("bytes"), "its length") { $0.operation.presentation?.bytes.count }
        ValuePresentation.meaning.of { $0.operation.presentation }
        RecordField("offset", .integer("bytes"), "where in the value these bytes begin") { $0.operation.offset }
        RecordField("complete", .boolean, "whether the packets have all of the value") { !$0.operation.mayBeCut }
        RecordField("outcome", .string, "`success`, `refused`, `unanswered` or `discarded`") {
            $0.operation.outcome.word
        }
        RecordField("att_error", orNull: .integer, "ATT error code of the answer") {
            $0.operation.outcome.refusal?.rawValue
        }
        RecordField("att_error_name", orNull: .string, "its name") { $0.errorName }
        RecordField("adapter", orNull: .string, "adapter, such as `hci0`, if known") {
            $0.operation.adapter.flatMap { $0 == .none ? nil : $0.description }
        }
        RecordField("connection", orNull: .integer, "handle of the connection") {
            $0.operation.connection?.rawValue
        }
        RecordField("first_packet", .integer, "number of its first packet") { $0.operation.packets.lowerBound }
        RecordField("last_packet", .integer, "number of its last packet") { $0.operation.packets.upperBound }
        RecordField("duration_ns", .integer("ns"), "time between these") {
            $0.operation.duration.clampedNanoseconds
        }
    }

    var timestamp: Timestamp {
        Timestamp(
            wall: operation.time,
            monotonic: Instant(nanoseconds: operation.elapsed.clampedNanoseconds)
        )
    }

    private var verb: String {
        switch operation.kind {
        case .read, .readMultiple: "read"
        case .write: operation.isSubscription ? "subscription" : "write"
        case .notification: "notification"
        case .indication: "indication"
        }
    }

    private var errorName: String? {
        operation.outcome.refusal.map { operation.attribute.name(of: $0) }
    }

    /// `2026-11-20T06:42:11.883291Z    1.234567 < notification C8:4B:1D:3A:90:5E Battery Level: 87 %`.
    func text(_ style: TextStyle) -> String? {
        let operation = operation
        let device = namesDevice ? operation.attribute.device.addressText ?? operation.connection?.description : nil
        let word =
            switch operation.kind {
            case .write(.writeRequest) where operation.isSubscription: "subscribe"
            case .write(.writeRequest): "write"
            case .write(let procedure): procedure.rawValue
            case .read, .readMultiple, .notification, .indication: verb
            }
        let what = [word, device.map { style.paint($0, .faint) }, name(style)].compactMap(\.self).joined(separator: " ")
        let start = "\(timestamp.text(style))  \(PacketText.seconds(operation.elapsed))"
        return "\(start) \(operation.isFromHost ? ">" : "<") \(what)\(ending)"
    }

    /// The attribute by its name, and by its handle if it has none.
    private func name(_ style: TextStyle) -> String {
        let name = operation.attribute.attributeName.map { TerminalText.escaped($0) }
        return style.paint(name ?? operation.attribute.handle.description, .cyan)
    }

    private var ending: String {
        var text = ""
        if operation.offset > 0 { text += " from octet \(operation.offset)" }
        if operation.isRedacted, !operation.value.isEmpty {
            text += ": \(count: operation.value.count, "octet")"
        } else if let presentation = operation.presentation {
            text += ": \(presentation.text)"
        }
        if operation.mayBeCut { text += " …" }
        switch operation.outcome {
        case .success: break
        case .refused(let code):
            let octet = Hex.string(code.rawValue, minimumDigits: 2)
            text += " (refused: \(operation.attribute.name(of: code)), 0x\(octet))"
        case .unanswered: text += " (no answer)"
        case .discarded: text += " (discarded)"
        }
        return text
    }
}

extension CapturedOperation.Outcome {
    fileprivate var word: String {
        switch self {
        case .success: "success"
        case .refused: "refused"
        case .unanswered: "unanswered"
        case .discarded: "discarded"
        }
    }

    /// The error of the server; `nil` for another outcome.
    var refusal: ATTErrorCode? {
        if case .refused(let code) = self { code } else { nil }
    }
}

extension AttributeReference {
    /// The name of an error of the attribute's server: that of the service or, if it has none, that of the protocol.
    func name(of code: ATTErrorCode) -> String {
        service.flatMap { code.name(in: $0) } ?? code.description
    }
}
