// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost
import Synchronization

/// Several systems as one machine: the adapters of this one, and controllers elsewhere.
///
/// A part that cannot be reached, or that ends, is as an adapter that is not there: the others work without it.
package final class JointRadioSystem: RadioSystem {
    package struct Part: Sendable {
        /// The name of its only adapter; `nil` if it may have several, which keep their numbers: the kernel.
        let name: String?
        let open: @Sendable () async throws(RadioError) -> any RadioSystem

        /// A part that is not opened yet.
        package init(
            named name: String? = nil,
            open: @escaping @Sendable () async throws(RadioError) -> any RadioSystem
        ) {
            self.name = name
            self.open = open
        }
    }

    /// The number of the first adapter that is not the kernel's, beside adapters of the kernel.
    private static let firstForeignIndex = 256

    package let time: any TimeSource
    private let parts: [Part]
    private let scope: TaskScope
    /// Held while the parts are opened, which happens once.
    private let opening = AsyncLock()
    /// What has become of each part; empty before they are opened.
    private let outcomes = Mutex<[Result<JointPart, RadioError>]>([])

    /// Creates a machine. Opens nothing yet.
    ///
    /// - Parameters:
    ///   - parts: The parts, in the order of their adapters. At most one is without a name.
    ///   - scope: The scope of management channels.
    ///   - time: The clock of all deadlines, which is that of the parts, too.
    package init(_ parts: [Part], scope: TaskScope, time: any TimeSource) {
        self.parts = parts
        self.scope = scope
        self.time = time
    }

    /// Opens all parts at once. The failure of one is thrown when its adapter is asked for.
    package func prepare() async throws(RadioError) {
        do {
            try await opening.withLock {
                guard outcomes.withLock({ $0.isEmpty }) else { return }
                let first = parts.contains { $0.name == nil } ? Self.firstForeignIndex : 0
                let opened = await withTaskGroup(of: (Int, Result<JointPart, RadioError>).self) { group in
                    for (number, part) in parts.enumerated() {
                        group.addTask {
                            (number, await Self.opened(part, as: ManagementIndex(first + number)))
                        }
                    }
                    var opened: [Int: Result<JointPart, RadioError>] = [:]
                    for await (number, outcome) in group { opened[number] = outcome }
                    return parts.indices.compactMap { opened[$0] }
                }
                try Task.checkCancellation()
                outcomes.withLock { $0 = opened }
            }
        } catch {
            throw RadioError(.cancelled, during: "adapters")
        }
    }

    private static func opened(_ part: Part, as index: ManagementIndex) async -> Result<JointPart, RadioError> {
        await Result { () async throws(RadioError) in
            let system = try await part.open()
            guard let name = part.name else { return JointPart(system: system, identity: nil) }
            try await system.prepare()
            let own = ManagementIndex(try await system.adapters().first?.index ?? 0)
            return JointPart(system: system, identity: .init(name: name, own: own, here: index))
        }
    }

    /// The adapters of all parts that are there. Throws the failure of the first part if there is none.
    package func adapters() async throws(RadioError) -> [AdapterDescription] {
        try await prepare()
        var adapters: [AdapterDescription] = []
        var failure: RadioError?
        for outcome in outcomes.withLock({ $0 }) {
            do throws(RadioError) {
                let part = try outcome.get()
                adapters += try await part.system.adapters().map(part.renamed)
            } catch {
                failure = failure ?? error
            }
        }
        if adapters.isEmpty, let failure { throw failure }
        return adapters
    }

    /// The adapter with that name or address, or the first one that can be used.
    package func radio(named name: String?) throws(RadioError) -> any Radio {
        var failure: RadioError?
        let isAddress = name.flatMap { BluetoothAddress($0) } != nil
        let isPlace = name.map(ControllerPlace.isMeant) ?? false
        for (part, outcome) in zip(parts, outcomes.withLock { $0 })
        where name == nil || isAddress || part.name == name || part.name == nil && !isPlace {
            do throws(RadioError) {
                let opened = try outcome.get()
                let radio = try opened.system.radio(named: part.name == nil ? name : nil)
                guard part.name == nil || part.name == name || name.map(radio.adapter.isMeant) ?? true else { continue }
                return JointRadio(base: radio, part: opened)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? RadioError(name.map { .adapterNotFound($0) } ?? .noAdapter, during: name ?? "Bluetooth")
    }

    /// One channel to all parts that have one. A command goes to the part that has its adapter.
    package func openManagement() throws(RadioError) -> any ManagementChannel {
        var branches: [JointManagementChannel.Branch] = []
        var failure: RadioError?
        for outcome in outcomes.withLock({ $0 }) {
            do throws(RadioError) {
                let part = try outcome.get()
                branches.append(.init(part: part, channel: try part.system.openManagement()))
            } catch {
                failure = failure ?? error
            }
        }
        guard !branches.isEmpty else { throw failure ?? RadioError(.noAdapter, during: "management channel") }
        return try JointManagementChannel(branches, scope: scope)
    }
}

struct JointPart: Sendable {
    /// What its only adapter is in the joint system.
    struct Identity: Sendable {
        let name: String
        /// The number of the adapter in its own system.
        let own: ManagementIndex
        /// Its number in the joint one.
        let here: ManagementIndex
    }

    let system: any RadioSystem
    /// `nil` if all adapters are as they are in its system.
    let identity: Identity?

    /// An adapter of the part as it is in the joint system.
    func renamed(_ adapter: AdapterDescription) -> AdapterDescription {
        guard let identity else { return adapter }
        var adapter = adapter
        adapter.name = identity.name
        adapter.index = Int(identity.here.rawValue)
        return adapter
    }
}

private struct JointRadio: ForwardingRadio {
    let base: any Radio
    let part: JointPart

    var adapter: AdapterDescription { part.renamed(base.adapter) }
}
