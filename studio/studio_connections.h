// Connections of the web server that are not conversations: those that have not asked for anything yet, and those that fetch files.
//
// Whoever connects and says nothing costs a connection without having to know the token. When there are too many of those, the oldest one is closed, so that the next viewer still gets in:
// it waits for nobody's time limit. For the thread of the web server alone.
#ifndef STUDIO_CONNECTIONS_H
#define STUDIO_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;

// Maximum connections without the token, maximum connections in all, and how many more may be on their way out.
enum {
  STUDIO_MAX_UNAUTHENTICATED = 64,
  STUDIO_MAX_OPEN = 96,
  STUDIO_MAX_CLOSING = 64,
  STUDIO_MAX_CONNECTIONS = STUDIO_MAX_OPEN + STUDIO_MAX_CLOSING
};

typedef struct studio_connection {
  struct MHD_Connection *connection;
  int socket;
  uint8_t address[8];  // of the client: IPv4, or the network part of IPv6
  bool authenticated;  // it has shown the token
  bool closing;        // its socket was shut down; the web server has not noticed yet
} studio_connection;

typedef struct studio_connections {
  studio_connection entries[STUDIO_MAX_CONNECTIONS];  // oldest first
  int count;
} studio_connections;

// A connection has come. Closes another one if there are too many.
void studio_connections_add(studio_connections *connections, struct MHD_Connection *connection);

// It has shown the token.
void studio_connections_authenticate(studio_connections *connections, const struct MHD_Connection *connection);

// It is closed, or has become a conversation.
void studio_connections_remove(studio_connections *connections, const struct MHD_Connection *connection);

#endif
