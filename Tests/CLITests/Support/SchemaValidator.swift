// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// Validates records against the checked-in JSON Schema, with Python's jsonschema.
enum SchemaValidator {
    private static let schema = URL(filePath: #filePath).appending(path: "../../../../man/blectl-records.schema.json")
        .standardized.path

    /// A Python that has the validator: the one of PATH, or Debian's.
    private static let findPython = """
        for python in python3 /usr/bin/python3; do $python -c 'import jsonschema' 2>/dev/null && break; python=; done
        """

    /// Validates each line of a file by the schema of its kind, and the first line of each kind by the whole schema.
    private static let program = """
        import json, sys
        from jsonschema import Draft202012Validator
        schema = json.load(open(sys.argv[1]))
        Draft202012Validator.check_schema(schema)
        whole = Draft202012Validator(schema)
        places = [part["$ref"] for part in schema["oneOf"]]
        kinds = {
            place.split("/")[-1]: Draft202012Validator({"$ref": place, "$defs": schema["$defs"]}) for place in places
        }
        seen = set()
        for number, line in enumerate(open(sys.argv[2], encoding="utf-8"), 1):
            record = json.loads(line)
            kind = record.get("type")
            problems = list(kinds[kind].iter_errors(record)) if kind in kinds else ["no such type"]
            if kind not in seen:
                seen.add(kind)
                problems += whole.iter_errors(record)
            for problem in problems:
                print(f"{number}: {kind}: {getattr(problem, 'json_path', '')} {getattr(problem, 'message', problem)}")
        print("validated")
        """

    /// Whether the validator is installed; `make test` installs it.
    static var isInstalled: Bool {
        get async throws {
            try await ProgramSlots.use { _ in try await shell("\(findPython); [ \"$python\" ]").status == 0 }
        }
    }

    /// What the validator says of records, each problem behind the number of its record, counted from 1; empty if all are
    /// valid.
    static func problems(of records: some Sequence<String>) async throws -> [String] {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "records")
            try (records.joined(separator: "\n") + "\n").write(to: file, atomically: false, encoding: .utf8)
            let run = try await shell(
                "\(findPython); $python -c \"$PROGRAM\" \"$SCHEMA\" \"$RECORDS\"",
                ["PROGRAM": program, "SCHEMA": schema, "RECORDS": file.path]
            )
            var lines = run.stdout.split(separator: "\n").map(String.init)
            guard run.status == 0, lines.popLast() == "validated" else { return ["it failed: \(run.stderr)"] }
            return lines
        }
    }

    private static func shell(_ script: String, _ variables: [String: String] = [:]) async throws -> BlectlRun {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try await Blectl.shell(script, environment: variables.merging(["PATH": path]) { $1 })
    }
}
