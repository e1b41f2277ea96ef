#!/usr/bin/env python3
"""What the Python package costs, for docs/notes/python.md: build/python/bin/python3 scripts/measure_python.py [steps|batch|gradient].

steps      a world of 2,025 particles stepped with its positions read each frame, from Python and from C, in turn (time of the stepping thread)
batch      1,000 worlds of 216 particles in one batch against the same worlds one after the other, on 1 thread and on 2 (wall-clock and
           processor time)
gradient   a run of 500 points over 100 steps, its adjoint by all inputs, and a forward derivative
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pliant

ROOT = pathlib.Path(__file__).resolve().parent.parent
FRAMES = 60
TWIN = """
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec; }
int main(void) {
  pl_context_def c = pl_default_context_def(); pl_solid_def s = pl_default_solid_def(); pl_world_def w = pl_default_world_def();
  pl_body_def b = pl_default_body_def(); pl_collider_def g = pl_default_collider_def(PL_COLLIDER_HALF_SPACE);
  c.thread_count = 1;
  pl_context *context; pl_mesh *mesh; pl_model *model; pl_world *world; pl_body_id id; pl_error e;
  pl_context_create(&c, &context, &e);
  pl_mesh_create_box(context, (pl_vec3){0.2, 0.2, 0.6}, (int32_t[3]){8, 8, 24}, &mesh, &e);
  pl_solid_build(context, &s, mesh, &model, &e);
  pl_world_create(context, &w, &world, &e);
  pl_world_add_collider(world, &g, NULL, &e);
  b.model = model; b.placement.position.y = 0.15;
  pl_world_add_body(world, &b, &id, &e);
  pl_vec3 *x = malloc(2025 * sizeof *x);
  double sum = 0, start = now();
  for (int f = 0; f < FRAMES; ++f) { for (int k = 0; k < 4; ++k) pl_world_step(world, NULL, &e); pl_body_get_positions(world, id, x); sum += x[0].y; }
  printf("%.9f %.17g\\n", now() - start, sum);
}
""".replace("FRAMES", str(FRAMES))


def steps():
    with tempfile.TemporaryDirectory() as folder:
        source, program, library = pathlib.Path(folder, "twin.c"), pathlib.Path(folder, "twin"), pathlib.Path(pliant.__file__).parent / "lib/libpliant-python.so"
        source.write_text(TWIN)
        subprocess.run(["cc", "-O2", f"-I{ROOT}/include", "-o", program, source, library, f"-Wl,-rpath,{library.parent}"], check=True)

        def in_c():
            return map(float, subprocess.run([program], capture_output=True, text=True, check=True).stdout.split())

        def in_python():
            context = pliant.Context(threads=1)
            with pliant.World(context=context) as world:
                world.add_collider()
                body = world.add_body(pliant.solid(pliant.Mesh.box((0.2, 0.2, 0.6), (8, 8, 24), context=context)), (0, 0.15, 0))
                total, start = 0.0, time.thread_time()
                for _ in range(FRAMES):
                    world.step(4)
                    total += body.positions[0, 1]
                return time.thread_time() - start, total
        ratios, best = [], [np.inf, np.inf]
        for _ in range(15):
            (c, sum_c), (python, sum_python) = in_c(), in_python()
            assert sum_c == sum_python, "both see the same positions"
            ratios.append(python / c)
            best = [min(best[0], c), min(best[1], python)]
        per = 1e6 / (4 * FRAMES)
        print(f"2,025 particles, positions read each frame: C {best[0] * per:.0f} us a step, Python {best[1] * per:.0f}; Python / C: best {best[1] / best[0]:.3f}, "
              f"median of pairs {statistics.median(ratios):.3f}")


def batch():
    mesh = pliant.Mesh.box((0.2, 0.2, 0.2), (5, 5, 5))
    model = pliant.solid(mesh)

    def make(context):
        def world(i):
            made = pliant.World(context=context)
            made.add_collider()
            made.add_body(model, (0, 0.11 + 0.0002 * i, 0))
            return made
        return world
    for threads in (1, 2):
        context, single = pliant.Context(threads=threads), pliant.Context(threads=1)
        with pliant.Batch(make(context), 1000, context=context) as together, pliant.Batch(make(single), 1000) as alone:
            together.step(2)
            for world in alone.worlds:
                world.step(2)
            ratios, work = [], []
            for _ in range(7):
                start = time.perf_counter(), time.process_time()
                together.step(2)
                middle = time.perf_counter(), time.process_time()
                for world in alone.worlds:
                    world.step(2)
                end = time.perf_counter(), time.process_time()
                ratios.append((end[0] - middle[0]) / (middle[0] - start[0]) / threads)
                work.append((end[1] - middle[1]) / (middle[1] - start[1]))
            assert together.hashes == alone.hashes
            print(f"1,000 worlds of {len(mesh.points)} particles on {threads} threads: {statistics.median(ratios):.2f} (best {max(ratios):.2f}) of the summed speed of "
                  f"single worlds, {statistics.median(work):.2f} by processor time")


def gradient():
    mesh = pliant.Mesh.box((0.6, 0.12, 0.12), (19, 4, 4))
    held = np.flatnonzero(mesh.points[:, 0] < -0.299)
    rollout = pliant.Rollout(pliant.fem(mesh, young=8e4, stiffness_damping=1e-3), pinned=held, step=1 / 120, step_count=100)
    wanted = [name for name in rollout.INPUTS if name != "weights"]
    times = []
    for _ in range(3):
        start = time.perf_counter()
        positions = rollout.run()
        ran = time.perf_counter()
        rollout.pull(np.ones_like(positions), wanted=wanted)
        pulled = time.perf_counter()
        rollout.push(mass_damping=1.0)
        times.append((ran - start, pulled - ran, time.perf_counter() - pulled))
    run, pull, push = np.median(times, axis=0)
    inputs = sum(int(np.prod(rollout.shapes[name], dtype=int)) for name in wanted)
    print(f"500 points, 100 steps: run {run:.2f} s, adjoint by {inputs:,} inputs {pull:.2f} s ({pull / run:.2f} runs), one forward derivative {push:.2f} s ({push / run:.2f} runs)")


if __name__ == "__main__":
    for what in sys.argv[1:] or ("steps", "batch", "gradient"):
        {"steps": steps, "batch": batch, "gradient": gradient}[what]()
