// SPDX-License-Identifier: MIT

package import Bluetooth

/// A service of credit-based channels; in the folders below, a service is one of attributes.
package typealias ChannelOffer = CreditBasedChannels.Service
