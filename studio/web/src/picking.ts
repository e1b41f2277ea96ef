// The pointer in the 3D view: pulls bodies, pins with Shift, moves goals, and moves the tool in scenes with detail; elsewhere it rotates the view.
import { Mesh, Plane, Vector3 } from 'three';
import { clicked } from './bones';
import type { Connection } from './connection';
import type { Vector } from './messages';
import type { Store } from './store';
import type { Viewport } from './viewport';
import type { WorldView } from './world_view';

interface Hit {
  body: number;
  point: number;
  position: Vector3;
}

const NEAR_PIXELS = 14;

export class Picking {
  private held: { pointer: number; plane: Plane; body: number; point: number } | undefined;
  private goal: { pointer: number; plane: Plane; mark: Mesh } | undefined;
  private target: Vector3 | undefined;
  // Last event of the finger that holds a body.
  private first: PointerEvent | undefined;
  private hoverTime = 0;
  // Last position of the pointer that the tool has not followed yet.
  private toolEvent: PointerEvent | undefined;

  constructor(
    private readonly viewport: Viewport,
    private readonly world: WorldView,
    private readonly store: Store,
    private readonly connection: Connection,
  ) {
    const canvas = viewport.canvas;
    // Before the camera controls get the event.
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener('pointerleave', () => this.hideTool());
    store.on('frame', () => this.drawPull());
    store.on('scene', () => {
      this.release();
      this.hideTool();
    });
    store.on('link', (link) => link !== 'open' && this.release());
  }

  get isHolding(): boolean {
    return this.held !== undefined;
  }

  // The surface point at a position of the page.
  hit(x: number, y: number): Hit | undefined {
    const ray = this.viewport.ray(x, y);
    const surfaces = this.world.bodies.map((body) => body.surface).filter((surface) => surface.geometry.triangles.length > 0);
    for (const surface of surfaces) surface.geometry.boundingSphere ?? surface.geometry.computeBoundingSphere();
    // Bodies drawn as wireframe can be picked too.
    const shown = surfaces.map((surface) => surface.visible);
    surfaces.forEach((surface) => (surface.visible = true));
    const found = ray.intersectObjects(surfaces, false)[0];
    surfaces.forEach((surface, i) => (surface.visible = shown[i] ?? true));
    if (!found?.face) return this.nearestPoint(x, y);
    const body = found.object.userData.body as number;
    const view = this.world.bodies[body];
    if (!view) return undefined;
    const corners = [found.face.a, found.face.b, found.face.c].map((vertex) => view.surface.geometry.sourceOf(vertex));
    const point = corners.reduce((best, corner) => (view.point(corner).distanceTo(found.point) < view.point(best).distanceTo(found.point) ? corner : best));
    return { body, point, position: view.point(point) };
  }

  // Bodies without triangles (strands) are picked by the nearest point on the screen.
  private nearestPoint(x: number, y: number): Hit | undefined {
    let best: Hit | undefined;
    let min = NEAR_PIXELS;
    for (const view of this.world.bodies) {
      if (view.surface.geometry.triangles.length > 0) continue;
      for (let point = 0; point < view.description.points; ++point) {
        const position = view.point(point);
        const seen = this.viewport.project(position);
        const distance = Math.hypot(seen.x - x, seen.y - y);
        if (distance < min) {
          min = distance;
          best = { body: view.index, point, position };
        }
      }
    }
    return best;
  }

  private down(event: PointerEvent): void {
    this.viewport.canvas.focus({ preventScroll: true });
    if (event.pointerType === 'touch' && !event.isPrimary && this.first) {
      this.secondFinger();
      return;
    }
    if (event.button !== 0 || event.ctrlKey || event.metaKey) return;
    if (this.takeGoal(event) || this.takeBone(event)) return;
    const hit = this.hit(event.clientX, event.clientY);
    if (!hit) return;
    this.store.select(hit.body);
    if (event.shiftKey) {
      this.pin(hit);
      this.keepFromCamera(event);
      return;
    }
    if (this.usesTool()) return;
    this.keepFromCamera(event);
    this.first = event;
    const toward = this.viewport.camera.getWorldDirection(new Vector3());
    this.held = { pointer: event.pointerId, plane: new Plane().setFromNormalAndCoplanarPoint(toward, hit.position), body: hit.body, point: hit.point };
    this.target = hit.position.clone();
    this.connection.send({ kind: 'grab', body: hit.body, point: hit.point, at: hit.position.toArray() as Vector });
    this.viewport.canvas.style.cursor = 'grabbing';
  }

  private keepFromCamera(event: PointerEvent): void {
    event.stopImmediatePropagation();
    this.viewport.canvas.setPointerCapture(event.pointerId);
  }

  // A second finger moves the view: release the body, and pass the first finger to the camera controls.
  private secondFinger(): void {
    const first = this.first;
    this.release();
    if (!first) return;
    const { pointerId, clientX, clientY, pageX, pageY } = first;
    const again = new PointerEvent('pointerdown', { pointerId, clientX, clientY, pointerType: 'touch', button: 2, isPrimary: true, bubbles: true });
    Object.defineProperties(again, { pageX: { value: pageX }, pageY: { value: pageY } });
    this.viewport.canvas.dispatchEvent(again);
  }

