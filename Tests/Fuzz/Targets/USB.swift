// SPDX-License-Identifier: GPL-2.0-or-later

/// Steps are pieces from the endpoints of a controller on USB, or the loss of the rest of a packet.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var (events, data) = (Endpoint(.event), Endpoint(.data))
    while let step = input.step() {
        switch step.kind & 0x03 {
        case 0: events.take(step.bytes)
        case 1: data.take(step.bytes)
        case 2: events.forget()
        default: data.forget()
        }
    }
}

/// What comes from an endpoint, in the pieces of the input and octet by octet.
private struct Endpoint {
    private let kind: USBPieces.Kind
    private var whole, single: USBPieces

    init(_ kind: USBPieces.Kind) {
        self.kind = kind
        (whole, single) = (USBPieces(kind), USBPieces(kind))
    }

    mutating func take(_ piece: [UInt8]) {
        let packets = whole.append(piece)
        var others: [[UInt8]] = []
        for octet in piece { others += single.append([octet]) }
        check(packets == others, "the packets depend on how they are cut")
        for packet in packets {
            let length = kind == .event ? 3 + Int(packet[2]) : 5 + Int(packet[3]) + Int(packet[4]) << 8
            check(packet.count == length && packet[0] == kind.rawValue, "a packet has not the length that it says")
        }
    }

    mutating func forget() {
        whole.forget()
        single.forget()
    }
}
