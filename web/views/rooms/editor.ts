/**
 * CodeMirror for one text of a room, in a shadow tree: there CodeMirror uses constructed style sheets, while in the
 * document it would need a `<style>` element, which the security policy forbids.
 */
import { defaultKeymap } from '@codemirror/commands';
import { Compartment, EditorState, type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { yCollab, yUndoManagerKeymap } from 'y-codemirror.next';
import type * as Y from 'yjs';
import { cursorOf, isCursor, remoteCursors, setPeers } from './cursors.ts';
import type { RoomCursor, RoomPeer } from './visit.ts';

/** Several moves within this time are sent as one. */
const CURSOR_MS = 40;

export interface EditorOptions {
  readonly text: Y.Text;
  /** The name of the text. */
  readonly file: string;
  readonly label: string;
  onCursor(cursor: RoomCursor): void;
}

export interface Editor {
  show(peers: readonly RoomPeer[]): void;
  setReadOnly(isReadOnly: boolean): void;
  focus(): void;
  close(): void;
}

export function openEditor(host: HTMLElement, { text, file, label, onCursor }: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const readOnly = new Compartment();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sendCursor = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      onCursor(cursorOf(file, view.state.doc, view.state.selection.main));
    }, CURSOR_MS);
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text.toString(),
      extensions: [
        keymap.of([...yUndoManagerKeymap, ...defaultKeymap]),
        readOnly.of([]),
        lineNumbers(),
        drawSelection(),
        EditorView.lineWrapping,
        directions,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true' }),
        yCollab(text, null),
        remoteCursors,
        // Other peers move this cursor themselves when they apply a change, so only actions of this user are sent.
        EditorView.updateListener.of(({ selectionSet, transactions }) => {
          if (selectionSet || transactions.some((each) => each.isUserEvent('input'))) sendCursor();
        }),
        EditorView.domEventHandlers({ focus: sendCursor }),
        looks,
      ],
    }),
  });
  return {
    show: (peers) =>
      view.dispatch({
        effects: setPeers.of(peers.filter(({ cursor }) => isCursor(cursor) && cursor.file === file)),
      }),
    setReadOnly: (isReadOnly) =>
      view.dispatch({ effects: readOnly.reconfigure(isReadOnly ? EditorState.readOnly.of(true) : []) }),
    focus: () => view.focus(),
    close() {
      clearTimeout(timer);
      view.destroy();
    },
  };
}

const ownDirection = Decoration.line({ attributes: { dir: 'auto' } });

/** Each line has the direction of its first letter. */
const directions: Extension = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of((view): DecorationSet => {
    const builder = new RangeSetBuilder<Decoration>();
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to; ) {
        const line = view.state.doc.lineAt(at);
        builder.add(line.from, line.from, ownDirection);
        at = line.to + 1;
      }
    }
    return builder.finish();
  }),
];

const looks = EditorView.theme({
  '&': { minHeight: '24rem', color: 'var(--ink)', fontSize: 'var(--text-m)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '2px', borderRadius: 'var(--radius)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.7', minHeight: '24rem' },
  '.cm-content': { padding: 'var(--s6) 0 var(--s4)', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 var(--s3)' },
  '.cm-gutters': { border: '0', backgroundColor: 'transparent', color: 'var(--quiet)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-peer': { position: 'relative', borderInlineStart: '2px solid var(--peer)', marginInline: '-1px' },
  '.cm-peer-name': {
    position: 'absolute',
    insetBlockEnd: '100%',
    insetInlineStart: '-2px',
    padding: '0 0.3rem',
    borderRadius: '0.25rem 0.25rem 0.25rem 0',
    background: 'var(--peer)',
    color: '#111',
    font: '600 0.6875rem/1.3 var(--sans)',
    whiteSpace: 'nowrap',
    pointerEvents: 'none',
    zIndex: '2',
  },
  '.cm-peer-selection': { backgroundColor: 'color-mix(in srgb, var(--peer) 30%, transparent)' },
});
