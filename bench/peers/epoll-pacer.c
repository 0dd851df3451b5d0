// The peer of our pacing: sends a GET at each moment of a uniform schedule, on free connections.
// usage: epoll-pacer port rate count      waits on a timerfd for the next absolute due time
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 64
static const char REQUEST[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 4) return 64;
  double rate = atof(argv[2]);
  int count = atoi(argv[3]), sent = 0, done = 0, freed = 0, on = 1, idle[CONNECTIONS];
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int poll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = timer}, ready[256];
  epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
  for (int i = 0; i < CONNECTIONS; i++) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to)) return 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    event = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
    idle[freed++] = fd;
  }
  static char bytes[65536];
  int64_t start = now() + 10000000;
  while (done < count) {
    int64_t due = start + (int64_t)(sent * 1e9 / rate), at = now();
    for (; sent < count && due <= at && freed > 0; due = start + (int64_t)(sent * 1e9 / rate)) {
      if (write(idle[--freed], REQUEST, sizeof REQUEST - 1) < 0) return 1;
      sent++;
    }
    if (sent < count && due > at) {
      struct itimerspec next = {.it_value = {due / 1000000000, due % 1000000000}};
      timerfd_settime(timer, TFD_TIMER_ABSTIME, &next, NULL);
    }
    int n = epoll_wait(poll, ready, 256, -1);
    for (int i = 0; i < n; i++) {
      int fd = ready[i].data.fd;
      ssize_t length = read(fd, bytes, sizeof bytes);
      if (fd == timer) continue;
      if (length <= 0) return 1;
      done++; // answers are small enough to come whole
      idle[freed++] = fd;
    }
  }
  return 0;
}
