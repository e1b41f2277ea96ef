// Chains of bones of a character: which nodes a first and a last bone stand for.
import type { NodeDescription } from './messages';

// What is selected in the panel of springs, by indices of nodes; `last` -1: all below the first. `picking`: a click in the view selects.
export interface BoneSelection {
  first: number;
  last: number;
  picking: boolean;
}

// Nodes from `first` down to `last`; none if `last` is not below it.
export function chainOf(nodes: NodeDescription[], first: number, last: number): number[] {
  const chain: number[] = [];
  for (let node = last; node >= 0 && chain.length <= nodes.length; node = nodes[node]?.parent ?? -1) {
    chain.unshift(node);
    if (node === first) return chain;
  }
  return [];
}

export function isBelow(nodes: NodeDescription[], node: number, above: number): boolean {
  return node !== above && chainOf(nodes, above, node).length > 0;
}

// All nodes of a selection.
export function nodesOf(nodes: NodeDescription[], selection: BoneSelection): number[] {
  const { first, last } = selection;
  if (!nodes[first]) return [];
  if (last >= 0) return chainOf(nodes, first, last);
  return nodes.map((_, i) => i).filter((i) => i === first || isBelow(nodes, i, first));
}

// The names that the request `spring` has for a selection: one stands for all nodes below it.
export function namesOf(nodes: NodeDescription[], selection: BoneSelection): string[] {
  const chosen = selection.last < 0 ? [selection.first] : chainOf(nodes, selection.first, selection.last);
  return chosen.map((i) => nodes[i]?.name ?? '');
}

// The selection after a click on a node: with Shift it ends the chain, if it is below its first bone.
export function clicked(nodes: NodeDescription[], selection: BoneSelection, node: number, ends: boolean): BoneSelection {
  if (ends && isBelow(nodes, node, selection.first)) return { ...selection, last: node };
  return { ...selection, first: node, last: -1 };
}

// How far below the root a node is, to indent its name.
export function depthOf(nodes: NodeDescription[], node: number): number {
  let depth = 0;
  for (let at = nodes[node]?.parent ?? -1; at >= 0 && depth < nodes.length; at = nodes[at]?.parent ?? -1) depth += 1;
  return depth;
}

// Indices of nodes so that each is followed by all that is below it.
export function inTreeOrder(nodes: NodeDescription[]): number[] {
  const children = new Map<number, number[]>();
  nodes.forEach((node, i) => children.set(node.parent, [...(children.get(node.parent) ?? []), i]));
  const order: number[] = [];
  const visit = (node: number): void => {
    order.push(node);
    for (const child of children.get(node) ?? []) visit(child);
  };
  for (const root of children.get(-1) ?? []) visit(root);
  return order;
}
