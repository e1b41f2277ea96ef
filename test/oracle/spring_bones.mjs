// node test/oracle/spring_bones.mjs FOLDER: characters with spring bones (sphere, plane, inside and hair .gltf), written to FOLDER, and for each the
// rotations of its joints over 10 s by @pixiv/three-vrm-springbone (NAME.csv: frame, node, x, y, z, w every 10 frames, of hair every 60). The result is test/fixtures/springs.
// Needs `npm install @pixiv/three-vrm-springbone three` in a folder above.
import {writeFileSync} from "node:fs";
import * as THREE from "three";
import {
  VRMSpringBoneCollider, VRMSpringBoneColliderShapeCapsule, VRMSpringBoneColliderShapePlane, VRMSpringBoneColliderShapeSphere, VRMSpringBoneJoint,
  VRMSpringBoneManager,
} from "@pixiv/three-vrm-springbone";

const folder = process.argv[2];
const extended = "VRMC_springBone_extended_collider";

// A chain of `count` nodes below node `parent`, `step` apart.
function addChain(nodes, parent, name, start, step, count) {
  const first = nodes.length;
  for (let i = 0; i < count; i++) {
    nodes.push({name: `${name}${i}`, translation: i === 0 ? start : step});
    const above = i === 0 ? parent : first + i - 1;
    if (above >= 0) (nodes[above].children ??= []).push(first + i);
  }
  return Array.from({length: count}, (_, i) => first + i);
}

function document(nodes, springs, colliders) {
  const roots = nodes.map((_, i) => i).filter((i) => !nodes.some((n) => n.children?.includes(i)));
  return {
    asset: {version: "2.0"}, extensionsUsed: ["VRMC_springBone", extended], scene: 0, scenes: [{nodes: roots}], nodes,
    extensions: {VRMC_springBone: {specVersion: "1.0", colliders, colliderGroups: [{colliders: colliders.map((_, i) => i)}], springs}},
  };
}

const joints = (chain, settings) => chain.map((node) => ({node, ...settings}));
const soft = {hitRadius: 0.02, stiffness: 0.6, gravityPower: 0.4, dragForce: 0.15};

function makeSphere() {
  const nodes = [{name: "root", translation: [0, 1.5, 0]}];
  const chain = addChain(nodes, 0, "a", [0, 0, 0.05], [0.01, -0.1, 0.02], 6);
  return document(nodes, [{name: "a", joints: joints(chain, soft), colliderGroups: [0]}],
    [{node: 0, shape: {sphere: {offset: [0, -0.25, 0.05], radius: 0.12}}}, {node: 0, shape: {capsule: {offset: [0.2, -0.4, 0], tail: [0.3, 0, 0.1], radius: 0.05}}}]);
}

function makePlane() {
  const nodes = [{name: "root", translation: [0, 1, 0], rotation: [0, 0.3826834, 0, 0.9238795]}];
  const chain = addChain(nodes, 0, "b", [0, 0, 0], [0.08, -0.03, 0], 7);
  return document(nodes, [{name: "b", joints: joints(chain, {...soft, gravityPower: 1}), colliderGroups: [0]}],
    [{node: 0, shape: {sphere: {offset: [0, -1000, 0], radius: 999.9}}, extensions: {[extended]: {specVersion: "1.0", shape: {plane: {offset: [0, -0.15, 0], normal: [0.1, 1, 0]}}}}}]);
}

// The root of the chain has no parent: the world holds it.
function makeInside() {
  const nodes = [{name: "root", translation: [0, 1, 0]}];
  const chain = addChain(nodes, -1, "c", [0, 1.2, 0], [0, -0.09, 0.01], 6);
  return document(nodes, [{name: "c", joints: joints(chain, {...soft, stiffness: 0.2, gravityPower: 0.8, dragForce: 0.05}), colliderGroups: [0]}],
    [{node: 0, shape: {sphere: {offset: [0, 0, 0], radius: 0}}, extensions: {[extended]: {specVersion: "1.0", shape: {sphere: {offset: [0, 0, 0], radius: 0.35, inside: true}}}}}]);
}

