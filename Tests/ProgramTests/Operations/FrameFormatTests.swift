// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import Toolkit

@Suite("Frames in a stream of octets")
struct FrameFormatTests {
    /// The frames of octets in hex that come in pieces of some length, and the number of octets that belong to none.
    private static func frames(_ form: String, _ hex: String, by size: Int) throws -> (frames: [String], lost: Int) {
        var assembler = FrameAssembler(try #require(FrameFormat(form)))
        var rest = try #require(Hex.bytes(hex))[...]
        var frames: [String] = []
        var lost = 0
        while !rest.isEmpty {
            let (whole, left) = assembler.add(Array(rest.prefix(size)))
            frames += whole.map { Hex.string($0) }
            lost += left
            rest = rest.dropFirst(size)
        }
        return (frames, lost + assembler.unfinished)
    }

    @Test(arguments: [
        // A carriage return alone ends nothing, and an empty line is one.
        ("line", "41420a0d0a430d44450d0a46", ["4142", "", "430d4445"], 1),
        ("end:0d0a", "410a420d0d0a0d0a43", ["410a420d", ""], 1),
        ("end:7e", "7e017e02037e", ["", "01", "0203"], 0),
        // An end that begins in what turned out not to be one.
        ("end:aaab", "01aaaaab02aaab", ["01aa", "02"], 0),
        ("length:u8", "0201020003aabbcc05", ["020102", "00", "03aabbcc"], 1),
        ("length:u16be@1+2", "ff0001aabbccff0000ddee", ["ff0001aabbcc", "ff0000ddee"], 0),
        // A field that counts itself.
        ("length:u16-2", "0300aa0200", ["0300aa", "0200"], 0),
        ("length:u24be@255", "00", [], 1),
    ]) func `are the same whatever the pieces`(form: String, hex: String, frames: [String], rest: Int) throws {
        for size in 1...12 {
            let found = try Self.frames(form, hex, by: size)
            #expect(found.frames == frames && found.lost == rest, "in pieces of \(size): \(found)")
        }
    }

    @Test func `octets that are no frame are left out, and counted`() throws {
        // A frame that would end within its length field.
        let short = try Self.frames("length:u8-1", "00ffff", by: 1)
        #expect(short.frames == [] && short.lost == 3)
        let long = try Self.frames("length:u32", "ffffffff00", by: 5)
        #expect(long.frames == [] && long.lost == 5)
        // After them it begins anew.
        let again = try Self.frames("length:u32", "ffffffff" + "01000000aa", by: 4)
        #expect(again.frames == ["01000000aa"] && again.lost == 4)
        var endless = FrameAssembler(.line)
        var lost = 0
        for _ in 0..<1_000 { lost += endless.add([UInt8](repeating: 0x41, count: 500)).lost }
        #expect(lost + endless.unfinished == 500_000 && endless.unfinished <= FrameFormat.longest)
    }

    @Test func `after missing octets, those up to the next end are no frame`() throws {
        var lines = FrameAssembler(.line)
        #expect(lines.add([0x41, 0x42]).frames.isEmpty && lines.unfinished == 2)
        lines.interrupt()
        let (frames, lost) = lines.add([0x43, 0x0A, 0x44, 0x0A])
        #expect(frames == [[0x44]] && lost == 2 && lines.unfinished == 0)
        // A line that is too long ends somewhere, too.
        var long = lines.add([UInt8](repeating: 0x45, count: FrameFormat.longest + 1))
        #expect(long.frames.isEmpty && long.lost == FrameFormat.longest + 1)
        long = lines.add([0x45, 0x0A, 0x46, 0x0A])
        #expect(long.frames == [[0x46]] && long.lost == 2)
        var counted = FrameAssembler(try #require(FrameFormat("length:u8")))
        _ = counted.add([3, 0x41])
        counted.interrupt()
        #expect(counted.add([1, 0x42]).frames == [[1, 0x42]])
    }

    @Test(arguments: [
        "", "lines", "end:", "end:0", "end:xy", "length:", "length:s8", "length:f32", "length:u64", "length:u48",
        "length:u8@", "length:u8@256", "length:u8@-1", "length:u8+", "length:u8+256", "length:u8@1@2", "length:hex",
        "length:u8+1x", "length:u8 ", "LINE",
    ]) func `other forms are errors`(text: String) { #expect(FrameFormat(text) == nil) }
}
