// A table of connections in the order in which they came.
#define _GNU_SOURCE
#include "studio_door.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static void read_address(struct MHD_Connection *connection, uint8_t address[8]) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  memset(address, 0, 8);
  if (info == NULL || info->client_addr == NULL) return;
  if (info->client_addr->sa_family == AF_INET)
    memcpy(address, &((const struct sockaddr_in *)(const void *)info->client_addr)->sin_addr, 4);
  // One machine has as many IPv6 addresses as it likes, but they share the first half.
  if (info->client_addr->sa_family == AF_INET6)
    memcpy(address, &((const struct sockaddr_in6 *)(const void *)info->client_addr)->sin6_addr, 8);
}

static int count_open(const studio_door *door, bool known) {
  int count = 0;
  for (int i = 0; i < door->count; ++i) count += !door->entries[i].closing && door->entries[i].known == known;
  return count;
}

static int count_address(const studio_door *door, const studio_door_entry *like) {
  int count = 0;
  for (int i = 0; i < door->count; ++i) {
    const studio_door_entry *entry = &door->entries[i];
    count += !entry->closing && entry->known == like->known && memcmp(entry->address, like->address, sizeof like->address) == 0;
  }
  return count;
}

// The oldest connection of the address that has most of them: a crowd from one machine closes its own connections.
static void close_one(studio_door *door, bool known) {
  studio_door_entry *chosen = NULL;
  int max = 0;
  for (int i = 0; i < door->count; ++i) {
    studio_door_entry *entry = &door->entries[i];
    int count = entry->closing || entry->known != known ? 0 : count_address(door, entry);
    if (count <= max) continue;
    max = count;
    chosen = entry;
  }
  if (chosen == NULL) return;
  // The web server owns the socket: it finds the end of it, and closes it.
  shutdown(chosen->socket, SHUT_RDWR);
  chosen->closing = true;
}

void studio_door_arrive(studio_door *door, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info == NULL) return;
  int unknown = count_open(door, false);
  if (unknown >= STUDIO_DOOR_UNKNOWN)
    close_one(door, false);
  else if (unknown + count_open(door, true) >= STUDIO_DOOR_OPEN)
    close_one(door, unknown == 0);
  // The web server's own limit keeps the table from being full.
  if (door->count == STUDIO_DOOR_SIZE) return;
  studio_door_entry *entry = &door->entries[door->count++];
  *entry = (studio_door_entry){.connection = connection, .socket = info->connect_fd};
  read_address(connection, entry->address);
}

void studio_door_admit(studio_door *door, const struct MHD_Connection *connection) {
  for (int i = 0; i < door->count; ++i)
    if (door->entries[i].connection == connection) door->entries[i].known = true;
}

void studio_door_leave(studio_door *door, const struct MHD_Connection *connection) {
  int kept = 0;
  for (int i = 0; i < door->count; ++i)
    if (door->entries[i].connection != connection) door->entries[kept++] = door->entries[i];
  door->count = kept;
}