// Long hair on a head: 24 strands in the frame of the hips, over capsules of neck and shoulders.
function makeHair() {
  const nodes = [{name: "hips", children: [1], translation: [0, 0.9, 0]}, {name: "head", translation: [0, 0.6, 0], rotation: [0, 0, 0.1305262, 0.9914449]}];
  const springs = [];
  for (let k = 0; k < 24; k++) {
    const angle = Math.PI + (k / 23 - 0.5) * 4, out = [Math.sin(angle), Math.cos(angle)];
    const chain = addChain(nodes, 1, `h${k}_`, [0.09 * out[0], 0.1, 0.09 * out[1]], [0.012 * out[0], -0.055, 0.012 * out[1]], 10);
    springs.push({name: `hair ${k}`, center: k % 2 ? 0 : -1, joints: joints(chain, {hitRadius: 0.01, stiffness: 0.9 - 0.03 * k, gravityPower: 0.1 + 0.01 * k, dragForce: 0.3}), colliderGroups: [0]});
    if (springs[k].center < 0) delete springs[k].center;
  }
  return document(nodes, springs, [{node: 1, shape: {sphere: {offset: [0, 0.08, 0], radius: 0.1}}}, {node: 0, shape: {capsule: {offset: [-0.15, 0.45, 0], tail: [0.15, 0.45, 0], radius: 0.07}}}]);
}

function play(gltf, every) {
  const objects = gltf.nodes.map((node) => {
    const object = new THREE.Object3D();
    object.position.fromArray(node.translation ?? [0, 0, 0]);
    object.quaternion.fromArray(node.rotation ?? [0, 0, 0, 1]);
    return object;
  });
  const world = new THREE.Object3D();
  gltf.nodes.forEach((node, i) => node.children?.forEach((child) => objects[i].add(objects[child])));
  gltf.scenes[0].nodes.forEach((i) => world.add(objects[i]));
  const extension = gltf.extensions.VRMC_springBone;
  const vector = (v, other = [0, 0, 0]) => new THREE.Vector3().fromArray(v ?? other);
  const colliders = extension.colliders.map((item) => {
    const shape = item.extensions?.[extended]?.shape ?? item.shape;
    const form = shape.plane ? new VRMSpringBoneColliderShapePlane({offset: vector(shape.plane.offset), normal: vector(shape.plane.normal).normalize()})
      : shape.sphere ? new VRMSpringBoneColliderShapeSphere({offset: vector(shape.sphere.offset), radius: shape.sphere.radius, inside: shape.sphere.inside ?? false})
      : new VRMSpringBoneColliderShapeCapsule({offset: vector(shape.capsule.offset), tail: vector(shape.capsule.tail), radius: shape.capsule.radius, inside: shape.capsule.inside ?? false});
    const collider = new VRMSpringBoneCollider(form);
    objects[item.node].add(collider);
    return collider;
  });
  world.updateMatrixWorld(true);
  const manager = new VRMSpringBoneManager(), moved = [];
  for (const spring of extension.springs)
    for (let j = 0; j + 1 < spring.joints.length; j++) {
      const {node, ...settings} = spring.joints[j];
      const joint = new VRMSpringBoneJoint(objects[node], objects[spring.joints[j + 1].node], settings, [{colliders}]);
      if (spring.center !== undefined) joint.center = objects[spring.center];
      manager.addJoint(joint);
      moved.push(node);
    }
  manager.setInitState();
  const rest = vector(gltf.nodes[0].translation), turned = objects[0].quaternion.clone(), lines = ["frame,node,x,y,z,w"];
  for (let frame = 1; frame <= 600; frame++) {
    const t = frame / 60;
    // Node 0 sways, and turns to and fro.
    objects[0].position.set(rest.x + 0.3 * Math.sin(2.1 * t), rest.y + 0.08 * Math.sin(5.3 * t), rest.z + 0.15 * Math.sin(3.2 * t));
    objects[0].quaternion.setFromAxisAngle(new THREE.Vector3(0, 1, 0), 0.9 * Math.sin(1.7 * t)).multiply(turned);
    world.updateMatrixWorld(true);
    // As manager.update(1 / 60), except that the nodes below a joint are brought up to date before it moves. The manager leaves the child where the last frame
    // had it, and so measures lengths of bones that the specification keeps.
    for (const collider of colliders) collider.updateWorldMatrix(true, false);
    for (const joint of manager._sortedJoints) {
      joint.bone.updateMatrix();
      joint.bone.updateWorldMatrix(false, true);
      joint.update(1 / 60);
      joint.bone.updateWorldMatrix(false, true);
    }
    if (frame % every === 0)
      for (const node of moved) {
        const q = objects[node].quaternion;
        lines.push([frame, node, ...[q.x, q.y, q.z, q.w].map((c) => c.toFixed(6))].join(","));
      }
  }
  return lines.join("\n") + "\n";
}

for (const [name, gltf] of Object.entries({sphere: makeSphere(), plane: makePlane(), inside: makeInside(), hair: makeHair()})) {
  writeFileSync(`${folder}/${name}.gltf`, JSON.stringify(gltf) + "\n");
  writeFileSync(`${folder}/${name}.csv`, play(gltf, name === "hair" ? 60 : 10));
}
