// HTTP connections of the web server: all that are not WebSockets.
//
// Any program can open connections without knowing the token. When there are too many, the oldest
// one is closed, so that the next viewer can connect without waiting for a timeout. Used only by
// the web server's thread.
#ifndef STUDIO_CONNECTIONS_H
#define STUDIO_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;

// Maximum connections without the token, maximum open connections, and maximum connections that are
// being closed.
enum {
  STUDIO_MAX_UNAUTHENTICATED = 64,
  STUDIO_MAX_OPEN = 96,
  STUDIO_MAX_CLOSING = 64,
  STUDIO_MAX_CONNECTIONS = STUDIO_MAX_OPEN + STUDIO_MAX_CLOSING
};

typedef struct studio_connection {
  struct MHD_Connection *connection;
  int socket;
  uint8_t address[8];  // of the client: IPv4, or the network prefix of IPv6
  bool authenticated;  // a request had the token
  bool closing;        // its socket was shut down, but the web server has not closed it yet
} studio_connection;

typedef struct studio_connections {
  studio_connection entries[STUDIO_MAX_CONNECTIONS];  // oldest first
  int count;
} studio_connections;

// Add a new connection; closes another one if there are too many.
void studio_connections_add(studio_connections *connections, struct MHD_Connection *connection);

// A request on this connection had the token.
void studio_connections_authenticate(studio_connections *connections,
                                     const struct MHD_Connection *connection);

// The connection was closed, or upgraded to a WebSocket.
void studio_connections_remove(studio_connections *connections,
                               const struct MHD_Connection *connection);

#endif
