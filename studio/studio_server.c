// HTTP requests. All paths are looked up in tables: files of the page, names of the gallery, ids of downloads. No part
// of a request becomes a file path.
//
// Access needs the token, which is in the address that the program printed. A page of another site can make a browser
// send requests, but does not know the token. Requests whose `Host` is not a name of this server are refused (DNS
// rebinding), and WebSockets whose `Origin` is not the requested host.
#define _GNU_SOURCE
#include "studio_server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "io/file_bytes.h"
#include "studio_assets.h"

enum {
  MAX_CONNECTIONS = STUDIO_MAX_VIEWERS + STUDIO_MAX_CONNECTIONS,
  CONNECTION_MEMORY = 32 << 10,
  MAX_PATH = 512,
  HOST_LIMIT = 256
};
// Timeouts of idle connections without and with the token, s.
enum { UNAUTHENTICATED_SECONDS = 5, AUTHENTICATED_SECONDS = 15 };

#define POLICY                                                                                                         \
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; media-src "    \
  "blob:; "                                                                                                            \
  "font-src 'self' data:; connect-src 'self' ws: wss:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; " \
  "frame-ancestors 'none'"

typedef struct MHD_Connection connection;

static enum MHD_Result answer(connection *c, unsigned status, struct MHD_Response *response, const char *type) {
  if (response == NULL) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(response, "Cache-Control", "no-store");
  if (strncmp(type, "text/html", 9) == 0) MHD_add_response_header(response, "Content-Security-Policy", POLICY);
  enum MHD_Result result = MHD_queue_response(c, status, response);
  MHD_destroy_response(response);
  return result;
}

static enum MHD_Result answer_text(connection *c, unsigned status, const char *text) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
  return answer(c, status, response, "text/plain; charset=utf-8");
}

static enum MHD_Result refuse(studio_server *server, connection *c, unsigned status, const char *why) {
  studio_log_write(server->log, PL_SEVERITY_WARNING, "a request was refused: %s", why);
  return answer_text(c, status, why);
}

// --- files
// --------------------------------------------------------------------------------------------------------------------

static enum MHD_Result answer_asset(connection *c, const studio_asset *asset) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(asset->size, (void *)(uintptr_t)asset->bytes, MHD_RESPMEM_PERSISTENT);
  return answer(c, MHD_HTTP_OK, response, asset->type);
}

static const studio_asset *find_asset(const char *path) {
  for (size_t i = 0; i < studio_asset_count; ++i)
    if (strcmp(studio_assets[i].path, path) == 0) return &studio_assets[i];
  return NULL;
}

// Send a file from disk.
static enum MHD_Result answer_file(connection *c, FILE *file, const char *type, const char *name) {
  if (file == NULL) return answer_text(c, MHD_HTTP_NOT_FOUND, "not found\n");
  int number = dup(fileno(file));
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  struct MHD_Response *response =
      number >= 0 && size >= 0 ? MHD_create_response_from_fd64((uint64_t)size, number) : NULL;
  if (response == NULL && number >= 0) close(number);
  char disposition[300], safe[201];
  if (response != NULL && name != NULL) {
    snprintf(safe, sizeof safe, "%s", name);
    for (char *p = safe; *p != '\0'; ++p)
      if ((unsigned char)*p < ' ' || *p == '\\' || *p == '"' || *p == 0x7F) *p = '_';
    snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", safe);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
  }
  return answer(c, MHD_HTTP_OK, response, type);
}

