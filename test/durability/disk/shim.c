/*
 * What a process does to the files of one folder, told call by call, and some of these calls made to fail: loaded before libc
 * (LD_PRELOAD) into the process that `writer.ts` is. Which calls fail stands in a file that both map (`NINEFOLD_DISK_CONTROL`), so that
 * one process can try them all; what was done is written to another (`NINEFOLD_DISK_TRACE`), in the form that `trace.ts` reads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, TRUNCATE = 4, UNLINK = 8, SYNC_BESIDE = 16 };

/* As `writer.ts` has them, in this order. */
struct control {
  volatile int32_t calls;   /* of the kinds that may fail, so far */
  volatile int32_t from;    /* the first that fails, counted from 1; 0 for none */
  volatile int32_t until;   /* the first that doesn't fail any more */
  volatile int32_t error;   /* errno; 0 kills the process before the call */
  volatile int32_t kinds;   /* which kinds may fail */
  volatile int32_t failed;  /* how many have failed */
  volatile int32_t failedKind; /* the kind of the first one */
};

static const char *folder;
static struct control *control;
static int trace = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off64_t);
static int (*real_unlink)(const char *);

__attribute__((constructor)) static void begin(void) {
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  folder = getenv("NINEFOLD_DISK");
  const char *shared = getenv("NINEFOLD_DISK_CONTROL");
  const char *told = getenv("NINEFOLD_DISK_TRACE");
  if (shared) {
    int fd = open(shared, O_RDWR);
    if (fd >= 0) {
      void *at = mmap(0, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (at != MAP_FAILED) control = at;
      close(fd);
    }
  }
  if (told) trace = open(told, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* The path of a file of the folder; 0 for any other. The process's own notes (`acks`) are told and never fail. */
static int inside(int fd, char *path) {
  if (!folder) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int fails(int kind, const char *path) {
  if (!control || (control->kinds & kind) == 0) return 0;
  size_t length = strlen(path);
  if (length > 4 && (strcmp(path + length - 4, "acks") == 0 || strcmp(path + length - 4, "-shm") == 0)) return 0;
  int32_t call = __sync_add_and_fetch(&control->calls, 1);
  if (control->from == 0 || call < control->from || call >= control->until) return 0;
  if (__sync_add_and_fetch(&control->failed, 1) == 1) control->failedKind = kind;
  if (control->error == 0) raise(SIGKILL);
  errno = control->error;
  return 1;
}

static void tell(int kind, const char *path, uint64_t offset, const void *bytes, uint64_t length) {
  if (trace < 0) return;
  uint32_t head[2] = {(uint32_t)kind, (uint32_t)strlen(path)};
  uint64_t sizes[2] = {offset, length};
  int before = errno;
  pthread_mutex_lock(&lock);
  real_write(trace, head, sizeof head);
  real_write(trace, sizes, sizeof sizes);
  real_write(trace, path, head[1]);
  if (bytes) real_write(trace, bytes, length);
  pthread_mutex_unlock(&lock);
  errno = before;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  char path[PATH_MAX];
  int mine = inside(fd, path);
  if (mine && fails(WRITE, path)) return -1;
  ssize_t done = real_pwrite(fd, bytes, length, offset);
  if (mine && done > 0) tell(WRITE, path, (uint64_t)offset, bytes, (uint64_t)done);
  return done;
}

/* The file or its log: not the folder, of which SQLite syncs what it can, and not the lock, in which nothing is kept. */
static int is_of_store(const char *path) {
  size_t length = strlen(path);
  return (length > 3 && strcmp(path + length - 3, ".db") == 0) || (length > 4 && strcmp(path + length - 4, "-wal") == 0);
}

/* What is synced is what was written before it began. */
static int sync_of(int fd, int (*real)(int)) {
  char path[PATH_MAX];
  int mine = inside(fd, path);
  if (mine && fails(is_of_store(path) ? SYNC : SYNC_BESIDE, path)) return -1;
  int done = real(fd);
  if (mine && done == 0) tell(SYNC, path, 0, 0, 0);
  return done;
}

int fsync(int fd) { return sync_of(fd, real_fsync); }
int fdatasync(int fd) { return sync_of(fd, real_fdatasync); }

int ftruncate64(int fd, off64_t length) {
  char path[PATH_MAX];
  int mine = inside(fd, path);
  if (mine && fails(TRUNCATE, path)) return -1;
  int done = real_ftruncate(fd, length);
  if (mine && done == 0) tell(TRUNCATE, path, (uint64_t)length, 0, 0);
  return done;
}

int unlink(const char *path) {
  int mine = folder && strncmp(path, folder, strlen(folder)) == 0;
  if (mine && fails(UNLINK, path)) return -1;
  int done = real_unlink(path);
  if (mine && done == 0) tell(UNLINK, path, 0, 0, 0);
  return done;
}
