// The 3D view: camera and controls, lights and shadows, and a render loop that draws only after changes.
import {
  BasicShadowMap,
  Box3,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MOUSE,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene,
  TOUCH,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { BACKDROPS, Ground } from './ground';
import type { CameraDescription } from './messages';

const LONGEST_WAIT_MS = 2000;
const WIDE = 1.2;

export function hasWebGL(): boolean {
  try {
    return document.createElement('canvas').getContext('webgl2') !== null;
  } catch {
    return false;
  }
}

// Software rendering uses the processor that also simulates, so it gets no antialiasing.
function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const facts = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && facts ? String(gl.getParameter(facts.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Viewport {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly ground = new Ground();
  readonly canvas: HTMLCanvasElement;
  // Called before each rendered picture, with the seconds since the last one.
  beforeDraw: ((seconds: number) => void) | undefined;
  cameraMoved: (() => void) | undefined;
  drawn = 0;
  private readonly sun = new DirectionalLight(0xffffff, 2.3);
  private readonly sky = new HemisphereLight(0xffffff, 0xb9b2a8, 1.35);
  private readonly fill = new DirectionalLight(0xdfe8ff, 0.5);
  private readonly raycaster = new Raycaster();
  private dirty = true;
  private fov = 40;
  private before = 0;
  private slow = 0;
  private begun = 0;
  private fence: WebGLSync | null = null;
  private coarseness = 0;
  // With ?quality in the address the quality is never reduced, for pictures in print.
  private readonly fixedQuality = new URLSearchParams(location.search).has('quality');
  private followed: Vector3 | undefined;

  constructor(private readonly host: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: this.fixedQuality || !drawsInSoftware(), powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-label', '3D view. Drag a body to pull it, drag the background to rotate the view. Press F1 for all keys.');
    host.append(this.canvas);

    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener('change', () => {
      this.dirty = true;
      this.cameraMoved?.();
    });

    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3.5;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.sun, this.sun.target, this.sky, this.fill, this.fill.target, this.ground);
    this.setTheme('light');
    this.fitLight(new Vector3(), 1);
    this.viewFrom({ eye: [1.5, 1.2, 2.4], target: [0, 0.4, 0], up: [0, 1, 0], fov: 40 });

    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    requestAnimationFrame((time) => this.loop(time));
  }

  touch(): void {
    this.dirty = true;
  }

  setTheme(theme: 'light' | 'dark'): void {
    const backdrop = BACKDROPS[theme];
    this.scene.background = backdrop.background;
    this.ground.setBackdrop(backdrop);
    this.sky.intensity = theme === 'light' ? 1.35 : 1.15;
    this.sun.intensity = theme === 'light' ? 2.3 : 2.5;
    this.touch();
  }

  setShadows(on: boolean): void {
    this.sun.castShadow = on;
    this.touch();
  }

  viewFrom(view: CameraDescription): void {
    this.fov = view.fov || 40;
    this.camera.up.set(...view.up);
    this.camera.position.set(...view.eye);
    this.controls.target.set(...view.target);
    this.followed = undefined;
    this.updateClipping();
    this.controls.update();
    this.touch();
  }

  // Points the lights at the bodies; the shadow map covers them and their surroundings.
  fitLight(center: Vector3, size: number): void {
    const reach = 2.2 * size;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(new Vector3(1.1, 2.6, 1.3).multiplyScalar(1.6 * size));
    this.fill.target.position.copy(center);
    this.fill.position.copy(center).add(new Vector3(-2, 0.8, -1.4).multiplyScalar(size));
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -reach;
    shadow.right = shadow.top = reach;
    shadow.near = 0.05 * size;
    shadow.far = 12 * size;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.012 * size;
    this.ground.fit(center.x, center.z, size);
    this.updateClipping();
  }

  // Moves the camera along its direction so that a box fills the view.
  frame(box: Box3): void {
    if (box.isEmpty()) return;
    const center = box.getCenter(new Vector3());
    const radius = Math.max(0.5 * box.getSize(new Vector3()).length(), 1e-3);
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, this.camera.aspect));
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, (1.05 * radius) / Math.sin(narrow));
    this.followed = undefined;
    this.updateClipping();
    this.controls.update();
    this.touch();
  }

  // Starts to follow a point from the current camera position.
  followFrom(point: Vector3): void {
    this.followed = point.clone();
  }

  // Follows a point smoothly, and keeps the view that the user chose.
  follow(point: Vector3 | undefined, seconds: number): void {
    if (!point) {
      this.followed = undefined;
      return;
    }
    if (!this.followed) {
      this.followed = point.clone();
      return;
    }
    const before = this.followed.clone();
    this.followed.lerp(point, 1 - Math.exp(-seconds / 0.25));
    const shift = this.followed.clone().sub(before);
    if (shift.lengthSq() < 1e-14) return;
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.dirty = true;
  }

  ray(clientX: number, clientY: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const position = new Vector2((2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height);
    this.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(position, this.camera);
    return this.raycaster;
  }

  // Position of a point of the world on the page, in pixels.
  project(point: Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    this.camera.updateMatrixWorld();
    const position = point.clone().project(this.camera);
    return { x: box.left + ((1 + position.x) / 2) * box.width, y: box.top + ((1 - position.y) / 2) * box.height };
  }

  async picture(): Promise<Blob> {
    this.renderer.render(this.scene, this.camera);
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser could not make a picture.'))), 'image/png');
    });
  }

  private updateClipping(): void {
    const distance = Math.max(1e-3, this.camera.position.distanceTo(this.controls.target));
    this.camera.near = distance / 100;
    this.camera.far = distance * 100;
    // Cameras of scenes are made for a wide picture; a narrow window keeps the horizontal field of view and shows more above and below.
    const widen = Math.max(1, WIDE / this.camera.aspect);
    this.camera.fov = Math.min(82, (360 / Math.PI) * Math.atan(widen * Math.tan((this.fov * Math.PI) / 360)));
    this.camera.updateProjectionMatrix();
  }

  private resize(): void {
    const width = Math.max(1, this.host.clientWidth);
    const height = Math.max(1, this.host.clientHeight);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.updateClipping();
    this.touch();
  }

  // Wait for a picture with a fence instead of inside the next draw call: where rendering is slow, messages would pile up otherwise.
  private mark(time: number): void {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.begun = time;
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  }

  private isDrawn(time: number): boolean {
    if (!this.fence) return true;
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const isDone = gl.getSyncParameter(this.fence, gl.SYNC_STATUS) === gl.SIGNALED;
    if (!isDone && time - this.begun < LONGEST_WAIT_MS) return false;
    gl.deleteSync(this.fence);
    this.fence = null;
    this.watchPace((time - this.begun) / 1000);
    return true;
  }

  // Where rendering is too slow (no graphics card, a large window), reduce the quality: first of shadows, then the resolution.
  private watchPace(seconds: number): void {
    this.slow = seconds > 0.09 ? this.slow + (seconds > 0.2 ? 3 : 1) : Math.max(0, this.slow - 1);
    if (this.fixedQuality || this.slow < 8 || this.coarseness >= 3) return;
    this.slow = 0;
    this.coarseness += 1;
    if (this.coarseness === 1) {
      this.renderer.shadowMap.type = BasicShadowMap;
      this.sun.shadow.mapSize.set(512, 512);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
      this.scene.traverse((item) => item instanceof Mesh && ((item.material as { needsUpdate: boolean }).needsUpdate = true));
    } else {
      this.renderer.setPixelRatio(this.coarseness === 2 ? 0.75 : 0.5);
    }
  }

  private loop(time: number): void {
    const seconds = Math.min(0.25, (time - this.before) / 1000);
    this.before = time;
    this.beforeDraw?.(seconds);
    this.controls.update();
    if (this.dirty && this.isDrawn(time)) {
      this.dirty = false;
      this.renderer.render(this.scene, this.camera);
      this.drawn += 1;
      this.mark(time);
    }
    requestAnimationFrame((next) => this.loop(next));
  }
}
