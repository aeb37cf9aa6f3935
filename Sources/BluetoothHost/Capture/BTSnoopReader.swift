// SPDX-License-Identifier: MIT

public import Bluetooth

/// The place at which a btsnoop file becomes unreadable, and the reason.
public struct BTSnoopError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of octets before the header or the record that is at fault.
    public let offset: UInt64
    /// The fault.
    public let cause: DecodeError

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - cause: The fault.
    ///   - offset: The number of octets before the header or the record that is at fault.
    public init(_ cause: DecodeError, at offset: UInt64) {
        self.cause = cause
        self.offset = offset
    }

    /// `octet 4711: packet data: needs 12 octets, 3 left`
    public var description: String { "octet \(offset): \(cause)" }
}

/// Reads a btsnoop file as its octets arrive. It holds no more than one record and what was appended last.
///
/// ```
/// reader.append(octets)
/// while let record = try reader.next() { … }
/// try reader.finish()
/// ```
public struct BTSnoopReader: Sendable {
    /// The header; `nil` before its octets have arrived.
    public private(set) var header: BTSnoopHeader?
    /// The number of octets before the next record.
    public private(set) var offset: UInt64 = 0

    private var buffer: [UInt8] = []
    private var start = 0

    /// Creates a reader at the beginning of a file.
    public init() {}

    /// Appends octets of the file.
    public mutating func append(_ octets: some Sequence<UInt8>) {
        // Read octets are removed here and not with each record, which would move all that follow it.
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: octets)
    }

    /// The next record; `nil` if more octets are needed. Throws if the file is of another kind or damaged; there is no
    /// way to find the next record then.
    public mutating func next() throws(BTSnoopError) -> BTSnoopRecord? {
        if header == nil {
            guard buffer.count - start >= BTSnoopHeader.length else {
                // Another kind of file is known by its first octets, however few it has.
                let known = buffer[start...].prefix(BTSnoopHeader.identification.count)
                guard BTSnoopHeader.identification.starts(with: known) else {
                    throw BTSnoopError(BTSnoopHeader.otherFile, at: 0)
                }
                return nil
            }
            header = try take(BTSnoopHeader.length)
        }
        guard buffer.count - start >= BTSnoopRecord.headerLength else { return nil }
        let length = buffer[(start + 4)..<(start + 8)].reduce(0) { $0 << 8 | Int($1) }
        let isComplete = length <= buffer.count - start - BTSnoopRecord.headerLength
        // A length beyond the limit is not waited for: the header alone is decoded, and throws.
        guard isComplete || length > BTSnoopRecord.maximumLength else { return nil }
        return try take(BTSnoopRecord.headerLength + (isComplete ? length : 0))
    }

    /// Throws if the file ends inside its header or a record.
    public func finish() throws(BTSnoopError) {
        if header == nil {
            throw fault(of: BTSnoopHeader.self)
        } else if start < buffer.count {
            throw fault(of: BTSnoopRecord.self)
        }
    }

    private mutating func take<Value: WireDecodable>(_ length: Int) throws(BTSnoopError) -> Value {
        do throws(DecodeError) {
            let value = try Value(decoding: Array(buffer[start..<(start + length)]))
            start += length
            offset += UInt64(length)
            return value
        } catch {
            throw BTSnoopError(error, at: offset)
        }
    }

    /// The error for remaining octets that do not decode as this type.
    private func fault<Value: WireDecodable>(of type: Value.Type) -> BTSnoopError {
        do throws(DecodeError) {
            _ = try Value(decoding: Array(buffer[start...]))
        } catch {
            return BTSnoopError(error, at: offset)
        }
        return BTSnoopError(DecodeError("packet data", .inconsistent("not read to the end")), at: offset)
    }
}
