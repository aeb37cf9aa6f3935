// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes btvirt take the kernel's cryptography (AF_ALG) for present where the kernel has none, as in most containers. Its
// controllers open it for each connection, and use it only to encrypt, which nothing does that runs without a machine.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol)
{
	int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
	if (domain == AF_ALG)
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	return next(domain, type, protocol);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
	int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
	if (address->sa_family == AF_ALG)
		return 0;
	return next(descriptor, address, length);
}
