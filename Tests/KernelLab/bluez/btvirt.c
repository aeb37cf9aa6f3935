// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lets btvirt run several times on one machine, and without the kernel's cryptography. Its sockets, which are all in /tmp,
// are in $TMPDIR. It takes AF_ALG for present where the kernel has none, as in most containers: its controllers open it for
// each connection, and use it only to encrypt, which nothing does that runs without a machine.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un place(const char *path)
{
	struct sockaddr_un place = { .sun_family = AF_UNIX };
	const char *directory = getenv("TMPDIR");

	if (directory && strncmp(path, "/tmp/", 5) == 0)
		snprintf(place.sun_path, sizeof(place.sun_path), "%s%s", directory, path + 4);
	else
		strncpy(place.sun_path, path, sizeof(place.sun_path) - 1);
	return place;
}

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
	if (address->sa_family == AF_UNIX) {
		struct sockaddr_un there = place(((const struct sockaddr_un *) address)->sun_path);

		return next(descriptor, (const struct sockaddr *) &there, sizeof(there));
	}
	return next(descriptor, address, length);
}

int unlink(const char *path)
{
	int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");

	return next(place(path).sun_path);
}
