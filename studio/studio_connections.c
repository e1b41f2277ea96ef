// The table of HTTP connections, oldest first.
#define _GNU_SOURCE
#include "studio_connections.h"

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
  // A machine may have many IPv6 addresses, but they share the first half.
  if (info->client_addr->sa_family == AF_INET6)
    memcpy(address, &((const struct sockaddr_in6 *)(const void *)info->client_addr)->sin6_addr, 8);
}

static int count_open(const studio_connections *connections, bool authenticated) {
  int count = 0;
  for (int i = 0; i < connections->count; ++i)
    count += !connections->entries[i].closing && connections->entries[i].authenticated == authenticated;
  return count;
}

static int count_address(const studio_connections *connections, const studio_connection *like) {
  int count = 0;
  for (int i = 0; i < connections->count; ++i) {
    const studio_connection *entry = &connections->entries[i];
    count += !entry->closing && entry->authenticated == like->authenticated &&
             memcmp(entry->address, like->address, sizeof like->address) == 0;
  }
  return count;
}

// Close the oldest connection of the address with the most connections, so that a flood from one machine closes its own
// connections.
static void close_one(studio_connections *connections, bool authenticated) {
  studio_connection *chosen = NULL;
  int max = 0;
  for (int i = 0; i < connections->count; ++i) {
    studio_connection *entry = &connections->entries[i];
    int count = entry->closing || entry->authenticated != authenticated ? 0 : count_address(connections, entry);
    if (count <= max) continue;
    max = count;
    chosen = entry;
  }
  if (chosen == NULL) return;
  // The web server owns the socket: it notices the shutdown and closes it.
  shutdown(chosen->socket, SHUT_RDWR);
  chosen->closing = true;
}

void studio_connections_add(studio_connections *connections, struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (info == NULL) return;
  int unauthenticated = count_open(connections, false);
  if (unauthenticated >= STUDIO_MAX_UNAUTHENTICATED)
    close_one(connections, false);
  else if (unauthenticated + count_open(connections, true) >= STUDIO_MAX_OPEN)
    close_one(connections, unauthenticated == 0);
  // If the table is full, the connection is not tracked; its timeout still applies.
  if (connections->count == STUDIO_MAX_CONNECTIONS) return;
  studio_connection *entry = &connections->entries[connections->count++];
  *entry = (studio_connection){.connection = connection, .socket = info->connect_fd};
  read_address(connection, entry->address);
}

void studio_connections_authenticate(studio_connections *connections, const struct MHD_Connection *connection) {
  for (int i = 0; i < connections->count; ++i)
    if (connections->entries[i].connection == connection) connections->entries[i].authenticated = true;
}

void studio_connections_remove(studio_connections *connections, const struct MHD_Connection *connection) {
  int kept = 0;
  for (int i = 0; i < connections->count; ++i)
    if (connections->entries[i].connection != connection) connections->entries[kept++] = connections->entries[i];
  connections->count = kept;
}
