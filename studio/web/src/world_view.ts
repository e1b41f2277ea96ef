// The 3D objects of the world: bodies and colliders, updated from frames, and marks for contacts, goals, pins and grabs.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Points,
  PointsMaterial,
  Quaternion,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
} from 'three';
import { BodyView } from './bodies';
import { nodesOf } from './bones';
import { indicesOf, numbersOf, PartKind, type Frame, type Part } from './frames';
import type { ColliderDescription, SceneMessage, TelemetryMessage } from './messages';
import type { Store } from './store';
import { SurfaceGeometry } from './surface_geometry';
import type { Viewport } from './viewport';

export class WorldView {
  bodies: BodyView[] = [];
  size = 1;
  lastStep = -1;
  // The same scene was built again: keep the camera.
  keepCamera = false;
  // Called when the bodies and the range of their colours have changed.
  changed: (() => void) | undefined;
  private readonly waiting = new Map<number, Part>();
  private colliders: (Mesh | undefined)[] = [];
  private readonly root = new Group();
  private readonly marks = new Group();
  private readonly contacts: Points;
  private readonly pull: Line;
  private readonly pins: Points;
  private readonly goals = new Group();
  // Joints of a character, and the selected bones, while they are picked in the view.
  private readonly joints: Points;
  private readonly bones: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly tool: Mesh<SphereGeometry, MeshStandardMaterial>;
  private framedOnce = false;

