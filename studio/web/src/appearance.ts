// Materials of a body: presets of the scene, and the materials and images of its file. The programs are those of three.js; toon shading (MToon of VRM) and
// outlines are small changes to them.
import {
  BackSide,
  ClampToEdgeWrapping,
  Color,
  DataTexture,
  DataUtils,
  DoubleSide,
  EquirectangularReflectionMapping,
  FrontSide,
  HalfFloatType,
  LinearFilter,
  LinearMipmapLinearFilter,
  LinearSRGBColorSpace,
  type Material,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshPhysicalMaterial,
  MirroredRepeatWrapping,
  NoColorSpace,
  NormalBlending,
  RepeatWrapping,
  SRGBColorSpace,
  Texture,
  Vector4,
  type Wrapping,
} from 'three';
import type { AppearanceDescription, ImageDescription, MaterialDescription, Vector } from './messages';

const WRAPS: Record<ImageDescription['wrap_u'], Wrapping> = { repeat: RepeatWrapping, mirror: MirroredRepeatWrapping, clamp: ClampToEdgeWrapping };

// The same images as data, by the texture of their colours.
const DATA = new WeakMap<Texture, Texture>();

function colorOf([r, g, b]: Vector): Color {
  return new Color().setRGB(r, g, b, SRGBColorSpace);
}

// What smooth materials mirror: a sky above, the floor below, a brighter band in between, as in pictures of `pliant run`.
let surroundings: DataTexture | undefined;
function environment(): DataTexture {
  if (surroundings) return surroundings;
  // three.js filters it into cubes whose sides are a quarter of its width.
  const high = 128;
  const wide = 2 * high;
  const data = new Uint16Array(4 * wide * high);
  for (let j = 0; j < high; ++j) {
    const y = Math.sin(((j + 0.5) / high - 0.5) * Math.PI);
    const window = y > 0.35 && y < 0.85 ? 0.5 : 0;
    const level = y > 0 ? 0.62 + window : 0.4;
    const texel = [level * (1 - 0.03 * y), level, level * (1 + 0.06 * y), 1].map((value) => DataUtils.toHalfFloat(value));
    for (let i = 0; i < wide; ++i) data.set(texel, 4 * (wide * j + i));
  }
  surroundings = new DataTexture(data, wide, high, undefined, HalfFloatType);
  surroundings.mapping = EquirectangularReflectionMapping;
  surroundings.colorSpace = LinearSRGBColorSpace;
  surroundings.magFilter = surroundings.minFilter = LinearFilter;
  surroundings.needsUpdate = true;
  return surroundings;
}

// Fetches an image; the texture is white until it is there. `changed` is called then.
function textureOf(image: ImageDescription, address: (file: string) => string, changed: () => void): Texture {
  const texture = new Texture();
  texture.colorSpace = SRGBColorSpace;
  texture.flipY = false;
  texture.wrapS = WRAPS[image.wrap_u] ?? RepeatWrapping;
  texture.wrapT = WRAPS[image.wrap_v] ?? RepeatWrapping;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.anisotropy = 4;
  const picture = new Image();
  picture.onload = () => {
    for (const made of [texture, DATA.get(texture)]) {
      if (!made) continue;
      made.image = picture;
      made.needsUpdate = true;
    }
    changed();
  };
  picture.src = address(image.file);
  return texture;
}

// An image whose bytes are numbers: the same picture, but not as colours. It arrives with the texture that it was made of.
function dataOf(texture: Texture | undefined): Texture | null {
  if (!texture) return null;
  const known = DATA.get(texture);
  if (known) return known;
  const made = texture.clone();
  made.colorSpace = NoColorSpace;
  DATA.set(texture, made);
  texture.addEventListener('dispose', () => made.dispose());
  return made;
}

