// The web server: pages, pictures and files by table, and the connections to the conversation.
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

// Listen. Fails with PL_ERROR_UNSUPPORTED when the port cannot be had.
pl_status studio_server_start(studio_server *server, pl_error *error);

// No new requests.
void studio_server_quiesce(studio_server *server);

// End; conversations must be over.
void studio_server_stop(studio_server *server);

#endif
