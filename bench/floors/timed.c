/*
 * timed: runs one command and writes what it took.
 *
 *     timed FD COMMAND [ARG]...
 *
 * Writes to descriptor FD one line of whole numbers: wall ns, user us, system us, peak
 * resident KiB, voluntary and involuntary switches, exit status (128 + signal if killed).
 *
 * It exists because a child's peak memory begins with that of the process which spawned
 * it: from Python no figure would be below 14 MiB. It is small and static, so its own
 * share is below 1 MiB. No shell stands between.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t micros(struct timeval t)
{
    return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: timed FD COMMAND [ARG]...\n", stderr);
        return 2;
    }
    int fd = atoi(argv[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, fd);

    pid_t pid;
    struct rusage use;
    int status;
    int64_t begin = now_ns();
    int error = posix_spawnp(&pid, argv[2], &actions, NULL, argv + 2, environ);
    if (error) {
        fprintf(stderr, "timed: %s: %s\n", argv[2], strerror(error));
        return 127;
    }
    while (wait4(pid, &status, 0, &use) < 0)
        if (errno != EINTR)
            return 127;
    int64_t wall = now_ns() - begin;

    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    dprintf(fd, "%lld %lld %lld %ld %ld %ld %d\n", (long long)wall,
            (long long)micros(use.ru_utime), (long long)micros(use.ru_stime), use.ru_maxrss,
            use.ru_nvcsw, use.ru_nivcsw, code);
    return 0;
}
