// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Glibc

/// A btsnoop file that is written record by record, so that it is whole whenever the program ends.
///
/// Each record is one call of write(2). A file on a disk takes it at once. A pipe may be full: nothing waits for its reader,
/// and the records that find no room are counted in the next one, as the format has it.
struct CaptureFile: Sendable {
    /// Closes the file.
    private final class Descriptor: Sendable {
        /// The file descriptor.
        let number: Int32
        /// Takes a descriptor over.
        init(_ number: Int32) { self.number = number }
        deinit { close(number) }
    }

    /// Why no more records can be written; `nil` while all is well.
    private(set) var failure: BlectlError?

    /// The path, for messages.
    private let path: String
    /// The open file. It is a class, so that the file is closed when the last copy of the value is gone.
    private let descriptor: Descriptor
    /// Whether it is a file on a disk, which can be cut after a partial record.
    private let isRegular: Bool
    /// The number of octets of whole records.
    private var length = 0
    /// The rest of a record of which a pipe has taken a part.
    private var rest: ArraySlice<UInt8> = []
    /// The number of records that a full pipe did not take.
    private var dropCount: UInt32 = 0

    /// Creates the file, or empties it, and writes its header.
    init(_ path: String, _ datalink: BTSnoopDatalink) throws(BlectlError) {
        // Opening a pipe must not wait for its reader.
        let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0o666)
        guard number >= 0 else {
            let hasNoReader = errno == ENXIO
            let reason = hasNoReader ? "nobody reads the pipe" : String(cString: strerror(errno))
            throw BlectlError(
                .cannotCreateOutput,
                cannot: "create \(path)",
                reason,
                hint: hasNoReader ? "start the reader first: wireshark -k -i \(path)" : nil
            )
        }
        var status = stat()
        isRegular = fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        self.path = path
        descriptor = Descriptor(number)
        write(BTSnoopHeader(datalink).encoded())
        if let failure { throw failure }
    }

    /// The number of records that found no room.
    var droppedCount: Int { Int(dropCount) }

    /// Appends a record. Does nothing after a failure.
    mutating func write(_ record: BTSnoopRecord) {
        guard failure == nil else { return }
        if !rest.isEmpty { finishRecord() }
        guard rest.isEmpty else {
            dropCount &+= 1
            return
        }
        let counted = BTSnoopRecord(
            record.data,
            originalLength: record.originalLength,
            flags: record.flags,
            cumulativeDrops: dropCount,
            at: record.timestamp
        )
        write(counted.encoded())
    }

    /// Writes a record, or leaves it out as a whole if a pipe takes nothing of it. The rest of a part is written
    /// before the next record, because a part alone would damage all records behind it.
    private mutating func write(_ octets: [UInt8]) {
        rest = octets[...]
        finishRecord()
        if rest.isEmpty {
            length += octets.count
        } else if failure == nil, rest.count == octets.count {
            // The pipe has taken nothing: the record is left out as a whole.
            rest = []
            dropCount &+= 1
        }
    }

    /// Writes as much of the record as there is room for.
    private mutating func finishRecord() {
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                failure = BlectlError(.ioError, cannot: "write to \(path)", "\(reason); the capture ends here")
                // Whole records only.
                if isRegular { _ = ftruncate(descriptor.number, off_t(length)) }
                return
            }
        }
    }
}
