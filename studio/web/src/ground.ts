// The ground: a large plane with a grid that fades into the background, without horizon or edge, and receives shadows.
import { Color, Mesh, MeshStandardMaterial, PlaneGeometry, SRGBColorSpace } from 'three';

export interface Backdrop {
  background: Color;
  ground: Color;
  line: Color;
}

export const BACKDROPS: Record<'light' | 'dark', Backdrop> = {
  light: { background: new Color(0xf1f3f6), ground: new Color(0xe3e7ec), line: new Color(0xc9d0d8) },
  dark: { background: new Color(0x16191e), ground: new Color(0x3a424d), line: new Color(0x56606e) },
};

export class Ground extends Mesh<PlaneGeometry, MeshStandardMaterial> {
  private readonly uniforms = {
    gridLine: { value: new Color() },
    gridStep: { value: 1 },
    fadeColor: { value: new Color() },
    fadeCenter: { value: [0, 0] },
    fadeRadius: { value: 10 },
  };

  constructor() {
    super(new PlaneGeometry(1, 1), new MeshStandardMaterial({ roughness: 0.95, metalness: 0 }));
    this.rotation.x = -Math.PI / 2;
    this.receiveShadow = true;
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec2 groundPosition;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\ngroundPosition = (modelMatrix * vec4(position, 1.0)).xz;');
      shader.fragmentShader = shader.fragmentShader
        .replace(
          '#include <common>',
          `#include <common>
          varying vec2 groundPosition;
          uniform vec3 gridLine, fadeColor;
          uniform float gridStep, fadeRadius;
          uniform vec2 fadeCenter;
          float lines(float step) {
            vec2 cell = groundPosition / step;
            vec2 width = fwidth(cell);
            vec2 distance = abs(fract(cell - 0.5) - 0.5) / max(width, vec2(1e-6));
            return (1.0 - min(min(distance.x, distance.y), 1.0)) * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
          }`,
        )
        .replace('#include <color_fragment>', '#include <color_fragment>\ndiffuseColor.rgb = mix(diffuseColor.rgb, gridLine, 0.35 * lines(gridStep) + 0.45 * lines(5.0 * gridStep));')
        .replace(
          '#include <colorspace_fragment>',
          `#include <colorspace_fragment>
          gl_FragColor.rgb = mix(gl_FragColor.rgb, fadeColor, smoothstep(0.25, 1.0, length(groundPosition - fadeCenter) / fadeRadius));`,
        );
    };
  }

  setBackdrop(backdrop: Backdrop): void {
    this.material.color.copy(backdrop.ground);
    this.uniforms.gridLine.value.copy(backdrop.line);
    // The background has no tone mapping, so the ground fades to it after tone mapping.
    backdrop.background.getRGB(this.uniforms.fadeColor.value, SRGBColorSpace);
  }

  // Centres the ground, for bodies of this size.
  fit(x: number, z: number, size: number): void {
    const radius = 9 * size;
    this.scale.set(2 * radius, 2 * radius, 1);
    this.position.x = x;
    this.position.z = z;
    this.uniforms.fadeCenter.value = [x, z];
    this.uniforms.fadeRadius.value = radius;
    this.uniforms.gridStep.value = 10 ** Math.round(Math.log10(size / 2.5));
  }
}
