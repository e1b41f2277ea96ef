// Connections of the web server that are not conversations: those that have not asked for anything yet, and those that fetch files.
//
// Whoever connects and says nothing costs a connection without having to know the token. When there are too many of those, the oldest one is closed, so that the next viewer still gets in:
// it waits for nobody's time limit. For the thread of the web server alone.
#ifndef STUDIO_DOOR_H
#define STUDIO_DOOR_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;

// Maximum connections without the token, maximum connections in all, and how many more may be on their way out.
enum {
  STUDIO_DOOR_UNKNOWN = 64,
  STUDIO_DOOR_OPEN = 96,
  STUDIO_DOOR_CLOSING = 64,
  STUDIO_DOOR_SIZE = STUDIO_DOOR_OPEN + STUDIO_DOOR_CLOSING
};

typedef struct studio_door_entry {
  struct MHD_Connection *connection;
  int socket;
  uint8_t address[8];  // of the client: IPv4, or the network part of IPv6
  bool known;          // it has shown the token
  bool closing;        // its socket was shut down; the web server has not noticed yet
} studio_door_entry;

typedef struct studio_door {
  studio_door_entry entries[STUDIO_DOOR_SIZE];  // oldest first
  int count;
} studio_door;

// A connection has come. Closes another one if there are too many.
void studio_door_arrive(studio_door *door, struct MHD_Connection *connection);

// It has shown the token.
void studio_door_admit(studio_door *door, const struct MHD_Connection *connection);

// It is closed, or has become a conversation.
void studio_door_leave(studio_door *door, const struct MHD_Connection *connection);

#endif