  private takeGoal(event: PointerEvent): boolean {
    if (!this.store.display.goals) return false;
    // Goals may have moved since the last picture.
    const marks = this.world.goalMarks();
    for (const mark of marks) mark.updateMatrixWorld();
    const mark = this.viewport.ray(event.clientX, event.clientY).intersectObjects(marks, false)[0]?.object;
    if (!(mark instanceof Mesh)) return false;
    const toward = this.viewport.camera.getWorldDirection(new Vector3());
    mark.userData.held = true;
    this.goal = { pointer: event.pointerId, plane: new Plane().setFromNormalAndCoplanarPoint(toward, mark.position), mark };
    this.keepFromCamera(event);
    return true;
  }

  // A click on a joint of the selected character selects a chain of bones.
  private takeBone(event: PointerEvent): boolean {
    let min = 2 * NEAR_PIXELS;
    let best = -1;
    for (const { node, position } of this.world.jointsShown()) {
      const seen = this.viewport.project(position);
      const distance = Math.hypot(seen.x - event.clientX, seen.y - event.clientY);
      if (distance < min) {
        min = distance;
        best = node;
      }
    }
    const nodes = this.store.scene?.bodies[this.store.selected]?.nodes;
    if (best < 0 || !nodes) return false;
    this.store.selectBones(clicked(nodes, this.store.bones, best, event.shiftKey));
    this.keepFromCamera(event);
    return true;
  }

  private pin(hit: Hit): void {
    const key = `${hit.body}:${hit.point}`;
    if (!this.store.pins.delete(key)) this.store.pins.add(key);
    this.connection.send({ kind: 'pin', body: hit.body, point: hit.point });
    this.store.emit('pins', this.store.pins);
    this.viewport.touch();
  }

  private move(event: PointerEvent): void {
    if (this.held?.pointer === event.pointerId) {
      this.first = event;
      const position = this.onPlane(event, this.held.plane);
      if (!position) return;
      this.target = position;
      this.connection.send({ kind: 'drag', at: position.toArray() as Vector });
      this.drawPull();
    } else if (this.goal?.pointer === event.pointerId) {
      const position = this.onPlane(event, this.goal.plane);
      if (!position) return;
      this.goal.mark.position.copy(position);
      this.connection.send({ kind: 'goal', body: this.goal.mark.userData.body as number, position: position.toArray() as Vector });
      this.viewport.touch();
    } else if (this.usesTool()) {
      this.moveTool(event);
    } else if (event.pointerType === 'mouse' && event.buttons === 0) {
      this.hover(event);
    }
  }

  private onPlane(event: PointerEvent, plane: Plane): Vector3 | undefined {
    return this.viewport.ray(event.clientX, event.clientY).ray.intersectPlane(plane, new Vector3()) ?? undefined;
  }

  private hover(event: PointerEvent): void {
    // Picking costs as much as a frame of a large scene; ten times a second is enough for a cursor.
    if (event.timeStamp - this.hoverTime < 100) return;
    this.hoverTime = event.timeStamp;
    this.viewport.canvas.style.cursor = this.hit(event.clientX, event.clientY) ? (event.shiftKey ? 'crosshair' : 'grab') : '';
  }

  private usesTool(): boolean {
    return this.store.detail.tool && this.store.scene?.bodies.some((body) => body.method === 'detail') === true;
  }

  // Once per picture, and always to the last position: a pointer that stops must not leave the tool behind.
  private moveTool(event: PointerEvent): void {
    if (!this.toolEvent) requestAnimationFrame(() => this.toolEvent && this.placeTool(this.toolEvent));
    this.toolEvent = event;
  }

  private placeTool(event: PointerEvent): void {
    this.toolEvent = undefined;
    const hit = this.hit(event.clientX, event.clientY);
    if (!hit) {
      this.hideTool();
      return;
    }
    const radius = this.store.detail.toolRadius;
    const back = this.viewport.camera.position.clone().sub(hit.position).normalize();
    // With the button pressed the tool pushes in, otherwise it rests on the surface.
    const position = hit.position.clone().addScaledVector(back, event.buttons & 1 ? 0.35 * radius : radius);
    this.world.tool.visible = true;
    this.world.tool.position.copy(position);
    this.world.tool.scale.setScalar(radius);
    this.connection.send({ kind: 'tool', at: position.toArray() as Vector, radius });
    this.viewport.controls.enabled = false;
    this.viewport.touch();
  }

  private hideTool(): void {
    this.toolEvent = undefined;
    if (!this.world.tool.visible) return;
    this.world.tool.visible = false;
    this.viewport.controls.enabled = true;
    this.connection.send({ kind: 'tool', at: null });
    this.viewport.touch();
  }

  private up(event: PointerEvent): void {
    if (this.held?.pointer === event.pointerId) this.release();
    if (this.goal?.pointer === event.pointerId) {
      this.goal.mark.userData.held = false;
      this.goal = undefined;
    }
  }

  private release(): void {
    if (this.held) this.connection.send({ kind: 'release' });
    this.held = undefined;
    this.first = undefined;
    this.target = undefined;
    this.world.showPull(undefined, undefined);
    this.viewport.canvas.style.cursor = '';
  }

  private drawPull(): void {
    if (!this.held || !this.target) return;
    this.world.showPull(this.world.bodies[this.held.body]?.point(this.held.point), this.target);
  }
}
