/**
 * When the focused element leaves the page (its approval was answered, its row was deleted), the focus moves to an
 * element next to it or around it, so that the next Tab continues from there. By default a browser would drop the
 * focus.
 */

/** The element that has the focus, or had it until it left the page. */
let held: Element | null = null;

/** Buttons never get the focus automatically, so that pressing Enter once too often has no effect. */
const ACTS = 'a, button, summary, input, select, textarea';

export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    held = target instanceof Element ? target : null;
  });
  new MutationObserver((records) => {
    if (held === null || held.isConnected || document.activeElement !== document.body) return;
    const lost = held;
    held = null;
    const record = records.find(({ removedNodes }) => [...removedNodes].some((each) => each.contains(lost)));
    if (record !== undefined) placeFor(record)?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}

function placeFor({ nextSibling, previousSibling, target }: MutationRecord): HTMLElement | null {
  const beside = [nextSibling, previousSibling].find((each) => isShown(each) && !each.matches(ACTS));
  if (isShown(beside)) return focusable(beside);
  for (let around: Node | null = target; around !== null; around = around.parentNode) {
    if (isShown(around)) return focusable(around);
  }
  return null;
}

function isShown(node: Node | null | undefined): node is HTMLElement {
  return node instanceof HTMLElement && node.isConnected && node !== document.body && node.checkVisibility();
}

function focusable(element: HTMLElement): HTMLElement {
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) {
    element.tabIndex = -1;
    element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true });
  }
  return element;
}