// MToon (VRMC_materials_mtoon 1.0): a step between two colours in the light of the sun, a rim, and the picture of a ball in the light (matcap).
function toonMaterial(m: MaterialDescription, textures: (Texture | undefined)[]): Material {
  const map = textures[m.base_image] ?? null;
  const shadeMap = textures[m.shade_image] ?? null;
  const matcapMap = textures[m.matcap_image] ?? null;
  const made = new MeshLambertMaterial({ color: colorOf(m.base_color), map });
  const uniforms = {
    shadeColor: { value: colorOf(m.shade_color) },
    rimColor: { value: colorOf(m.rim_color) },
    toon: { value: new Vector4(m.shade_shift, m.shade_sharpness, m.rim_power, m.rim_lift) },
    shadeMap: { value: shadeMap },
    matcapColor: { value: colorOf(m.matcap_color) },
    matcapMap: { value: matcapMap },
  };
  const matcap = matcapMap
    ? `vec3 matcapView = normalize(vViewPosition), matcapX = normalize(vec3(matcapView.z, 0.0, -matcapView.x)), matcapY = cross(matcapView, matcapX);
         outgoingLight += matcapColor * texture2D(matcapMap, vec2(0.5 + 0.5 * dot(matcapX, normal), 0.5 - 0.5 * dot(matcapY, normal))).rgb;`
    : '';
  const shade = map && shadeMap ? 'shadeColor * texture2D(shadeMap, vMapUv).rgb' : 'shadeColor';
  made.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nuniform vec3 shadeColor, rimColor;\nuniform vec4 toon;\nuniform vec3 matcapColor;\nuniform sampler2D shadeMap, matcapMap;')
      .replace(
        '#include <opaque_fragment>',
        `float toonWide = max(1.0 - toon.y, 0.005);
         float toonSun = dot(normal, directionalLights[0].direction);
         float toonLit = clamp((toonSun + toon.x + toonWide) / (2.0 * toonWide), 0.0, 1.0);
         float toonRim = pow(clamp(1.0 - dot(normal, normalize(vViewPosition)) + toon.w, 0.0, 1.0), max(toon.z, 0.01));
         outgoingLight = mix(${shade}, diffuseColor.rgb, toonLit) + rimColor * toonRim + totalEmissiveRadiance;
         ${matcap}
         #include <opaque_fragment>`,
      );
  };
  made.customProgramCacheKey = () => `toon ${shade} ${matcap}`;
  made.toneMapped = false;
  return made;
}

function standardMaterial(m: MaterialDescription, textures: (Texture | undefined)[]): Material {
  const map = textures[m.base_image] ?? null;
  // Light that passes through is shown as a little light of the body's own; three.js has no cheap form of it.
  const glow = colorOf(m.base_color).multiplyScalar(0.16 * Math.min(m.translucency, 2));
  const made = new MeshPhysicalMaterial({ color: colorOf(m.base_color), map, roughness: m.roughness, metalness: m.metallic });
  made.emissive = glow;
  if (m.sheen > 0) {
    made.sheen = Math.min(m.sheen, 1);
    made.sheenRoughness = 0.5;
    made.sheenColor = colorOf(m.base_color).lerp(new Color(0xffffff), 0.35);
  }
  const surface = dataOf(textures[m.metallic_roughness_image]);
  made.metalnessMap = made.roughnessMap = surface;
  made.aoMap = dataOf(textures[m.occlusion_image]);
  made.aoMapIntensity = m.occlusion_strength;
  if (m.metallic > 0 || m.roughness < 0.45 || surface) {
    made.envMap = environment();
    made.envMapIntensity = 0.9;
  }
  return made;
}

function dress(made: Material & { emissiveMap?: Texture | null }, m: MaterialDescription): void {
  made.side = m.double_sided ? DoubleSide : FrontSide;
  made.opacity = m.alpha;
  if (m.alpha_mode === 'mask') {
    made.alphaTest = m.alpha_cutoff;
    made.forceSinglePass = true;
  }
  if (m.alpha_mode === 'blend') {
    made.transparent = true;
    made.blending = NormalBlending;
    made.alphaTest = 0.004;
  }
}

export function materialOf(m: MaterialDescription, textures: (Texture | undefined)[], hasColors: boolean): Material {
  let made: Material;
  if (m.shading === 'toon') made = toonMaterial(m, textures);
  else if (m.shading === 'unlit') {
    made = new MeshBasicMaterial({ color: colorOf(m.base_color), map: textures[m.base_image] ?? null });
    made.toneMapped = false;
  } else made = standardMaterial(m, textures);
  if (made instanceof MeshLambertMaterial || made instanceof MeshPhysicalMaterial) {
    made.emissive.add(colorOf(m.emissive));
    made.emissiveMap = textures[m.emissive_image] ?? null;
    // three.js takes y along v, glTF against it. Without tangents it finds them from the triangles as they are.
    made.normalMap = dataOf(textures[m.normal_image]);
    made.normalScale.set(m.normal_scale, -m.normal_scale);
  }
  made.vertexColors = hasColors;
  dress(made, m);
  return made;
}

// The hull of the surface moved outwards, seen from inside.
export function outlineOf(m: MaterialDescription): Material {
  const made = new MeshBasicMaterial({ color: colorOf(m.outline_color), side: BackSide });
  made.toneMapped = false;
  const uniforms = { outlineWidth: { value: m.outline_width } };
  made.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nuniform float outlineWidth;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\ntransformed += normal * outlineWidth;');
  };
  made.customProgramCacheKey = () => 'outline';
  made.visible = m.outline_width > 0;
  return made;
}

export function texturesOf(images: ImageDescription[], address: (file: string) => string, changed: () => void): (Texture | undefined)[] {
  return images.map((image) => (image.file ? textureOf(image, address, changed) : undefined));
}

export function hasOutline(appearance: AppearanceDescription): boolean {
  return appearance.materials.some((material) => material.outline_width > 0);
}
