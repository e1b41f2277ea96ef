// MP4, GIF and WebP out, through the program `ffmpeg`.
//
// The pictures go to its standard input as raw pixels; it writes to a temporary name next to the path, which is renamed
// once it has ended well.
//
// - Both of its streams are socket pairs, not pipes: writing to a socket whose reader is gone can be told not to raise
// SIGPIPE,
//   so the host's signal
//   handling is left alone.
// - While waiting to write we also take what it says on its standard error. Otherwise a program that complains a lot
// would wait
//   for us to read, and
//   we for it to take the picture.
// - It runs in a process group of its own: Ctrl-C on the terminal then reaches only the host, which may still close the
// video
//   properly.
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "pliant/picture.h"

#define MAX_SIDE 16384  // pixels; more than the format's decoders take
#define MAX_RATE 1000.0
#define MIN_RATE 0.001
#define MESSAGE_SIZE 400
#define MAX_ARGUMENTS 48

extern char **environ;

struct pl_video {
  pl_context *context;
  char *path, *temporary;
  int32_t width, height;
  int64_t frame_count;
  pid_t process;
  int pixels;                  // socket to its standard input
  int words;                   // socket from its standard error
  char message[MESSAGE_SIZE];  // the beginning of what it said
  size_t message_length;
};

static void close_socket(int *socket) {
  if (*socket >= 0) close(*socket);
  *socket = -1;
}

// Take what the program has said so far; false at the end of its words.
static bool take_words(pl_video *self) {
  char bytes[512];
  ssize_t count = recv(self->words, bytes, sizeof bytes, 0);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  for (ssize_t i = 0; i < count && self->message_length + 1 < MESSAGE_SIZE; ++i) {
    // An error is one line, so line breaks become spaces.
    char c = bytes[i] == '\n' || bytes[i] == '\r' ? ' ' : bytes[i];
    self->message[self->message_length++] = c;
  }
  self->message[self->message_length] = '\0';
  return count > 0;
}

// Listen until the program has closed its standard error, then take its exit status. True when it ended well.
static bool finish_process(pl_video *self) {
  close_socket(&self->pixels);
  if (self->words >= 0)
    while (take_words(self)) continue;
  close_socket(&self->words);
  int result = 0;
  pid_t ended;
  do ended = waitpid(self->process, &result, 0);
  while (ended < 0 && errno == EINTR);
  self->process = 0;
  // A host that ignores SIGCHLD never learns the status; then the file that is there has to speak for itself.
  if (ended < 0) return self->message_length == 0;
  return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static void destroy(pl_video *self) {
  close_socket(&self->pixels);
  close_socket(&self->words);
  pl_release(self->context, self->path);
  pl_release(self->context, self->temporary);
  pl_release(self->context, self);
}

// Start the program with its ends of the sockets as standard input and error. Returns an errno.
static int spawn(pl_video *self, char *const arguments[], int input, int words) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  int code = posix_spawnp(&self->process, arguments[0], &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

// How the pictures are packed, by the ending of the path. Players of MP4 want even sizes and 4:2:0; odd ones get one
// more column or row, in black. Films for pages repeat, and have at most 25 frames per second, because browsers slow
// down GIF files with more than 50.
static const char *const *arguments_of_kind(const char *path) {
  static const char *const mp4[] = {
      "-vf",
      "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
      "-c:v",
      "libx264",
      "-preset",
      "fast",
      "-crf",
      "18",
      "-colorspace",
      "bt709",
      "-color_primaries",
      "bt709",
      "-color_trc",
      "iec61966-2-1",
      "-color_range",
      "tv",
      "-movflags",
      "+faststart",
      "-f",
      "mp4",
      NULL};
  static const char *const gif[] = {"-vf",
                                    "fps=min(25\\,source_fps),split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]"
                                    "paletteuse=dither=bayer:bayer_scale=4",
                                    "-loop",
                                    "0",
                                    "-f",
                                    "gif",
                                    NULL};
  static const char *const webp[] = {
      "-vf", "fps=min(25\\,source_fps)", "-c:v", "libwebp_anim", "-lossless", "0",  "-q:v",
      "60",  "-compression_level",       "6",    "-loop",        "0",         "-f", "webp",
      NULL};
  return pl_ending_is(path, ".gif") ? gif : pl_ending_is(path, ".webp") ? webp : mp4;
}

static pl_status start(pl_video *self, double frame_rate, pl_error *error) {
  int pixels[2] = {-1, -1}, words[2] = {-1, -1};
  char size[32], rate[48];
  snprintf(size, sizeof size, "%dx%d", self->width, self->height);
  // Thousandths as a fraction: exact for every usual rate, and no decimal point to depend on the locale.
  snprintf(rate, sizeof rate, "%ld/1000", (long)(frame_rate * 1000 + 0.5));
  // The prefix keeps names with a colon or a dash in front from being taken for something else.
  char *name = pl_allocate(self->context, strlen("file:") + strlen(self->temporary) + 1);
  if (name == NULL) return pl_fail_memory(error);
  strcpy(name, "file:");
  strcat(name, self->temporary);
  const char *arguments[MAX_ARGUMENTS] = {
      "ffmpeg", "-nostdin",    "-hide_banner", "-loglevel",  "error", "-f", "rawvideo", "-pixel_format",
      "rgb24",  "-video_size", size,           "-framerate", rate,    "-i", "pipe:0",   "-an"};
  const char *const *kind = arguments_of_kind(self->path);
  size_t count = 0;
  while (arguments[count] != NULL) ++count;
  while (*kind != NULL) arguments[count++] = *kind++;
  arguments[count++] = "-y";
  arguments[count] = name;
  int code = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pixels) != 0 ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, words) != 0)
    code = errno;
  if (code == 0) {
    // The interface is older than const; it does not write to them.
    union {
      const char *const *given;
      char *const *wanted;
    } list = {arguments};
    code = spawn(self, list.wanted, pixels[1], words[1]);
  }
  pl_release(self->context, name);
  close_socket(&pixels[1]);
  close_socket(&words[1]);
  self->pixels = pixels[0];
  self->words = words[0];
  if (code == 0) return PL_OK;
  self->process = 0;
  if (code == ENOENT || code == EACCES)
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "videos need the program ffmpeg, which is not installed (Debian package ffmpeg)");
  return pl_fail(error, PL_ERROR_FILE, "the program ffmpeg cannot be started: %s", strerror(code));
}