static const char *type_of_name(const char *name) {
  static const char *const types[][2] = {
      {".json", "application/json"}, {".png", "image/png"}, {".mp4", "video/mp4"}, {".glb", "model/gltf-binary"},
      {".zip", "application/zip"},   {".csv", "text/csv"},  {".jpg", "image/jpeg"}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    if (pl_ending_is(name, types[i][0])) return types[i][1];
  return "application/octet-stream";
}

static enum MHD_Result answer_download(studio_server *server, connection *c, const char *id) {
  char *path, *name;
  if (!studio_files_find(server->files, id, &path, &name)) return answer_text(c, MHD_HTTP_NOT_FOUND, "not found\n");
  enum MHD_Result result = answer_file(c, fopen(path, "rb"), type_of_name(name), name);
  pl_release(server->context, path);
  pl_release(server->context, name);
  return result;
}

static enum MHD_Result answer_picture(studio_server *server, connection *c, const char *name) {
  char *path = studio_gallery_picture(server->gallery, name);
  enum MHD_Result result = answer_file(c, path != NULL ? fopen(path, "rb") : NULL, "image/png", NULL);
  pl_release(server->context, path);
  return result;
}

static enum MHD_Result answer_gallery(studio_server *server, connection *c) {
  size_t size;
  const char *text = studio_gallery_text(server->gallery, &size);
  if (text == NULL) return answer_text(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
  struct MHD_Response *response =
      MHD_create_response_from_buffer(size, (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
  return answer(c, MHD_HTTP_OK, response, "application/json");
}

// --- WebSocket
// ------------------------------------------------------------------------------------------------------------

// The name in a `Host` header, without port and brackets; false if it is not valid.
static bool read_host(const char *host, char name[HOST_LIMIT]) {
  if (host == NULL) return false;
  bool bracket = host[0] == '[';
  const char *start = host + bracket;
  size_t length = strcspn(start, bracket ? "]" : ":");
  const char *rest = start + length;
  if (bracket && *rest++ != ']') return false;
  if (length == 0 || length >= HOST_LIMIT ||
      (*rest != '\0' && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")] != '\0')))
    return false;
  memcpy(name, start, length);
  name[length] = '\0';
  return true;
}

// A server that listens on all addresses is reached by any of them, and by the name of the machine. A numeric address
// is safe to accept: DNS cannot redirect it.
static bool is_name_of_machine(const char *name) {
  struct in6_addr address;
  char own[HOST_LIMIT] = "";
  if (inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1) return true;
  if (gethostname(own, sizeof own - 1) != 0 || own[0] == '\0') return false;
  size_t length = strcspn(own, ".");
  return strcasecmp(name, own) == 0 ||
         (strncasecmp(name, own, length) == 0 && (name[length] == '\0' || strcasecmp(name + length, ".local") == 0));
}

// Through a tunnel the port may differ, so only the name is compared.
static bool is_own_host(const studio_server *server, const char *host) {
  static const char *const loopback[] = {"127.0.0.1", "localhost", "::1"}, *const everywhere[] = {"0.0.0.0", "::"};
  char name[HOST_LIMIT];
  if (!read_host(host, name)) return false;
  for (size_t i = 0; i < sizeof loopback / sizeof loopback[0]; ++i)
    if (strcasecmp(name, loopback[i]) == 0) return true;
  for (size_t i = 0; i < sizeof everywhere / sizeof everywhere[0]; ++i)
    if (strcmp(server->options->host, everywhere[i]) == 0) return is_name_of_machine(name);
  return strcasecmp(name, server->options->host) == 0;
}

// Programs other than browsers send no `Origin`. A proxy may add TLS.
static bool is_own_page(const char *origin, const char *host) {
  if (origin == NULL) return true;
  if (strncmp(origin, "http://", 7) == 0) return strcasecmp(origin + 7, host) == 0;
  return strncmp(origin, "https://", 8) == 0 && strcasecmp(origin + 8, host) == 0;
}

static void take_over(void *user, connection *c, void *request, const char *early, size_t early_size, MHD_socket socket,
                      struct MHD_UpgradeResponseHandle *handle) {
  (void)c;
  (void)request;
  studio_server *server = user;
  studio_hub_add(server->hub, handle, socket, early, early_size);
}

static const char *header(connection *c, const char *name) {
  return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result answer_world(studio_server *server, connection *c) {
  const char *upgrade = header(c, MHD_HTTP_HEADER_UPGRADE), *version = header(c, "Sec-WebSocket-Version");
  char accept[STUDIO_ACCEPT_SIZE];
  if (!is_own_page(header(c, "Origin"), header(c, MHD_HTTP_HEADER_HOST)))
    return refuse(server, c, MHD_HTTP_FORBIDDEN, "the request comes from a page of another site\n");
  if (upgrade == NULL || strcasecmp(upgrade, "websocket") != 0)
    return answer_text(c, MHD_HTTP_UPGRADE_REQUIRED, "this path is for WebSockets only\n");
  if (version == NULL || strcmp(version, "13") != 0 || !studio_websocket_accept(header(c, "Sec-WebSocket-Key"), accept))
    return refuse(server, c, MHD_HTTP_BAD_REQUEST, "not a WebSocket handshake\n");
  if (!studio_hub_has_free_slot(server->hub))
    return refuse(server, c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many viewers\n");
  struct MHD_Response *response = MHD_create_response_for_upgrade(take_over, server);
  if (response == NULL) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_UPGRADE, "websocket");
  MHD_add_response_header(response, "Sec-WebSocket-Accept", accept);
  enum MHD_Result result = MHD_queue_response(c, MHD_HTTP_SWITCHING_PROTOCOLS, response);
  MHD_destroy_response(response);
  if (result == MHD_YES) studio_connections_remove(&server->connections, c);
  return result;
}

// --- routes
// ----------------------------------------------------------------------------------------------------------------------

static enum MHD_Result answer_request(void *user, connection *c, const char *path, const char *method,
                                      const char *version, const char *upload, size_t *upload_size, void **request) {
  (void)version;
  (void)upload;
  (void)upload_size;
  (void)request;
  studio_server *server = user;
  if (!is_own_host(server, header(c, MHD_HTTP_HEADER_HOST)))
    return refuse(server, c, MHD_HTTP_FORBIDDEN,
                  "the host is not a name of this server: use the address that `pliant view` printed\n");
  if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
    return refuse(server, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is supported\n");
  if (strlen(path) > MAX_PATH) return refuse(server, c, MHD_HTTP_NOT_FOUND, "not found\n");
  const studio_asset *asset = strcmp(path, "/") != 0 ? find_asset(path) : NULL;
  if (asset != NULL) return answer_asset(c, asset);
  bool gallery = strcmp(path, "/gallery") == 0, world = strcmp(path, "/world") == 0, page = strcmp(path, "/") == 0;
  const char *picture = strncmp(path, "/pictures/", 10) == 0 ? path + 10 : NULL;
  const char *file = strncmp(path, "/file/", 6) == 0 ? path + 6 : NULL;
  if (!gallery && !world && !page && picture == NULL && file == NULL)
    return answer_text(c, MHD_HTTP_NOT_FOUND, "not found\n");
  if (!studio_token_matches(server->token, MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token")))
    return refuse(server, c, MHD_HTTP_FORBIDDEN,
                  "the token is missing or wrong: use the address that `pliant view` printed\n");
  studio_connections_authenticate(&server->connections, c);
  MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)AUTHENTICATED_SECONDS);
  if (page) return answer_asset(c, find_asset("/"));
  if (gallery) return answer_gallery(server, c);
  if (world) return answer_world(server, c);
  return picture != NULL ? answer_picture(server, c, picture) : answer_download(server, c, file);
}

static void follow_connection(void *user, connection *c, void **own, enum MHD_ConnectionNotificationCode code) {
  (void)own;
  studio_server *server = user;
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    studio_connections_add(&server->connections, c);
  else
    studio_connections_remove(&server->connections, c);
}

// --- starting
// ----------------------------------------------------------------------------------------------------------------------

static int open_socket(const studio_options *options, pl_error *error) {
  char port[16];
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *found = NULL;
  snprintf(port, sizeof port, "%d", options->port);
  int code = getaddrinfo(options->host, port, &hints, &found);
  if (code != 0) {
    pl_fail(error, PL_ERROR_UNSUPPORTED, "the host '%s' is unknown: %s", options->host, gai_strerror(code));
    return -1;
  }
  int opened = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
  if (opened >= 0) setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
  bool bound = opened >= 0 && bind(opened, found->ai_addr, found->ai_addrlen) == 0 && listen(opened, 128) == 0;
  freeaddrinfo(found);
  if (bound) return opened;
  pl_fail(error, PL_ERROR_UNSUPPORTED,
          "port %d of '%s' is not available; another program may use it: choose another port with --port",
          options->port, options->host);
  if (opened >= 0) close(opened);
  return -1;
}

static int port_of(int opened) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(opened, (struct sockaddr *)&address, &size) != 0) return 0;
  if (address.ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
  return ntohs(((const struct sockaddr_in *)&address)->sin_port);
}

pl_status studio_server_start(studio_server *server, pl_error *error) {
  if (!studio_token_create(server->token))
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "the system has no random numbers");
  int opened = open_socket(server->options, error);
  if (opened < 0) return PL_ERROR_UNSUPPORTED;
  server->port = port_of(opened);
  server->daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_UPGRADE | MHD_USE_ITC, 0, NULL, NULL, answer_request,
      server, MHD_OPTION_LISTEN_SOCKET, opened, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,
      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)UNAUTHENTICATED_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, follow_connection,
      server, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
  if (server->daemon != NULL) return PL_OK;
  close(opened);
  return pl_fail(error, PL_ERROR_UNSUPPORTED, "the web server could not be started");
}

void studio_server_quiesce(studio_server *server) {
  if (server->daemon == NULL) return;
  MHD_socket listening = MHD_quiesce_daemon(server->daemon);
  if (listening != MHD_INVALID_SOCKET) close(listening);
}

void studio_server_stop(studio_server *server) {
  if (server->daemon != NULL) MHD_stop_daemon(server->daemon);
  server->daemon = NULL;
}
