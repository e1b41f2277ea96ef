// An animation of a GLB file as three.js plays it: node play_gltf.mjs FILE ANIMATION TIME...
// Prints one JSON object: `names` of the nodes in the file's order and, for each time, `matrices` (16 numbers a node, column by column, in the world) and
// `points` (those of all skinned meshes, deformed). Ends with 77 (skipped) when three.js is not installed.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

// What the loader expects of a browser; pictures are not decoded.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};

async function load(path) {
  const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
  const bytes = readFileSync(path);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return new GLTFLoader().parseAsync(buffer, '');
}

// Objects of the scene by the number of their node.
function listNodes(gltf) {
  const nodes = [];
  gltf.scene.traverse((object) => {
    const index = gltf.parser.associations.get(object)?.nodes;
    if (index !== undefined) nodes[index] ??= object;
  });
  return nodes;
}

function deform(three, gltf) {
  const points = [];
  gltf.scene.traverse((object) => {
    if (!object.isSkinnedMesh) return;
    object.skeleton.update();
    for (let i = 0; i < object.geometry.attributes.position.count; ++i)
      points.push(object.getVertexPosition(i, new three.Vector3()).applyMatrix4(object.matrixWorld).toArray());
  });
  return points;
}

export async function play(path, animation, times) {
  const three = await import('three');
  const gltf = await load(path);
  const nodes = listNodes(gltf), clip = gltf.animations[animation];
  if (!clip) throw new Error(`${path}: there is no animation ${animation}`);
  const mixer = new three.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(clip);
  action.setLoop(three.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const matrices = [], points = [];
  for (const time of times) {
    action.paused = false;
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    matrices.push(nodes.map((node) => node.matrixWorld.toArray()));
    points.push(deform(three, gltf));
  }
  return { name: clip.name, duration: clip.duration, names: nodes.map((node) => node.userData.name ?? node.name), times, matrices, points };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await import('three');
  } catch {
    console.error('three is not installed: run npm install in test/oracle');
    process.exit(77);
  }
  const [path, animation, ...times] = process.argv.slice(2);
  console.log(JSON.stringify(await play(path, Number(animation), times.map(Number))));
}
