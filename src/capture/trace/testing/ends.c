/* Processes that end in every way there is. Each first looks for "end-NAME", by which a test finds it.
 * Exit status 0 when the calls themselves did what was expected. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEED(x)                                                                  \
  do {                                                                           \
    if (!(x)) {                                                                  \
      fprintf(stderr, "ends: line %d: %s: %s\n", __LINE__, #x, strerror(errno)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

static void* exit_nine(void* unused) {
  (void)unused;
  exit(9);
}
static void by_thread(void) {
  pthread_t t;
  pthread_create(&t, NULL, exit_nine, NULL);
  pause();
}
static void* long_sleep(void* unused) {
  pause();
  return unused;
}
/* A thread that would have said something else goes with the process. */
static void beside_thread(void) {
  pthread_t t;
  pthread_create(&t, NULL, long_sleep, NULL);
  _exit(10);
}
static void by_code(void) {
  _exit(7);
}
static void by_wide_code(void) {
  exit(300);
}
static void one_by_one(void) {
  syscall(SYS_exit, 5);
}
static void by_signal(void) {
  kill(getpid(), SIGTERM);
}
static void by_fault(void) {
  prctl(PR_SET_DUMPABLE, 0);
  raise(SIGSEGV);
}
static void by_program(void) {
  execl("/bin/sh", "sh", "-c", "exit 6", (char*)NULL);
}
static void without_program(void) {
  execl("/nowhere/at/all", "program", (char*)NULL);
  _exit(127);
}

static void end_in_handler(int signal) {
  (void)signal;
  _exit(12);
}
static void by_handler(void) {
  NEED(signal(SIGUSR1, end_in_handler) != SIG_ERR);
  raise(SIGUSR1);
}
/* Not by libc's own end. */
static void by_call(void) {
  syscall(SYS_exit_group, 13);
}
static void quickly(void) {
  quick_exit(14);
}
static void in_child(const char* name, void (*end)(void)) {
  pid_t pid = fork();
  NEED(pid >= 0);
  if (pid != 0) {
    int status;
    NEED(waitpid(pid, &status, 0) == pid || errno == ECHILD);
    return;
  }
  access(name, F_OK);
  end();
  _exit(99);
}

/* Before this process has looked for anything: in the child libc calls, in our memory. */
static void spawned(void) {
  char* words[] = {"program", NULL};
  pid_t pid = -1;
  posix_spawn_file_actions_t actions;
  NEED(posix_spawn_file_actions_init(&actions) == 0);
  NEED(posix_spawn_file_actions_addopen(&actions, 0, "end-spawned", O_RDONLY, 0) == 0);
  NEED(posix_spawn(&pid, "/bin/true", &actions, NULL, words, words + 1) == ENOENT);
  for (int i = 0; i < 3; ++i) access("by-the-spawner", F_OK);
}

static void borrowed(void) {
  pid_t pid = vfork();
  if (pid == 0) {
    access("end-vfork", F_OK);
    execl("/nowhere/at/all", "program", (char*)NULL);
    _exit(3);
  }
  NEED(waitpid(pid, NULL, 0) == pid);
}

/* Nobody waits for it, and the kernel keeps no status. */
static void nobody_waits(void) {
  NEED(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
  in_child("end-ignored", by_code);
  _exit(0);
}

/* Its parent ends first, and whoever adopts it is told how it was killed. */
static void orphan(void) {
  int ends[2];
  char unused;
  NEED(pipe(ends) == 0);
  pid_t middle = fork();
  if (middle == 0) {
    middle = getpid();
    if (fork() != 0) _exit(0);
    while (getppid() == middle) usleep(1000);
    access("end-orphan", F_OK);
    kill(getpid(), SIGKILL);
  }
  close(ends[1]);
  NEED(read(ends[0], &unused, 1) == 0);
  NEED(waitpid(middle, NULL, 0) == middle);
}

/* Each of two threads says something else. The parent looks for "was-PID-STATUS". */
static pthread_barrier_t both;
static void* end_with(void* code) {
  pthread_barrier_wait(&both);
  _exit((int)(intptr_t)code);
}
static void together(void) {
  char name[64];
  for (int i = 0; i < 100; ++i) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
      pthread_t t;
      access("end-together", F_OK);
      access("end-together", F_OK);
      pthread_barrier_init(&both, NULL, 2);
      pthread_create(&t, NULL, end_with, (void*)3);
      end_with((void*)4);
    }
    NEED(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    snprintf(name, sizeof name, "was-%d-%d", pid, WEXITSTATUS(status));
    access(name, F_OK);
  }
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) {
    together();
    return 0;
  }
  spawned();
  in_child("end-code", by_code);
  in_child("end-wide", by_wide_code);
  in_child("end-thread", by_thread);
  in_child("end-beside", beside_thread);
  in_child("end-one-by-one", one_by_one);
  in_child("end-signal", by_signal);
  in_child("end-fault", by_fault);
  in_child("end-program", by_program);
  in_child("end-no-program", without_program);
  in_child("end-handler", by_handler);
  in_child("end-call", by_call);
  in_child("end-quick", quickly);
  borrowed();
  in_child("end-ignoring", nobody_waits);
  orphan();
  return 0;
}
