// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// A machine in a simulated world, as an app has it, with the hand that reaches into the world.
struct FacadeBench: Sendable {
    let system: SimulatedRadioSystem
    let control: WorldControl
    let time: VirtualTime
    let scope: TaskScope

    /// The heart rate strap, of which most tests make use.
    static let strap = "Pulse HR"
    /// Another way to say so.
    static let heartRate = WorldRequest.Target.characteristic(0x2A37, service: nil)

    /// Runs a test in virtual time among the built-in devices, and checks that it leaves neither a scan nor a link behind.
    static func run(
        _ traits: Set<AdapterTrait> = [],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (FacadeBench) async throws -> Void
    ) throws {
        try inVirtualTime(sourceLocation: sourceLocation) { time, scope in
            let world = RunningWorld(try .builtIn(), time: time, scope: scope)
            let bench = FacadeBench(system: world.join(traits), control: world.control, time: time, scope: scope)
            try await body(bench)
            #expect(!bench.system.isScanning, "a scan is left behind", sourceLocation: sourceLocation)
            // As on Linux, the machine keeps a link for two seconds.
            try await time.sleep(for: .seconds(3))
            #expect(bench.system.linkCount == 0, "a link is left behind", sourceLocation: sourceLocation)
        }
    }

    /// The address of a device.
    func address(_ name: String = strap) async throws -> DeviceAddress { try await control.device(name).address }
}

/// What tests record from closures.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

extension SubscriptionEvent {
    /// Short text, for comparison.
    var text: String {
        switch self {
        case .subscribed: "subscribed"
        case .dropped(let number): "dropped \(number)"
        case .malformed(let octets, _): "malformed \(Hex.string(octets))"
        case .linkLost(let error): "lost: \(error.reason)"
        case .reconnectionFailed(let attempt, _, _): "failed \(attempt)"
        case .linkRestored(_, let attempts): "restored, attempt \(attempts)"
        case .databaseChanged: "changed"
        }
    }
}
