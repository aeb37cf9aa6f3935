// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// All vectors: those of the package, and those of a folder that the environment names.
enum Vectors {
    /// A folder of `*.jsonl` files, or a single file.
    struct Folder: Sendable {
        let path: String
        /// Whether the folder belongs to the package.
        let isOurs: Bool
        let files: [VectorFile]

        init(_ url: URL, isOurs: Bool) {
            path = url.path()
            self.isOurs = isOurs
            let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path())) ?? []
            let files = url.pathExtension == "jsonl" ? [url] : names.sorted().map { url.appending(path: $0) }
            self.files = files.filter { $0.pathExtension == "jsonl" }.map { VectorFile($0) }
        }
    }

    /// The environment variable that names the folder of further vectors.
    static let variable = "BLECTL_TRANSCRIPTS"

    /// The package's folder first.
    static let folders: [Folder] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let ours = Folder(tests.appending(path: "Vectors"), isOurs: true)
        guard let other = ProcessInfo.processInfo.environment[variable], !other.isEmpty else { return [ours] }
        return [ours, Folder(URL(filePath: other), isOurs: false)]
    }()

    /// A transcript with the database that it needs.
    struct Case: Sendable, CustomTestStringConvertible {
        let transcript: Transcript
        let database: TranscriptDatabase?
        /// The file; `nil` for the package's own.
        let origin: String?

        var testDescription: String { origin.map { "\(transcript.name) (\($0))" } ?? transcript.name }
    }

    /// Every transcript of a role.
    static func transcripts(_ role: Transcript.Role) -> [Case] {
        var cases: [Case] = []
        for folder in folders {
            for file in folder.files {
                let others = folder.files + folders.filter(\.isOurs).flatMap(\.files)
                for transcript in file.transcripts where transcript.role == role {
                    let databases = ([file] + others).lazy.compactMap { $0.databases[transcript.database] }
                    cases.append(
                        Case(
                            transcript: transcript,
                            database: databases.first,
                            origin: folder.isOurs ? nil : file.name
                        )
                    )
                }
            }
        }
        return cases
    }

    /// A payload of an advertisement.
    struct AdvertisingCase: Sendable, CustomTestStringConvertible {
        let vector: AdvertisingVector
        /// The file; `nil` for the package's own.
        let origin: String?

        var testDescription: String { origin.map { "\(vector.name) (\($0))" } ?? vector.name }
    }

    /// All payloads of advertisements.
    static let advertising: [AdvertisingCase] = folders.flatMap { folder in
        folder.files.flatMap { file in
            file.advertising.map { AdvertisingCase(vector: $0, origin: folder.isOurs ? nil : file.name) }
        }
    }
}
