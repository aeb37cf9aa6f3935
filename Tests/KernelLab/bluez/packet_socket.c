// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lets BlueZ's GATT tools speak over a packet socket instead of over the air: where $ATT_SOCKET names one, the L2CAP
// socket that they open is an AF_UNIX socket of the same kind, one ATT PDU a packet. Linked into the tools with
// --wrap, so their source stays as it is. Without the variable nothing changes.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOL_BLUETOOTH 274

int __real_socket(int domain, int type, int protocol);
int __real_bind(int fd, const struct sockaddr *address, socklen_t length);
int __real_setsockopt(int fd, int level, int option, const void *value, socklen_t length);
int __real_connect(int fd, const struct sockaddr *address, socklen_t length);
int __real_listen(int fd, int backlog);

static const char *path(void)
{
	return getenv("ATT_SOCKET");
}

static struct sockaddr_un place(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	strncpy(address.sun_path, path(), sizeof(address.sun_path) - 1);
	return address;
}

int __wrap_socket(int domain, int type, int protocol)
{
	if (path() && domain == AF_BLUETOOTH && type == SOCK_SEQPACKET)
		return __real_socket(AF_UNIX, SOCK_SEQPACKET, 0);
	return __real_socket(domain, type, protocol);
}

// A local Bluetooth address means nothing here; the server's socket gets its name when it listens.
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t length)
{
	if (path() && address->sa_family == AF_BLUETOOTH)
		return 0;
	return __real_bind(fd, address, length);
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	if (path() && level == SOL_BLUETOOTH)
		return 0;
	return __real_setsockopt(fd, level, option, value, length);
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length)
{
	if (path() && address->sa_family == AF_BLUETOOTH) {
		struct sockaddr_un there = place();

		return __real_connect(fd, (struct sockaddr *)&there, sizeof(there));
	}
	return __real_connect(fd, address, length);
}

int __wrap_listen(int fd, int backlog)
{
	if (path()) {
		struct sockaddr_un here = place();

		unlink(here.sun_path);
		if (__real_bind(fd, (struct sockaddr *)&here, sizeof(here)) < 0)
			return -1;
	}
	return __real_listen(fd, backlog);
}
