// The 3D objects of a body: surface, wireframe, tets, regions, ghost, the surface without detail next to it, and the point cloud.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshStandardMaterial,
  Points,
  PointsMaterial,
  SRGBColorSpace,
  type Texture,
  Vector3,
} from 'three';
import { hasOutline, materialOf, outlineOf, texturesOf } from './appearance';
import { distanceRange, followRange, paint, paintCategories, type Range } from './colormap';
import { indicesOf, numbersOf, PartKind, type Part } from './frames';
import type { AppearanceDescription, BodyDescription, ColorMode } from './messages';
import type { DetailView, Display } from './store';
import { SurfaceGeometry, uniqueEdges, type VertexLayout } from './surface_geometry';

const TET_SHRINK = 0.82;

// Where the files of the server are, and who draws again when one has arrived.
export interface ImageSource {
  address: (file: string) => string;
  changed: () => void;
}

function layoutOf(appearance: AppearanceDescription): VertexLayout {
  return {
    points: indicesOf(appearance.points),
    triangles: indicesOf(appearance.triangles),
    uvs: numbersOf(appearance.uvs),
    colors: numbersOf(appearance.colors),
    groups: indicesOf(appearance.normal_groups),
    parts: appearance.parts,
  };
}

export class BodyView {
  readonly group = new Group();
  readonly surface: Mesh<SurfaceGeometry, Material | Material[]>;
  // One colour, for colour maps and where there are no materials.
  private readonly plain: MeshStandardMaterial;
  private readonly dressed: Material | Material[] | undefined;
  private readonly textures: Texture[] = [];
  private readonly fileColors: BufferAttribute | undefined;
  private outline: Mesh<SurfaceGeometry, Material[]> | undefined;
  range: Range | undefined;
  cloudRange: Range | undefined;
  moved = false;
  private wire: LineSegments | undefined;
  private tetMesh: Mesh<SurfaceGeometry, MeshStandardMaterial> | undefined;
  private regionLines: LineSegments | undefined;
  private ghost: Mesh<SurfaceGeometry, MeshStandardMaterial> | undefined;
  private coarse: Mesh<SurfaceGeometry, MeshStandardMaterial> | undefined;
  private cloud: Points | undefined;
  private particles = new Float32Array(0);
  private colorMode: ColorMode = 'none';
  private readonly color: Color;
  private readonly tets: Uint32Array;
  private readonly edges: Uint32Array<ArrayBuffer>;

  constructor(
    readonly index: number,
    readonly description: BodyDescription,
    images: ImageSource,
    appearance: AppearanceDescription | undefined,
  ) {
    const [r, g, b] = description.color ?? [0.6, 0.6, 0.65];
    this.color = new Color().setRGB(r, g, b, SRGBColorSpace);
    this.tets = indicesOf(description.tets);
    this.edges = indicesOf(description.edges);
    const geometry = new SurfaceGeometry(description.points, indicesOf(description.triangles), appearance && layoutOf(appearance));
    this.plain = new MeshStandardMaterial({ color: this.color, roughness: 0.52, metalness: 0, side: DoubleSide });
    this.fileColors = geometry.getAttribute('color') as BufferAttribute | undefined;
    if (description.material) this.dressed = materialOf(description.material, [], false);
    else if (appearance && geometry.isLaid) {
      const textures = texturesOf(appearance.images, images.address, images.changed);
      this.textures = textures.filter((texture) => texture !== undefined);
      this.dressed = appearance.materials.map((material) => materialOf(material, textures, this.fileColors !== undefined));
      if (hasOutline(appearance)) this.outline = new Mesh(geometry, appearance.materials.map(outlineOf));
    }
    this.surface = new Mesh(geometry, this.dressed ?? this.plain) as Mesh<SurfaceGeometry, Material | Material[]>;
    if (this.outline) {
      this.outline.frustumCulled = false;
      this.group.add(this.outline);
    }
    this.surface.castShadow = true;
    this.surface.receiveShadow = true;
    this.surface.frustumCulled = false;
    this.surface.userData.body = index;
    this.group.add(this.surface);
  }

  get center(): Vector3 {
    return new Vector3(...this.surface.geometry.middle);
  }

  point(index: number): Vector3 {
    const p = this.surface.geometry.points;
    return new Vector3(p[3 * index] ?? 0, p[3 * index + 1] ?? 0, p[3 * index + 2] ?? 0);
  }

  // Position of a particle, once a frame had them.
  particle(index: number): Vector3 | undefined {
    const p = this.particles;
    return 3 * index + 2 < p.length && index >= 0 ? new Vector3(p[3 * index], p[3 * index + 1], p[3 * index + 2]) : undefined;
  }

