// The web server: the page, pictures and files, and the upgrade to WebSockets.
#ifndef STUDIO_SERVER_H
#define STUDIO_SERVER_H

#include "studio_connections.h"
#include "studio_files.h"
#include "studio_gallery.h"
#include "studio_handshake.h"
#include "studio_hub.h"

typedef struct studio_server {
  pl_context *context;
  const studio_options *options;
  studio_log *log;
  studio_hub *hub;
  studio_files *files;
  studio_gallery *gallery;
  char token[STUDIO_TOKEN_SIZE];
  studio_connections connections;
  struct MHD_Daemon *daemon;
  int port;
} studio_server;

// Start listening. Fails with PL_ERROR_UNSUPPORTED if the port is not available.
pl_status studio_server_start(studio_server *server, pl_error *error);

// Stop accepting connections.
void studio_server_quiesce(studio_server *server);

// End the server; all WebSockets must be closed.
void studio_server_stop(studio_server *server);

#endif
