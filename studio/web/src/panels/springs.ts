// Panel of the bones of a character: springs and colliders that are added to it.
import { chainOf, depthOf, inTreeOrder, isBelow, namesOf, type BoneSelection } from '../bones';
import { choiceRow, oneByOne, settingRow, switchRow } from '../controls';
import { element, fill, iconButton } from '../dom';
import type { BodyDescription, NodeDescription, PageMessage, Setting } from '../messages';
import { request, section, type Panel, type PanelContext } from './panel';

type Shape = 'sphere' | 'capsule' | 'half_space';
const SHAPES: Record<Shape, string> = { sphere: 'sphere', capsule: 'capsule', half_space: 'plane' };

// A list of nodes, indented as their tree.
function nodeList(id: string, label: string, change: (node: number) => void): { element: HTMLElement; offer(nodes: NodeDescription[], shown: number[], first: string | undefined, value: number): void } {
  const select = element('select', { id, onchange: () => change(Number(select.value)) });
  return {
    element: element('div', { class: 'choice-row' }, element('label', { for: id }, label), select),
    offer(nodes, shown, first, value) {
      const top = Math.min(...shown.map((i) => depthOf(nodes, i)));
      fill(select, first === undefined ? undefined : element('option', { value: -1 }, first), ...shown.map((i) => element('option', { value: i }, '\u00a0\u00a0'.repeat(depthOf(nodes, i) - top) + (nodes[i]?.name ?? ''))));
      select.value = String(value);
    },
  };
}

// Sliders of a spring or a collider under its name, with a button that removes it.
function itemRows(context: PanelContext, title: string, settings: Setting[], remove: PageMessage, rows: Map<string, ReturnType<typeof settingRow>>): HTMLElement {
  const body = element('div', { class: 'settings' });
  for (const setting of settings) {
    const row = settingRow(setting, oneByOne((value: number | boolean | string) => request(context, { kind: 'set', path: setting.path, value })));
    row.element.dataset.path = setting.path;
    rows.set(setting.path, row);
    body.append(row.element);
  }
  const head = element('div', { class: 'item-head' }, element('strong', {}, title), iconButton('trash', `Delete ${title}`, () => void request(context, remove)));
  return element('div', { class: 'item' }, head, body);
}

export function springsPanel(context: PanelContext): Panel | undefined {
  const { store, body, description } = context;
  const nodes = description.nodes;
  if (!nodes?.length) return undefined;
  const order = inTreeOrder(nodes);
  const bones = store.bones;
  if (!nodes[bones.first]) Object.assign(bones, { first: order[Math.min(1, order.length - 1)] ?? 0, last: -1 });
  const select = (change: Partial<BoneSelection>): void => store.selectBones(change);
  const first = nodeList('bone-first', 'First bone', (node) => select({ first: node, last: -1 }));
  const last = nodeList('bone-last', 'Last bone', (node) => select({ last: node }));
  const picking = switchRow('Pick bones in the view', bones.picking, (on) => select({ picking: on }), 'Click a joint to begin a chain there; Shift-click one below it to end the chain');
  const add = iconButton('plus', 'Add a spring to these bones', () => void request(context, { kind: 'spring', body, action: 'add', nodes: namesOf(nodes, bones) }, 'Added a spring.'), 'Add spring');
  add.classList.add('wide');
  add.dataset.action = 'add-spring';
  let shape: Shape = 'sphere';
  const shapes = choiceRow<Shape>('Collider', SHAPES, shape, (choice) => (shape = choice));
  const collide = iconButton('plus', 'Add a collider to the first bone', () => void request(context, { kind: 'node_collider', body, action: 'add', node: nodes[bones.first]?.name ?? '', shape }, 'Added a collider.'), 'Add collider to the first bone');
  collide.classList.add('wide');
  collide.dataset.action = 'add-collider';
  const rows = new Map<string, ReturnType<typeof settingRow>>();
  const springs = (description.springs ?? []).map((spring, index) => itemRows(context, spring.name, spring.settings, { kind: 'spring', body, action: 'delete', index }, rows));
  const colliders = (description.node_colliders ?? []).map((collider, index) => itemRows(context, `${collider.name} (${SHAPES[collider.shape as Shape] ?? collider.shape})`, collider.settings, { kind: 'node_collider', body, action: 'delete', index }, rows));
  const show = (): void => {
    first.offer(nodes, order, undefined, bones.first);
    const below = order.filter((i) => isBelow(nodes, i, bones.first));
    last.offer(nodes, below, 'all below', bones.last >= 0 && chainOf(nodes, bones.first, bones.last).length ? bones.last : -1);
    picking.set(bones.picking);
  };
  show();
  const hint = element('p', { class: 'hint' }, 'Bones of a spring swing. Colliders move with a bone and keep springs out. Both are saved with the scene.');
  return {
    element: section('Springs', true, picking.element, first.element, last.element, add, ...springs, shapes.element, collide, ...colliders, hint),
    refresh(again: BodyDescription) {
      const all = [...(again.springs ?? []), ...(again.node_colliders ?? [])];
      for (const setting of all.flatMap((item) => item.settings)) rows.get(setting.path)?.set(setting.value);
    },
    chosen: show,
  };
}