  apply(part: Part): void {
    switch (part.kind) {
      case PartKind.Surface:
        this.surface.geometry.move(part.values);
        this.moved = true;
        break;
      case PartKind.Particles:
        this.particles = new Float32Array(part.values);
        this.moveParticles();
        break;
      case PartKind.Ghost:
        this.ghostMesh().geometry.move(part.values);
        break;
      case PartKind.Colors:
        this.paint(part.values);
        break;
      case PartKind.Coarse:
        this.coarseMesh().geometry.move(part.values);
        break;
      case PartKind.Cloud:
        this.moveCloud(part.values);
        break;
      case PartKind.CloudDistance:
        this.paintCloud(part.values);
        break;
    }
  }

  show(display: Display, detail: DetailView, selected: boolean): void {
    const hasSurface = this.surface.geometry.triangles.length > 0;
    const lines = display.surface !== 'solid';
    this.surface.visible = hasSurface && display.surface !== 'wire' && !display.tets;
    if (lines && hasSurface && !this.wire) {
      this.wire = new LineSegments(this.surface.geometry.edges(), new LineBasicMaterial({ color: this.color.clone().multiplyScalar(0.45) }));
      this.wire.frustumCulled = false;
      this.group.add(this.wire);
    }
    if (this.wire) this.wire.visible = lines && !display.tets;
    this.showParticles(display, hasSurface);
    if (this.ghost) this.ghost.visible = display.ghost && this.description.method === 'actor';
    if (this.cloud) this.cloud.visible = this.description.method === 'capture';
    this.colorMode = display.colors;
    if (display.colors === 'none') this.unpaint();
    const bare = display.colors !== 'none' || display.regions;
    this.surface.material = bare ? this.plain : (this.dressed ?? this.plain);
    if (this.outline) this.outline.visible = this.surface.visible && !bare;
    if (this.coarse) this.coarse.visible = detail.coarse;
    this.plain.emissive.copy(this.color).multiplyScalar(selected ? 0.06 : 0);
  }

  // Position of the coarse surface, or of the ghost, to the left of the body.
  spread(offset: Vector3): void {
    this.ghost?.position.copy(offset).negate();
    this.coarse?.position.copy(offset).negate();
  }

  dispose(): void {
    this.group.traverse((item) => {
      if (item instanceof Mesh || item instanceof LineSegments || item instanceof Points) {
        (item.geometry as BufferGeometry).dispose();
        for (const material of [item.material as Material | Material[]].flat()) material.dispose();
      }
    });
    this.plain.dispose();
    for (const material of [this.dressed ?? []].flat()) material.dispose();
    for (const texture of this.textures) texture.dispose();
  }

