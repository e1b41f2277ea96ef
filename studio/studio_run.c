// Starts and stops the parts of the studio, in order of ownership.
//
//   web server (a thread of libmicrohttpd) ──► hub (one thread for all WebSockets) ──► queue ──► world (one thread that
//   simulates)
//                                                        ▲                                              │
//                                                        └────────────── messages and frames ◄────────────┘
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "studio_document.h"
#include "studio_server.h"
#include "studio_world.h"

static void report(const studio_options *options, const pl_findings *findings) {
  for (int32_t i = 0; i < pl_findings_count(findings, PL_SEVERITY_NOTE); ++i) {
    const pl_finding *finding = pl_findings_get(findings, i);
    char line[1024];
    if (finding->severity < PL_SEVERITY_WARNING) continue;
    pl_finding_format(finding, line, sizeof line);
    options->log(options->user, finding->severity, line);
  }
}

static void wait_for_stop(const studio_options *options) {
  while (!options->stop(options->user)) nanosleep(&(struct timespec){0, 50000000}, NULL);
}

static void report_address(const studio_server *server) {
  char address[300];
  const char *host = server->options->host;
  bool bare6 = strchr(host, ':') != NULL && host[0] != '[';
  snprintf(address, sizeof address, "http://%s%.200s%s:%d/?token=%s", bare6 ? "[" : "", host, bare6 ? "]" : "",
           server->port, server->token);
  server->options->ready(server->options->user, address);
}

// Check the scene before anything else is started, so that its problems are printed on the terminal.
static pl_status check_scene(pl_context *context, const studio_options *options, pl_error *error) {
  pl_scene *scene = NULL;
  pl_findings *findings = NULL;
  studio_document document = {.json = NULL};
  pl_vector text = pl_vector_of(context, 1);
  if (options->scene_path == NULL) return PL_OK;
  pl_status status = pl_findings_create(context, &findings, error);
  if (status >= 0) status = studio_document_read(context, options->scene_path, findings, &document, error);
  if (status >= 0) status = studio_document_text(&document, &text, error);
  if (status >= 0)
    status =
        pl_scene_load_memory(context, &(pl_memory_source){text.items, text.count, options->scene_path, document.folder},
                             &scene, findings, error);
  pl_vector_free(&text);
  studio_document_free(context, &document);
  if (findings != NULL) report(options, findings);
  if (status < 0 && findings != NULL && pl_findings_count(findings, PL_SEVERITY_ERROR) > 0 && error != NULL)
    *error = (pl_error){.status = status, .text = "the scene cannot be opened"};
  pl_scene_destroy(scene);
  pl_findings_destroy(findings);
  return status;
}

static pl_status serve(pl_context *context, const studio_options *options, pl_error *error) {
  studio_log log;
  studio_command_queue queue;
  studio_files files;
  studio_gallery gallery = {.context = context, .options = options};
  studio_log_init(&log, options);
  studio_command_queue_init(&queue);
  studio_files_init(&files, context);
  studio_hub *hub = studio_hub_create(context, &queue, &log);
  studio_server server = {
      .context = context, .options = options, .log = &log, .hub = hub, .files = &files, .gallery = &gallery};
  pl_status status = hub != NULL ? PL_OK : pl_fail(error, PL_ERROR_UNSUPPORTED, "a thread could not be started");
  studio_world *world = NULL;
  if (status >= 0) {
    world = studio_world_create(context, options, &log, hub, &queue, &files, error);
    status = world != NULL ? PL_OK : PL_ERROR_INVALID_DATA;
  }
  if (status >= 0) status = studio_server_start(&server, error);
  if (status >= 0) {
    report_address(&server);
    wait_for_stop(options);
  }
  studio_server_quiesce(&server);
  studio_world_destroy(world);
  studio_hub_destroy(hub);
  studio_server_stop(&server);
  studio_command_queue_free(&queue);
  studio_files_free(&files);
  studio_gallery_free(&gallery);
  studio_log_free(&log);
  return status;
}

pl_status studio_run(const studio_options *options, pl_error *error) {
  pl_context_def def = pl_default_context_def();
  pl_context *context = NULL;
  def.thread_count = options->thread_count;
  pl_status status = pl_context_create(&def, &context, error);
  if (status >= 0) status = check_scene(context, options, error);
  if (status >= 0) status = serve(context, options, error);
  pl_context_destroy(context);
  return status;
}
