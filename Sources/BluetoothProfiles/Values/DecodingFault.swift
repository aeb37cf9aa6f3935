// SPDX-License-Identifier: MIT

import Bluetooth

/// A fault of a value with a known format. The fields before it are decoded nevertheless.
public struct DecodingFault: Hashable, Sendable {
    /// The kind of fault; indirect, because it is part of every decoded value, and few have one.
    public indirect enum Reason: Hashable, Sendable {
        /// The field needs more octets than are left. It and those after it are not decoded.
        case tooShort(needed: Int, available: Int)
        /// The octets contradict each other, or the format. The field and those after it are not decoded.
        case contradictory(String)
        /// The specification does not allow the number, which is decoded nevertheless.
        case outOfRange(value: DecimalNumber, lowest: DecimalNumber, highest: DecimalNumber)
        /// The specification reserves the integer, so it has no number.
        case reserved(value: DecimalNumber)
        /// There are more octets than the format covers. They are in `DecodedValue.surplus`.
        case surplus

        /// The word in JSON records: `too-short`.
        public var name: String {
            switch self {
            case .tooShort: "too-short"
            case .contradictory: "contradictory"
            case .outOfRange: "out-of-range"
            case .reserved: "reserved"
            case .surplus: "surplus"
            }
        }

        /// All words.
        public static var names: [String] { ["too-short", "contradictory", "out-of-range", "reserved", "surplus"] }
    }

    /// The way to the field through the decoded value: `records[1].time_offset_min`; empty for the whole value.
    public var path: [FieldError.Step]
    /// The name of the field in lower case; empty for the whole value.
    public let name: String
    /// The fault.
    public let reason: Reason

    init(_ name: String, _ reason: Reason) {
        path = []
        self.name = name
        self.reason = reason
    }

    init(_ error: DecodeError) {
        switch error.reason {
        case .truncated(let needed, let available):
            self.init(error.field, .tooShort(needed: needed, available: available))
        case .trailing(let count):
            self.init(error.field, .contradictory("\(count: count, "octet") left over"))
        case .invalid(let value):
            self.init(error.field, .contradictory("\(value) is not possible"))
        case .inconsistent(let why):
            self.init(error.field, .contradictory(why))
        }
    }

    /// Whether the field at fault and those after it could not be decoded.
    public var isEnd: Bool {
        switch reason {
        case .tooShort, .contradictory: true
        case .outOfRange, .reserved, .surplus: false
        }
    }

    /// The fault as an error of decoding; `nil` if the value was decoded to its end.
    var error: DecodeError? {
        switch reason {
        case .tooShort(let needed, let available): DecodeError(name, .truncated(needed: needed, available: available))
        case .contradictory(let why): DecodeError(name, .inconsistent(why))
        case .outOfRange, .reserved, .surplus: nil
        }
    }

    /// The fault within another value.
    func under(_ step: FieldError.Step) -> DecodingFault {
        var fault = self
        fault.path.insert(step, at: 0)
        return fault
    }

    /// The way to the field as text.
    public var pathText: String { FieldError(path, nil, .missing(allowed: nil)).pathText }

    /// Keeps the most informative fault: the first that ended the decoding, or else the first.
    static func keep(_ fault: DecodingFault, in kept: inout DecodingFault?) {
        guard let known = kept else { return kept = fault }
        if fault.isEnd, !known.isEnd { kept = fault }
    }
}

extension DecodingFault: CustomStringConvertible {
    /// `cut off at rr intervals (needs 2 octets, 1 is left)`
    public var description: String {
        let place = name.isEmpty ? "" : "\(name): "
        switch reason {
        case .tooShort(let needed, let available):
            let rest = available == 0 ? "none is left" : available == 1 ? "1 is left" : "\(available) are left"
            return "cut off\(name.isEmpty ? "" : " at \(name)") (needs \(count: needed, "octet"), \(rest))"
        case .contradictory(let why): return place + why
        case .outOfRange(let value, let lowest, let highest):
            return "\(place)\(value) is not between \(lowest) and \(highest)"
        case .reserved(let value): return "\(place)\(value) is reserved"
        case .surplus: return "more octets than expected"
        }
    }
}

extension DecodedValue {
    /// The keys of `faultContent`.
    public static var faultKeys: [String] {
        ["kind", "field", "needed", "available", "value", "lowest", "highest", "octets", "message"]
    }

    /// The fault as a tree, with all keys in every case; `null` if there is none.
    public var faultContent: Content {
        guard let fault else { return .null }
        var members: [String: Content] = [
            "kind": .string(fault.reason.name), "field": fault.path.isEmpty ? .null : .string(fault.pathText),
            "octets": surplus.isEmpty ? .null : .string(Hex.string(surplus)),
            "message": .string(surplus.isEmpty || fault.reason != .surplus ? fault.description : surplusText),
        ]
        switch fault.reason {
        case .tooShort(let needed, let available):
            members["needed"] = .number(needed)
            members["available"] = .number(available)
        case .outOfRange(let value, let lowest, let highest):
            members["value"] = .number(value)
            members["lowest"] = .number(lowest)
            members["highest"] = .number(highest)
        case .reserved(let value):
            members["value"] = .number(value)
        case .contradictory, .surplus:
            break
        }
        return .object(Self.faultKeys.map { .init($0, members[$0] ?? .null) })
    }
}
