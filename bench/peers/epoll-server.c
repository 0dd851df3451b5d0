// The server of the benchmarks: epoll, one thread, the same answer to every request.
// usage: epoll-server [stamps-file]   prints its port; on SIGTERM writes the arrival time of each
// request (CLOCK_MONOTONIC, ns, one int64 each) to the file and ends.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static const char ANSWER[] =
    "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\nContent-Type: application/json\r\n"
    "Content-Length: 27\r\nConnection: keep-alive\r\nApigw-Requestid: Jx1aBhZrIAMEPqA=\r\n\r\n"
    "{\"message\":\"hello, world!\"}";
#define STAMPS_MAX 2000000
#define FD_MAX 65536
static int64_t stamps[STAMPS_MAX];
static unsigned char matched[FD_MAX]; // how much of CR LF CR LF each connection has shown
static int count;
static volatile sig_atomic_t stopped;

static void stop(int signal) { (void)signal; stopped = 1; }

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void answer(int fd, const char *bytes, ssize_t length, int64_t at) {
  for (ssize_t i = 0; i < length; i++) {
    unsigned char m = matched[fd];
    char wanted = (m & 1) ? '\n' : '\r';
    matched[fd] = bytes[i] == wanted ? m + 1 : bytes[i] == '\r' ? 1 : 0;
    if (matched[fd] < 4) continue;
    matched[fd] = 0;
    if (count < STAMPS_MAX) stamps[count++] = at;
    if (write(fd, ANSWER, sizeof ANSWER - 1) < 0) return;
  }
}

int main(int argc, char **argv) {
  struct sigaction act = {.sa_handler = stop};
  sigaction(SIGTERM, &act, NULL);
  signal(SIGPIPE, SIG_IGN);
  int on = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(server, (struct sockaddr *)&address, size) || listen(server, 1024)) return 1;
  getsockname(server, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = server}, ready[256];
  epoll_ctl(poll, EPOLL_CTL_ADD, server, &event);
  static char bytes[65536];
  while (!stopped) {
    int n = epoll_wait(poll, ready, 256, -1);
    int64_t at = argc > 1 ? now() : 0;
    for (int i = 0; i < n; i++) {
      int fd = ready[i].data.fd;
      if (fd == server) {
        while ((fd = accept4(server, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
          event = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
          if (fd >= FD_MAX || epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event)) close(fd);
          else matched[fd] = 0;
        }
        continue;
      }
      ssize_t length = read(fd, bytes, sizeof bytes);
      if (length > 0) answer(fd, bytes, length, at);
      else if (length == 0 || errno != EAGAIN) close(fd);
    }
  }
  FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
  if (file) fwrite(stamps, sizeof stamps[0], count, file), fclose(file);
  return 0;
}
