/**
 * Where each page, and the long list in it, was scrolled to. Back and forward lead there as soon as both are tall enough:
 * a page is often shown in parts, and the browser's own restoration tries one frame only.
 *
 * The state of a history entry is its key; the positions by key are kept for the session of the tab.
 */
import { inTab } from './lib/storage.ts';

const POSITIONS_KEY = 'daybook.scroll';
const POSITIONS_MAX = 100;
const RESTORE_MS_MAX = 5_000;
/** What a user does to scroll, which ends a restoration. */
const USER_EVENTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'];

type Position = readonly [page: number, list: number];

const positions = new Map<number, Position>(JSON.parse(inTab.get(POSITIONS_KEY) ?? '[]'));
/** The key of the entry that is shown. */
let shown = 0;
let restoring: AbortController | null = null;

/** Starts to record and restore. Called once, before the page is shown. */
export function keepScroll(): void {
  history.scrollRestoration = 'manual';
  addEventListener('pagehide', () => {
    record();
    inTab.set(POSITIONS_KEY, JSON.stringify([...positions].slice(-POSITIONS_MAX)));
  });
  show();
}

/** Called when the address has changed and the page is still as it was. */
export function scrollForEntry({ isOtherPage }: { readonly isOtherPage: boolean }): void {
  record();
  restoring?.abort();
  if (!show() && isOtherPage) scrollTo(0, 0);
}

/** A page that is left before it was tall enough keeps its position. */
function record(): void {
  if (restoring === null) positions.set(shown, position());
}

const list = (): Element | null => document.querySelector('.virtual');

function position(): Position {
  return [scrollY, list()?.scrollTop ?? 0];
}

/** Restores an entry that was shown before; gives a new one its key and returns false. */
function show(): boolean {
  const known = positions.get(history.state);
  if (known !== undefined) {
    shown = history.state;
    restore(known);
    return true;
  }
  shown = Math.max(0, ...positions.keys()) + 1;
  history.replaceState(shown, '');
  return false;
}

function restore(to: Position): void {
  const current = new AbortController();
  const { signal } = current;
  restoring = current;
  signal.addEventListener('abort', () => {
    restoring = null;
  });
  for (const type of USER_EVENTS) addEventListener(type, () => current.abort(), { signal, passive: true });
  const end = performance.now() + RESTORE_MS_MAX;
  const attempt = (): void => {
    if (signal.aborted) return;
    const [page, inList] = to;
    scrollTo(0, page);
    if (inList > 0) list()?.scrollTo(0, inList);
    const isThere = position().every((at, index) => Math.abs(at - to[index]!) < 1);
    if (isThere || performance.now() > end) current.abort();
    else requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}
