// What a run came to as one JSON object on standard output, for programs that call the tool (--json).
#include <math.h>
#include <stdio.h>

#include "tool_folder.h"
#include "tool_run.h"

static void print_vector(pl_vec3 v) {
  tool_print_json_numbers((const double[]){v.x, v.y, v.z}, 3);
}

static void print_body(const run_job *run, const run_body *body) {
  pl_body_report report = pl_body_get_report(run->world, body->info.id);
  pl_fem_report fem = {0};
  bool elastic = pl_fem_get_report(run->world, body->info.id, &fem) >= 0;
  printf("{\"name\":");
  tool_print_json_text(body->info.name);
  printf(",\"method\":");
  tool_print_json_text(pl_model_get_report(body->model).method);
  printf(",\"particles\":%d,\"mass\":", body->particle_count);
  tool_print_json_number(report.mass);
  printf(",\"contact_radius\":");
  tool_print_json_number(pl_model_get_report(body->model).contact_radius);
  printf(",\"center\":");
  print_vector(report.center);
  printf(",\"momentum\":");
  print_vector(report.momentum);
  printf(",\"kinetic_energy\":");
  tool_print_json_number(report.kinetic_energy);
  printf(",\"elastic_energy\":");
  tool_print_json_number(elastic ? fem.energy : HUGE_VAL);  // null: other methods have none
  pl_solid_report solid;
  if (pl_solid_get_report(run->world, body->info.id, &solid) >= 0)
    printf(",\"inverted_regions\":%d", solid.inverted_count);
  putchar('}');
}

void run_print_strain(const run_job *run) {
  for (int32_t i = 0; i < run->body_count; ++i) {
    pl_solid_report solid;
    if (pl_solid_get_report(run->world, run->bodies[i].info.id, &solid) < 0 || solid.inverted_count == 0) continue;
    char name[200];
    pl_scene_instance_name_point(run->set, i, solid.worst_point, name, sizeof name);
    tool_print(&run->tool->console,
               "%s: %d regions are inside out at the end, strained past what they can hold; the worst is in %s",
               run->bodies[i].info.name, solid.inverted_count, name);
  }
}

void run_print_report(const run_job *run, bool complete) {
  printf("{\"scene\":");
  tool_print_json_text(run->facts.name);
  printf(",\"folder\":");
  tool_print_json_text(run->folder);
  printf(",\"complete\":%s,\"frames\":%lld,\"frame_rate\":", complete ? "true" : "false",
         (long long)pl_frame_log_count(run->log));
  tool_print_json_number(run->facts.frame_rate);
  printf(",\"time\":");
  tool_print_json_number(pl_world_get_time(run->world));
  printf(",\"steps\":%lld,\"unconverged_steps\":%lld,\"hash\":\"%016llx\",\"seconds\":{",
         (long long)run->total.step_count, (long long)run->total.unconverged_count,
         (unsigned long long)pl_world_get_hash(run->world));
  for (int k = 0; k < PL_STEP_PHASE_COUNT; ++k) {
    printf("%s\"%s\":", k > 0 ? "," : "", pl_step_phase_name((pl_step_phase)k));
    tool_print_json_number(run->total.phase_seconds[k]);
  }
  printf("},\"bodies\":[");
  for (int32_t i = 0; i < run->body_count; ++i) {
    if (i > 0) putchar(',');
    print_body(run, &run->bodies[i]);
  }
  printf("]}\n");
}
