/* Preloaded, makes fsync and fdatasync DELAY_MS slower: an ordinary disk on a machine that has a fast one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int delayed(const char *name, int fd) {
    struct timespec delay = {DELAY_MS / 1000, (DELAY_MS % 1000) * 1000000L};
    nanosleep(&delay, 0);
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

int fsync(int fd) { return delayed("fsync", fd); }
int fdatasync(int fd) { return delayed("fdatasync", fd); }
