// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lets bluetoothd see one adapter only, as if the other side of the air were another machine: $ONE_ADAPTER is its index.
// Loaded with LD_PRELOAD. The kernel tells a manager about all adapters; what it tells about others is made an event that
// nobody knows, and they are taken out of the list of adapters.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONTROL_CHANNEL 3
#define COMMAND_COMPLETE 0x0001
#define READ_INDEX_LIST 0x0003
#define UNKNOWN_EVENT 0x7fff
#define NO_INDEX 0xffff
#define SEEN 64

struct hci_address {
	uint16_t family, adapter, channel;
};

static char is_management[SEEN];

static uint16_t number(const uint8_t *octets)
{
	return octets[0] | octets[1] << 8;
}

static void put(uint8_t *octets, uint16_t value)
{
	octets[0] = value & 0xff;
	octets[1] = value >> 8;
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	int (*real)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
	const struct hci_address *place = (const void *)address;

	if (address->sa_family == AF_BLUETOOTH && length == sizeof(*place) && fd < SEEN)
		is_management[fd] = place->channel == CONTROL_CHANNEL;
	return real(fd, address, length);
}

int close(int fd)
{
	int (*real)(int) = dlsym(RTLD_NEXT, "close");

	if (fd >= 0 && fd < SEEN)
		is_management[fd] = 0;
	return real(fd);
}

// Event: code, index, length; Command Complete: command, status; Read Index List: count, indices. Returns the new length.
static ssize_t hide(uint8_t *event, ssize_t length, uint16_t own)
{
	uint16_t index = number(event + 2), kept = 0;

	if (index != NO_INDEX && index != own)
		put(event, UNKNOWN_EVENT);
	if (number(event) != COMMAND_COMPLETE || length < 11 || number(event + 6) != READ_INDEX_LIST || event[8])
		return length;
	for (uint16_t place = 0; place < number(event + 9); place++)
		kept |= number(event + 11 + 2 * place) == own;
	put(event + 9, kept);
	put(event + 11, own);
	put(event + 4, 5 + 2 * kept);
	return 11 + 2 * kept;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
	ssize_t length = real(fd, buffer, size);
	const char *own = getenv("ONE_ADAPTER");

	if (own && fd >= 0 && fd < SEEN && is_management[fd] && length >= 6)
		return hide(buffer, length, atoi(own));
	return length;
}
