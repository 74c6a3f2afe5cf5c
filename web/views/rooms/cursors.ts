/**
 * The cursors and selections of the other peers in an editor. A peer sends line and column, counted from 0; the
 * position then moves with the text until the peer sends another.
 */
import { StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import type { RoomCursor, RoomPeer } from './visit.ts';

interface Place {
  readonly peer: RoomPeer;
  readonly head: number;
  readonly anchor: number;
}

type Places = ReadonlyMap<string, Place>;

/** The other peers whose cursors are in this text. */
export const setPeers = StateEffect.define<readonly RoomPeer[]>();

export const remoteCursors = StateField.define<Places>({
  create: () => new Map(),
  update(before, { changes, effects, docChanged, newDoc }) {
    const moved = docChanged ? mapped(before, (at) => changes.mapPos(at, 1)) : before;
    const peers = effects.find((effect) => effect.is(setPeers));
    return peers === undefined ? moved : placed(peers.value, moved, newDoc);
  },
  provide: (field) => EditorView.decorations.from(field, decorations),
});

/** The position of a selection in the format of the protocol. */
export function cursorOf(file: string, doc: Text, { head, anchor }: { head: number; anchor: number }): RoomCursor {
  const [line, column] = lineAndColumn(doc, head);
  return { file, line, column, selection_end: anchor === head ? null : lineAndColumn(doc, anchor) };
}

export function isCursor(value: unknown): value is RoomCursor {
  return typeof value === 'object' && value !== null && 'file' in value && 'line' in value && 'column' in value;
}

function lineAndColumn(doc: Text, at: number): readonly [number, number] {
  const line = doc.lineAt(at);
  return [line.number - 1, at - line.from];
}

function mapped(before: Places, to: (at: number) => number): Places {
  return new Map([...before].map(([id, { peer, head, anchor }]) => [id, { peer, head: to(head), anchor: to(anchor) }]));
}

/** A peer without a new message keeps its position. */
function placed(peers: readonly RoomPeer[], before: Places, doc: Text): Places {
  return new Map(
    peers.flatMap((peer): [string, Place][] => {
      const known = before.get(peer.peer_id);
      if (known?.peer === peer) return [[peer.peer_id, known]];
      if (!isCursor(peer.cursor)) return [];
      const { line, column, selection_end } = peer.cursor;
      const head = positionOf(doc, line, column);
      const anchor = selection_end ? positionOf(doc, ...selection_end) : head;
      return [[peer.peer_id, { peer, head, anchor }]];
    }),
  );
}

/** The nearest valid position: the peer may have seen another version of the text. */
function positionOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 0), doc.lines - 1) + 1);
  return Math.min(from + Math.max(column, 0), to);
}

function decorations(all: Places): DecorationSet {
  const ranges = [...all.values()].flatMap(({ peer, head, anchor }) => {
    const caret = Decoration.widget({ widget: new Caret(peer.name, peer.color), side: head < anchor ? -1 : 1 });
    if (head === anchor) return [caret.range(head)];
    const chosen = Decoration.mark({ class: 'cm-peer-selection', attributes: { style: `--peer: ${colorOf(peer)}` } });
    return [caret.range(head), chosen.range(Math.min(head, anchor), Math.max(head, anchor))];
  });
  return Decoration.set(ranges, true);
}

/** A colour comes from another peer, so only the expected format is used. */
function colorOf({ color }: { readonly color: string }): string {
  return /^#[\da-f]{6}$/i.test(color) ? color : 'currentColor';
}

class Caret extends WidgetType {
  readonly name: string;
  readonly color: string;

  constructor(name: string, color: string) {
    super();
    this.name = name;
    this.color = color;
  }

  override eq(other: Caret): boolean {
    return other.name === this.name && other.color === this.color;
  }

  /** Hidden from screen readers: the list of peers says where everybody is. */
  override toDOM(): HTMLElement {
    const caret = document.createElement('span');
    caret.className = 'cm-peer';
    caret.ariaHidden = 'true';
    caret.style.setProperty('--peer', colorOf(this));
    const label = document.createElement('span');
    label.className = 'cm-peer-name';
    label.dir = 'auto';
    label.textContent = this.name;
    caret.append(label);
    return caret;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}