// An empty file under a new name next to the path, for ffmpeg to write over.
static pl_status make_temporary(pl_video *self, pl_error *error) {
  size_t size = strlen(self->path) + 40;
  self->temporary = pl_allocate(self->context, size);
  if (self->temporary == NULL) return pl_fail_memory(error);
  for (int attempt = 0; attempt < 100; ++attempt) {
    snprintf(self->temporary, size, "%s.%ld-%d.tmp", self->path, (long)getpid(), attempt);
    int file = open(self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return PL_OK;
    }
    if (errno != EEXIST) break;
  }
  return pl_fail_at(error, PL_ERROR_FILE, self->path, 0, 0, "the file cannot be written: %s", strerror(errno));
}

pl_video_def pl_default_video_def(void) {
  return (pl_video_def){.width = 1280, .height = 720, .frame_rate = 60, .magic = PL_DEF_MAGIC};
}

static pl_status check(const pl_video_def *def, pl_error *error) {
  pl_status status = pl_check_def(def->magic, "pl_default_video_def", error);
  if (status < 0) return status;
  int32_t width = def->width, height = def->height;
  if (def->path == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the path is NULL");
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT,
                   "a video of %d x %d pixels cannot be written; sides are from 1 to %d", width, height, MAX_SIDE);
  if (!(def->frame_rate >= MIN_RATE && def->frame_rate <= MAX_RATE))
    return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the frame rate must be from 0.001 to 1000 pictures a second");
  return PL_OK;
}

pl_status pl_video_create(pl_context *context, const pl_video_def *def, pl_video **video, pl_error *error) {
  *video = NULL;
  pl_status status = check(def, error);
  if (status < 0) return status;
  pl_video *self = pl_allocate(context, sizeof *self);
  if (self == NULL) return pl_fail_memory(error);
  *self = (pl_video){.context = context, .width = def->width, .height = def->height, .pixels = -1, .words = -1};
  self->path = pl_allocate(context, strlen(def->path) + 1);
  if (self->path == NULL) {
    destroy(self);
    return pl_fail_memory(error);
  }
  strcpy(self->path, def->path);
  status = make_temporary(self, error);
  if (status == PL_OK) {
    status = start(self, def->frame_rate, error);
    if (status < 0) unlink(self->temporary);
  }
  if (status < 0) {
    destroy(self);
    return status;
  }
  *video = self;
  return PL_OK;
}

pl_status pl_video_add_frame(pl_video *video, const uint8_t *rgb, pl_error *error) {
  if (rgb == NULL) return pl_fail(error, PL_ERROR_INVALID_ARGUMENT, "the pixels are NULL");
  size_t left = (size_t)video->width * (size_t)video->height * 3;
  bool listening = true;
  while (left > 0) {
    struct pollfd ready[2] = {{video->pixels, POLLOUT, 0}, {listening ? video->words : -1, POLLIN, 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) break;
    if (ready[1].revents != 0) listening = take_words(video);
    if (ready[0].revents == 0) continue;
    ssize_t sent = send(video->pixels, rgb, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) break;
    rgb += sent;
    left -= (size_t)sent;
  }
  if (left == 0) {
    video->frame_count++;
    return PL_OK;
  }
  int code = errno;
  while (listening && code == EPIPE && take_words(video)) continue;
  return pl_fail_at(error, PL_ERROR_FILE, video->path, 0, 0, "ffmpeg stopped: %s",
                    video->message_length > 0 ? video->message : strerror(code));
}

pl_status pl_video_close(pl_video *video, pl_error *error) {
  pl_status status = PL_OK;
  bool good = finish_process(video);
  if (video->frame_count == 0)
    status = pl_fail_at(error, PL_ERROR_INVALID_DATA, video->path, 0, 0, "a video needs at least one picture");
  else if (!good)
    status = pl_fail_at(error, PL_ERROR_FILE, video->path, 0, 0, "ffmpeg failed: %s",
                        video->message_length > 0 ? video->message : "it gave no reason");
  else if (rename(video->temporary, video->path) != 0)
    status = pl_fail_at(error, PL_ERROR_FILE, video->path, 0, 0, "the file cannot be renamed into place: %s",
                        strerror(errno));
  if (status < 0) unlink(video->temporary);
  destroy(video);
  return status;
}

void pl_video_abandon(pl_video *video) {
  if (video == NULL) return;
  if (video->process > 0) {
    kill(video->process, SIGKILL);
    finish_process(video);
  }
  unlink(video->temporary);
  destroy(video);
}
