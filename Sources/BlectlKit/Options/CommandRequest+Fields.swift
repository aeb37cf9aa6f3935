// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

extension CommandRequest {
    /// Refuses a template with a field that no value of the command can have, where the formats of all its values are
    /// known.
    func checkFields(_ arguments: ParsedArguments) throws(UsageError) {
        try checkKind(arguments)
        guard let template = arguments[GlobalSpec.format], let format = global.streams.format,
            let fields = command.fields(in: arguments.formats),
            let path = format.fieldPaths.first(where: { !fields.haveField(at: $0[...]) })
        else { return }
        let key = ([LineFormat.openKey] + path).joined(separator: ".")
        // The unit at the end of a name may be left out.
        let names = fields.map(\.key).filter { !$0.isEmpty }
        let stems = names.flatMap { name in
            name.indices.filter { name[$0] == "_" }.map { String(name[..<$0]) } + [name]
        }
        let similar = path.first.flatMap { Suggestion.closest(to: $0, among: stems) }
            .flatMap { stem in names.first { stem.means($0) } }
        throw arguments.invalid(
            GlobalSpec.format,
            template,
            ValueProblem(
                expectation: "no value of this command has the key '\(key)'",
                suggestion: path.count == 1 ? similar.map { "\(LineFormat.openKey).\($0)" } : nil
            )
        )
    }

    /// Refuses a template for the other kind of records that a scan can have, because there would be no line at all.
    private func checkKind(_ arguments: ParsedArguments) throws(UsageError) {
        guard case .scan(let options) = command, let template = arguments[GlobalSpec.format],
            let lack = global.streams.format?.keyLacking(inScanWithSummary: options.showsSummary)
        else { return }
        let records = "\(options.showsSummary ? "with" : "without") --summary no record has the key '\(lack.key)'"
        throw arguments.invalid(
            GlobalSpec.format,
            template,
            lack.similar.isEmpty ? records : "\(records), but \(Prose.list(lack.similar, "and"))"
        )
    }
}

extension Command {
    /// The fields of all values that the command decodes; `nil` if the format of one is not known before it comes.
    func fields(in formats: FormatCatalogue) -> [FieldDescription]? {
        let known: [CharacteristicFormat?]
        switch self {
        case .read(let options, _) where options.format == nil: known = options.targets.map { $0.format(in: formats) }
        case .notify(let options, _) where options.format == nil: known = options.targets.map { $0.format(in: formats) }
        case .watch(let options, _): known = options.profiles.flatMap { $0.formats(in: formats) }
        case .decode(let options) where options.type.descriptor == nil:
            known = [options.type.characteristic.flatMap { formats.format(of: $0) }]
        default: return nil
        }
        let all = known.compactMap(\.self)
        return all.count == known.count ? all.flatMap(\.possibleFields) : nil
    }
}

extension Profile {
    /// The formats of its measurements; `nil` in the place of one that is not known before it comes, or that gets more
    /// fields than the device sends.
    fileprivate func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?] {
        guard conduct == .stream || conduct == .snapshot, wholeService == nil else { return [nil] }
        return (sources + variants.flatMap(\.sources)).map { source in
            source.derivation == nil ? source.format ?? formats.format(of: source.characteristic) : nil
        }
    }
}
