// SPDX-License-Identifier: GPL-2.0-or-later

import CZlib

/// The reason why compressed octets cannot be read.
package enum InflateFault: Error, Equatable {
    /// The machine has no zlib.
    case missing
    case memory
    /// The octets are damaged: the reason in zlib's words.
    case damaged(String)
    /// They end too early.
    case truncated
    /// They become more than any capture.
    case bomb(String)
}

/// zlib, which is loaded when the first compressed capture needs it.
struct Zlib: Sendable {
    fileprivate static let loaded: Zlib? = {
        var library = blectl_zlib()
        return blectl_zlib_load(&library) ? Zlib(library: library) : nil
    }()

    fileprivate let library: blectl_zlib

    /// The library. Throws if this machine has none.
    static func load() throws(InflateFault) -> Zlib {
        guard let loaded else { throw .missing }
        return loaded
    }

    /// The CRC-32 of octets behind those that have that one.
    func crc(_ octets: [UInt8], after crc: UInt32) -> UInt32 {
        withUnsafePointer(to: library) { blectl_zlib_crc($0, crc, octets, UInt32(clamping: octets.count)) }
    }
}

/// Inflates octets as they arrive. It holds what was appended last, and gives out its result in parts.
final class Inflater {
    /// What is around the deflated data.
    enum Wrapper: Int32 {
        /// Header, checksum and length of gzip, which zlib checks.
        case gzip = 31
        case none = -15
    }

    /// How much comes of how little. A capture of equal packets becomes a tenth, not a two-hundredth.
    struct Limit: Equatable {
        /// The octets from which on the ratio counts.
        var free = 16 << 20
        var ratio = 200
        var total = 4 << 30
    }

    /// The maximum number of octets of a part.
    private static let partLength = 65_536

    private let zlib: Zlib
    private let stream: UnsafeMutablePointer<blectl_zlib_stream>
    private let limit: Limit
    private var input: ArraySlice<UInt8> = []
    /// The numbers of octets that were read and made.
    private(set) var consumed = 0
    private(set) var produced = 0
    private(set) var isAtEnd = false

    /// - Parameter earlier: The inflater of the data before these, whose octets count, too.
    init(_ wrapper: Wrapper, after earlier: Inflater? = nil, limit: Limit = Limit()) throws(InflateFault) {
        zlib = try Zlib.load()
        self.limit = earlier?.limit ?? limit
        (consumed, produced) = (earlier?.consumed ?? 0, earlier?.produced ?? 0)
        let stream = withUnsafePointer(to: zlib.library) { blectl_zlib_open($0, wrapper.rawValue) }
        guard let stream else { throw .memory }
        self.stream = stream
    }

    deinit { withUnsafePointer(to: zlib.library) { blectl_zlib_close($0, stream) } }

    /// The octets behind the end of the compressed data, or those that are not read yet.
    var rest: ArraySlice<UInt8> { input }

    func append(_ octets: some Collection<UInt8>) { input.append(contentsOf: octets) }

    /// The next part, which may be empty at the end; `nil` if more octets are needed, or behind the end.
    func next() throws(InflateFault) -> [UInt8]? {
        guard !isAtEnd else { return nil }
        var result: Int32 = 0
        var inputCount = UInt32(clamping: input.count)
        let part = [UInt8](unsafeUninitializedCapacity: Self.partLength) { buffer, count in
            var outputCount = UInt32(buffer.count)
            result = withUnsafePointer(to: zlib.library) { library in
                input.withUnsafeBufferPointer {
                    blectl_zlib_inflate(library, stream, $0.baseAddress, &inputCount, buffer.baseAddress, &outputCount)
                }
            }
            count = Int(outputCount)
        }
        input = input.dropFirst(Int(inputCount))
        consumed += Int(inputCount)
        produced += part.count
        isAtEnd = result == BLECTL_Z_STREAM_END
        // Without input or room there is no progress, which is no fault.
        guard [BLECTL_Z_OK, BLECTL_Z_STREAM_END, BLECTL_Z_BUF_ERROR].contains(result) else {
            throw .damaged(stream.pointee.message.map { String(cString: $0) } ?? "zlib's error \(result)")
        }
        guard produced <= limit.free || produced / limit.ratio <= consumed else {
            throw .bomb("more than \(limit.ratio) octets come of one")
        }
        guard produced <= limit.total else { throw .bomb("more than \(limit.total >> 30) GiB come of it") }
        return part.isEmpty && !isAtEnd ? nil : part
    }
}
