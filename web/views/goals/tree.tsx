/** The tree of goals. Arrow keys: up and down move, right opens, left closes or moves to the parent. */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { percent } from '../../format.ts';
import { moveFocus } from '../../keys.ts';
import { useResource } from '../../resource.ts';
import { go, href, route } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Icon } from '../../ui/icon.tsx';
import { Status } from '../../ui/status.tsx';
import { type Node, pins } from './data.ts';

const text = all.goals;

/** Goals whose children are hidden. */
const folded = signal<ReadonlySet<string>>(new Set());

interface Row {
  readonly node: Node;
  readonly level: number;
}

function rowsOf(nodes: readonly Node[], level = 1): readonly Row[] {
  return nodes.flatMap((node) => [
    { node, level },
    ...(folded.value.has(node.goal.id) ? [] : rowsOf(node.children, level + 1)),
  ]);
}

function fold(id: string, isFolded: boolean): void {
  const next = new Set(folded.value);
  if (isFolded) next.add(id);
  else next.delete(id);
  folded.value = next;
}

const items = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.goals-tree [role="treeitem"]')];

/** Moves the focus within the tree, or into it. */
export function focusTree(by: number): void {
  const all = items();
  if (all.some((item) => item === document.activeElement)) moveFocus(all, by);
  else all.find((item) => item.tabIndex === 0)?.focus();
}

interface TreeProps {
  readonly nodes: readonly Node[];
  readonly chosen: string | undefined;
}

export function Tree({ nodes, chosen }: TreeProps): JSX.Element {
  const pinned = useResource(pins).value.value;
  const rows = rowsOf(nodes);
  const first = rows.some(({ node }) => node.goal.id === chosen) ? chosen : rows[0]?.node.goal.id;
  return (
    <div class="goals-tree" role="tree" aria-label={text.tree}>
      {rows.map(({ node, level }) => (
        <Item
          key={node.goal.id}
          node={node}
          level={level}
          isChosen={node.goal.id === chosen}
          isFirst={node.goal.id === first}
          isPinned={pinned?.has(node.goal.id) ?? false}
        />
      ))}
    </div>
  );
}

interface ItemProps extends Row {
  readonly isChosen: boolean;
  readonly isFirst: boolean;
  readonly isPinned: boolean;
}

function Item({ node, level, isChosen, isFirst, isPinned }: ItemProps): JSX.Element {
  const { goal, children, progress } = node;
  const isFolded = folded.value.has(goal.id);
  const own = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    if (isChosen) own.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  const address = href(['goals', goal.id], Object.fromEntries(route.value.query));
  return (
    <a
      ref={own}
      role="treeitem"
      class="goals-item"
      href={address}
      aria-level={level}
      aria-selected={isChosen}
      aria-expanded={children.length === 0 ? undefined : !isFolded}
      tabIndex={isFirst ? 0 : -1}
      style={{ '--level': level - 1 }}
      onKeyDown={(event) => pressed(event, node)}
    >
      <span
        class="goals-fold"
        aria-hidden="true"
        onClick={(event) => {
          if (children.length === 0) return;
          event.preventDefault();
          fold(goal.id, !isFolded);
        }}
      >
        {children.length > 0 && <Icon name={isFolded ? 'chevron' : 'down'} />}
      </span>
      <span class="goals-name" dir="auto">
        {goal.title}
      </span>
      {isPinned && <span class="quiet">{text.pinned}</span>}
      {goal.status !== 'active' && <Status of={goal.status} />}
      {progress !== null && (
        <span class="goals-progress">
          <progress class="progress" max={1} value={progress} aria-label={text.progress(goal.title)} />
          <span class="quiet number">{percent(progress)}</span>
        </span>
      )}
    </a>
  );
}

function pressed(event: KeyboardEvent, { goal, children }: Node): void {
  const isOpen = children.length > 0 && !folded.value.has(goal.id);
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => focusTree(1),
    ArrowUp: () => focusTree(-1),
    Home: () => items()[0]?.focus(),
    End: () => items().at(-1)?.focus(),
    ArrowRight: () => (isOpen ? focusTree(1) : fold(goal.id, false)),
    ArrowLeft: () => (isOpen ? fold(goal.id, true) : focusParent(event.currentTarget as HTMLElement)),
    ' ': () => go(['goals', goal.id]),
  };
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function focusParent(item: HTMLElement): void {
  const all = items();
  const level = Number(item.ariaLevel);
  all
    .slice(0, all.indexOf(item))
    .findLast((each) => Number(each.ariaLevel) === level - 1)
    ?.focus();
}