  constructor(
    private readonly viewport: Viewport,
    private readonly store: Store,
    private readonly addressOfFile: (file: string) => string,
  ) {
    this.contacts = pointCloud(0xff3d81, 7);
    this.pins = pointCloud(0x1f6feb, 11);
    this.joints = pointCloud(0xff8c1a, 6);
    this.bones = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0xff3d81, depthTest: false, transparent: true }));
    this.bones.renderOrder = 3;
    this.bones.frustumCulled = false;
    this.pull = new Line(new BufferGeometry(), new LineBasicMaterial({ color: 0xff8c1a, depthTest: false, transparent: true }));
    this.pull.renderOrder = 3;
    this.pull.visible = false;
    this.pull.frustumCulled = false;
    const toolMaterial = new MeshStandardMaterial({ color: 0x9aa4b2, roughness: 0.25, metalness: 0.4, transparent: true, opacity: 0.75 });
    this.tool = new Mesh(new SphereGeometry(1, 32, 20), toolMaterial);
    this.tool.castShadow = true;
    this.tool.visible = false;
    this.marks.add(this.contacts, this.pins, this.pull, this.goals, this.tool, this.joints, this.bones);
    viewport.scene.add(this.root, this.marks);
    store.on('scene', (scene) => this.open(scene));
    store.on('frame', (frame) => this.receive(frame));
    store.on('telemetry', (message) => this.explain(message));
    store.on('display', () => this.refresh());
    store.on('selected', () => this.refresh());
    store.on('pins', () => this.movePins());
    store.on('bones', () => this.moveBones());
    viewport.beforeDraw = (seconds) => {
      this.flush();
      this.follow(seconds);
    };
  }

  refresh(): void {
    const { display, detail } = this.store;
    for (const body of this.bodies) body.show(display, detail, this.bodies.length > 1 && body.index === this.store.selected);
    this.viewport.setShadows(display.shadows);
    this.contacts.visible = display.contacts;
    this.goals.visible = display.goals;
    this.viewport.touch();
  }

  bounds(body?: number): Box3 {
    const box = new Box3();
    for (const view of this.bodies) {
      if (body !== undefined && view.index !== body) continue;
      view.surface.geometry.computeBoundingBox();
      const own = view.surface.geometry.boundingBox?.clone();
      if (!own || !view.moved) continue;
      box.union(own);
      const offset = this.sideways(view);
      const hasGhost = this.store.display.ghost && view.description.method === 'actor';
      if (this.store.detail.coarse || hasGhost) box.union(own.clone().translate(offset.negate()));
    }
    return box;
  }

  showPull(from: Vector3 | undefined, to: Vector3 | undefined): void {
    this.pull.visible = Boolean(from && to);
    if (from && to) this.pull.geometry.setFromPoints([from, to]);
    this.viewport.touch();
  }

  goalMarks(): Mesh[] {
    return this.goals.children.filter((child): child is Mesh => child instanceof Mesh);
  }

  private open(scene: SceneMessage): void {
    for (const body of this.bodies) {
      body.dispose();
      body.group.removeFromParent();
    }
    this.root.clear();
    this.waiting.clear();
    const images = { address: this.addressOfFile, changed: () => this.viewport.touch() };
    this.bodies = scene.bodies.map((description, index) => {
      // Copies look like the first body of their source.
      const first = scene.bodies.find((body) => body.source !== undefined && body.source === description.source) ?? description;
      return new BodyView(index, description, images, description.appearance ?? first.appearance);
    });
    for (const body of this.bodies) this.root.add(body.group);
    this.openColliders(scene.colliders ?? []);
    this.contacts.geometry.setDrawRange(0, 0);
    this.goals.clear();
    this.framedOnce = this.keepCamera;
    this.lastStep = -1;
    if (scene.camera && !this.keepCamera) this.viewport.viewFrom(scene.camera);
    this.refresh();
    this.movePins();
  }

  private openColliders(colliders: ColliderDescription[]): void {
    const level = colliders.find((collider) => collider.ground && collider.visible !== false);
    this.viewport.ground.visible = Boolean(level) || colliders.length === 0;
    this.viewport.ground.position.y = level?.height ?? 0;
    this.colliders = colliders.map((description) => {
      if (description.ground || description.visible === false || !description.triangles) return undefined;
      const points = numbersOf(description.points);
      const geometry = new SurfaceGeometry(points.length / 3, indicesOf(description.triangles));
      geometry.move(points);
      const [r, g, b] = description.color ?? [0.62, 0.65, 0.7];
      const color = new Color().setRGB(r, g, b, SRGBColorSpace);
      const mesh = new Mesh(geometry, new MeshStandardMaterial({ color, roughness: 0.8, side: DoubleSide, flatShading: points.length < 3 * 200 }));
      mesh.receiveShadow = true;
      mesh.castShadow = true;
      this.root.add(mesh);
      return mesh;
    });
  }

  // Frames may arrive faster than they can be drawn. They omit unchanged parts, so no frame may be dropped; keep the newest of each part.
  private receive(frame: Frame): void {
    for (const part of frame.parts) this.waiting.set(65536 * part.kind + part.index, part);
    this.lastStep = frame.step;
  }

  // Applies the received parts.
  flush(): void {
    if (this.waiting.size === 0) return;
    for (const part of this.waiting.values()) {
      if (part.kind === PartKind.Placement) this.movePlacement(part.index, part.values);
      else this.bodies[part.index]?.apply(part);
    }
    this.waiting.clear();
    if (!this.framedOnce && this.bodies.every((body) => body.moved)) this.firstFrame();
    if (this.store.detail.coarse || this.store.display.ghost) this.spread();
    this.movePins();
    this.moveBones();
    this.changed?.();
    this.viewport.touch();
  }

  private firstFrame(): void {
    this.framedOnce = true;
    const box = this.bounds();
    this.size = Math.max(0.5 * box.getSize(new Vector3()).length(), 1e-3);
    this.viewport.fitLight(box.getCenter(new Vector3()), this.size);
    if (!this.store.scene?.camera) this.viewport.frame(box);
    const followed = this.bodies[this.store.scene?.camera?.follows ?? -1];
    if (followed) this.viewport.followFrom(followed.center);
    this.refresh();
  }

  private movePlacement(index: number, values: Float32Array): void {
    const mesh = this.colliders[index];
    if (!mesh) return;
    mesh.position.set(values[0] ?? 0, values[1] ?? 0, values[2] ?? 0);
    mesh.quaternion.copy(new Quaternion(values[3], values[4], values[5], values[6]));
  }

  private spread(): void {
    for (const body of this.bodies) {
      body.spread(this.sideways(body));
    }
  }

  // The width of a body, to the right in the view of the camera.
  private sideways(body: BodyView): Vector3 {
    body.surface.geometry.computeBoundingBox();
    const size = body.surface.geometry.boundingBox?.getSize(new Vector3()) ?? new Vector3(this.size, 0, 0);
    const side = new Vector3(1, 0, 0).applyQuaternion(this.viewport.camera.quaternion).setY(0).normalize();
    return side.multiplyScalar(1.15 * (Math.abs(side.x) * size.x + Math.abs(side.z) * size.z));
  }

  private follow(seconds: number): void {
    const followed = this.store.scene?.camera?.follows ?? -1;
    const body = this.bodies[followed];
    if (!body || !body.moved || !this.store.display.follow) {
      this.viewport.follow(undefined, seconds);
      return;
    }
    const center = body.center;
    this.viewport.follow(center, seconds);
    this.viewport.fitLight(center, this.size);
  }

  private explain(message: TelemetryMessage): void {
    const touched: Float32Array[] = [];
    const goals: { position: Vector3; body: number }[] = [];
    for (const item of message.bodies) {
      if (item.contacts) touched.push(numbersOf(item.contacts));
      for (const goal of item.actor?.goals ?? []) if (goal.position) goals.push({ position: new Vector3(...goal.position), body: item.body });
    }
    setPoints(this.contacts, touched);
    this.moveGoals(goals);
    this.viewport.touch();
  }

  private moveGoals(goals: { position: Vector3; body: number }[]): void {
    while (this.goals.children.length > goals.length) this.goals.children.at(-1)?.removeFromParent();
    while (this.goals.children.length < goals.length) {
      const ball = new Mesh(new SphereGeometry(1, 20, 12), new MeshBasicMaterial({ color: 0x13a67a, transparent: true, opacity: 0.55, depthTest: false }));
      ball.renderOrder = 2;
      this.goals.add(ball);
    }
    goals.forEach((goal, i) => {
      const ball = this.goals.children[i];
      if (!ball || ball.userData.held) return;
      ball.position.copy(goal.position);
      ball.scale.setScalar(0.035 * this.size);
      ball.userData.body = goal.body;
    });
  }

  // Joints that can be picked, by node: those of the selected character.
  jointsShown(): { node: number; position: Vector3 }[] {
    const view = this.bodies[this.store.selected];
    if (!view || !this.store.bones.picking) return [];
    return (view.description.nodes ?? []).flatMap((node, i) => {
      const position = view.particle(node.particle);
      return position ? [{ node: i, position }] : [];
    });
  }

  private moveBones(): void {
    const shown = this.jointsShown();
    const nodes = this.bodies[this.store.selected]?.description.nodes ?? [];
    setPoints(this.joints, [new Float32Array(shown.flatMap((joint) => joint.position.toArray()))]);
    const places = new Map(shown.map((joint) => [joint.node, joint.position]));
    const chosen = new Set(nodesOf(nodes, this.store.bones));
    const ends: Vector3[] = [];
    for (const node of chosen) {
      const from = places.get(nodes[node]?.parent ?? -1);
      const to = places.get(node);
      if (from && to && chosen.has(nodes[node]?.parent ?? -1)) ends.push(from, to);
    }
    this.bones.visible = ends.length > 0;
    this.joints.visible = shown.length > 0;
    setPoints(this.bones, [new Float32Array(ends.flatMap((end) => end.toArray()))]);
    this.viewport.touch();
  }

  private movePins(): void {
    const positions = new Float32Array(3 * this.store.pins.size);
    let i = 0;
    for (const pin of this.store.pins) {
      const [body = 0, point = 0] = pin.split(':').map(Number);
      const position = this.bodies[body]?.point(point);
      if (position) position.toArray(positions, 3 * i++);
    }
    setPoints(this.pins, [positions.subarray(0, 3 * i)]);
  }
}

function pointCloud(color: number, size: number): Points {
  const made = new Points(new BufferGeometry(), new PointsMaterial({ color, size, sizeAttenuation: false, depthTest: false, transparent: true }));
  made.renderOrder = 2;
  made.frustumCulled = false;
  setPoints(made, []);
  return made;
}

function setPoints(cloud: { geometry: BufferGeometry }, pieces: Float32Array[]): void {
  const all = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    all.set(piece, offset);
    offset += piece.length;
  }
  const before = cloud.geometry.getAttribute('position') as BufferAttribute | undefined;
  if (before && before.array.length >= all.length && all.length > 0) {
    (before.array as Float32Array).set(all);
    before.needsUpdate = true;
  } else {
    cloud.geometry.dispose();
    cloud.geometry.setAttribute('position', new BufferAttribute(all, 3));
  }
  cloud.geometry.setDrawRange(0, all.length / 3);
}