  private showParticles(display: Display, hasSurface: boolean): void {
    const regions = display.regions || (!hasSurface && this.edges.length > 0);
    if (regions && !this.regionLines) {
      const edges = this.edges.length > 0 ? this.edges : uniqueEdges(this.tets, 4);
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * this.description.particles), 3));
      geometry.setIndex(new BufferAttribute(edges, 1));
      this.regionLines = new LineSegments(geometry, new LineBasicMaterial({ color: this.color.clone().offsetHSL(0.08, 0.1, -0.08), transparent: true, opacity: 0.9 }));
      this.regionLines.frustumCulled = false;
      this.group.add(this.regionLines);
    }
    if (this.regionLines) this.regionLines.visible = regions;
    // Regions are inside, so the surface is drawn transparent.
    const veiled = display.regions && hasSurface;
    this.plain.transparent = veiled;
    this.plain.opacity = veiled ? 0.28 : 1;
    this.plain.depthWrite = !veiled;
    if (display.tets && this.tets.length > 0 && !this.tetMesh) {
      const count = this.tets.length / 4;
      const triangles = new Uint32Array(12 * count);
      for (let i = 0; i < count; ++i) {
        for (let f = 0; f < 12; ++f) triangles[12 * i + f] = 12 * i + f;
      }
      const color = this.color.clone().offsetHSL(0, 0, 0.04);
      this.tetMesh = new Mesh(new SurfaceGeometry(12 * count, triangles), new MeshStandardMaterial({ color, roughness: 0.7, side: DoubleSide }));
      this.tetMesh.castShadow = true;
      this.tetMesh.frustumCulled = false;
      this.group.add(this.tetMesh);
    }
    if (this.tetMesh) this.tetMesh.visible = display.tets;
    if (display.tets && this.tets.length === 0) this.surface.visible = hasSurface;
    this.moveParticles();
  }

  private moveParticles(): void {
    if (this.particles.length === 0) return;
    if (this.regionLines?.visible) {
      const attribute = this.regionLines.geometry.getAttribute('position') as BufferAttribute;
      (attribute.array as Float32Array).set(this.particles.subarray(0, attribute.array.length));
      attribute.needsUpdate = true;
    }
    if (this.tetMesh?.visible) this.tetMesh.geometry.move(this.shrunkTets());
  }

  // Every tet is scaled about its centre, so that they are visible separately.
  private shrunkTets(): Float32Array {
    const faces = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2];
    const p = this.particles;
    const made = new Float32Array(9 * this.tets.length);
    for (let i = 0; i + 4 <= this.tets.length; i += 4) {
      for (let c = 0; c < 3; ++c) {
        const corner = [0, 1, 2, 3].map((k) => p[3 * this.tets[i + k]! + c] ?? 0);
        const middle = (corner[0]! + corner[1]! + corner[2]! + corner[3]!) / 4;
        for (let f = 0; f < 12; ++f) made[9 * i + 3 * f + c] = middle + TET_SHRINK * (corner[faces[f]!]! - middle);
      }
    }
    return made;
  }

  private ghostMesh(): Mesh<SurfaceGeometry, MeshStandardMaterial> {
    if (!this.ghost) {
      const material = new MeshStandardMaterial({ color: this.color.clone().lerp(new Color(0xffffff), 0.55), transparent: true, opacity: 0.4, depthWrite: false, side: DoubleSide });
      this.ghost = new Mesh(new SurfaceGeometry(this.description.points, indicesOf(this.description.triangles)), material);
      this.ghost.frustumCulled = false;
      this.group.add(this.ghost);
    }
    return this.ghost;
  }

  private coarseMesh(): Mesh<SurfaceGeometry, MeshStandardMaterial> {
    if (!this.coarse) {
      const geometry = new SurfaceGeometry(this.description.points, indicesOf(this.description.triangles));
      this.coarse = new Mesh(geometry, new MeshStandardMaterial({ color: this.color, roughness: 0.52, side: DoubleSide }));
      this.coarse.castShadow = true;
      this.coarse.receiveShadow = true;
      this.coarse.frustumCulled = false;
      this.group.add(this.coarse);
    }
    return this.coarse;
  }

  private paint(values: Float32Array): void {
    if (this.colorMode === 'none') return;
    const geometry = this.surface.geometry;
    const colors = new Float32Array(3 * this.description.points);
    if (this.colorMode === 'segments') {
      paintCategories(values, colors);
      this.range = undefined;
    } else {
      this.range = followRange(this.range, values, this.colorMode === 'stretch' ? 0 : undefined);
      paint(values, this.range, colors);
    }
    geometry.setAttribute('color', new BufferAttribute(geometry.spread(colors), 3));
    if (!this.plain.vertexColors) {
      this.plain.vertexColors = true;
      this.plain.color.set(0xffffff);
      this.plain.needsUpdate = true;
    }
  }

  private unpaint(): void {
    this.range = undefined;
    if (!this.plain.vertexColors) return;
    this.plain.vertexColors = false;
    this.plain.color.copy(this.color);
    this.plain.needsUpdate = true;
    if (this.fileColors) this.surface.geometry.setAttribute('color', this.fileColors);
  }

  private moveCloud(values: Float32Array): void {
    if (this.description.method !== 'capture') return;
    if (!this.cloud || this.cloud.geometry.getAttribute('position').count !== values.length / 3) {
      this.cloud?.geometry.dispose();
      this.cloud?.removeFromParent();
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(values.length), 3));
      geometry.setAttribute('color', new BufferAttribute(new Float32Array(values.length).fill(0.5), 3));
      this.cloud = new Points(geometry, new PointsMaterial({ size: 3, sizeAttenuation: false, vertexColors: true }));
      this.cloud.frustumCulled = false;
      this.group.add(this.cloud);
    }
    const attribute = this.cloud.geometry.getAttribute('position') as BufferAttribute;
    (attribute.array as Float32Array).set(values);
    attribute.needsUpdate = true;
  }

  private paintCloud(values: Float32Array): void {
    const attribute = this.cloud?.geometry.getAttribute('color') as BufferAttribute | undefined;
    if (!attribute) return;
    this.cloudRange = distanceRange(values);
    if (this.cloudRange) paint(values, this.cloudRange, attribute.array as Float32Array);
    attribute.needsUpdate = true;
  }
}
