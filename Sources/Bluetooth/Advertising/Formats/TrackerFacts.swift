// SPDX-License-Identifier: MIT

extension [AdvertisedFact] {
    /// Whether a tracker is near its owner, for programs and for persons; both `nil` if the tracker does not tell.
    ///
    /// - Parameter state: The state in words, if the tracker tells more than that.
    static func owner(isNear: Bool?, state: String? = nil) -> [AdvertisedFact] {
        let usual = isNear.map { $0 ? "near its owner" : "separated from its owner" }
        return [
            AdvertisedFact("near_owner", isNear, label: "near its owner"),
            AdvertisedFact("state", state ?? usual, .main),
        ]
    }

    /// The keys of `owner`.
    static var ownerKeys: [String] { ["near_owner", "state"] }
}
