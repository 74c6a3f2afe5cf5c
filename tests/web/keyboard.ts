/**
 * A user without a mouse: every key goes to the focused element, and Tab finds elements. At each stop the focus must be
 * visible: on an element of the page, with an outline, inside the window, and not covered.
 */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Stops after which a control counts as out of reach. */
const STOPS_MAX = 150;

/** What is wrong with the focus where it is now; empty when a person sees it. */
function troubleOfFocus(): string {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement != null) focused = focused.shadowRoot.activeElement;
  if (focused === null || focused === document.body) return 'Nothing has the focus.';
  const name = `${focused.outerHTML.slice(0, 120)}…`;
  // The outline of the editor is around its lines.
  const outlined = focused.closest('.cm-focused') ?? focused;
  const { outlineStyle, outlineWidth, boxShadow, visibility } = getComputedStyle(outlined);
  const { left, right, top, bottom, width, height } = focused.getBoundingClientRect();
  if (width === 0 || height === 0 || visibility === 'hidden') return `The focus is on what is not shown: ${name}`;
  const isOutlined = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  if (!isOutlined && boxShadow === 'none') return `The focus has no outline: ${name}`;
  const [x, y] = [
    (Math.max(left, 0) + Math.min(right, innerWidth)) / 2,
    (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2,
  ];
  if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight)
    return `The focus is out of sight: ${name}`;
  const root = focused.getRootNode() as Document | ShadowRoot;
  const above = root.elementFromPoint(x, y);
  const isSeen =
    above === null || focused.contains(above) || above.contains(focused) || above.closest('label') !== null;
  return isSeen ? '' : `The focus is behind ${above?.outerHTML.slice(0, 80)}: ${name}`;
}

export class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses keys one after the other; `Space` and `Enter` act on what has the focus. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(words: string): Promise<void> {
    await this.page.keyboard.type(words);
  }

  /** Writes over what the field with the focus has. */
  async write(words: string): Promise<void> {
    await this.press('Control+a');
    await this.type(words);
  }

  /** The focus is where a person sees it. */
  async seesFocus(): Promise<void> {
    await expect.poll(() => this.page.evaluate(troubleOfFocus)).toBe('');
  }

  /** Goes by Tab, or by `key`, to one of these controls, and looks at the focus at each stop. */
  async reach(control: Locator, key: 'Tab' | 'Shift+Tab' | 'ArrowDown' = 'Tab'): Promise<void> {
    await control.first().waitFor();
    for (let stop = 0; stop < STOPS_MAX; stop += 1) {
      if (await this.has(control)) return this.seesFocus();
      await this.press(key);
      if (!(await this.page.evaluate('document.activeElement === document.body'))) await this.seesFocus();
    }
    throw new Error(`${STOPS_MAX} stops do not lead to ${String(control)}.`);
  }

  /** Whether the control, or something in it, has the focus. */
  async has(control: Locator): Promise<boolean> {
    return (await control.and(this.page.locator(':focus')).count()) > 0;
  }

  async button(name: string | RegExp): Promise<void> {
    await this.reach(this.page.getByRole('button', { name, exact: typeof name === 'string' }));
    await this.press('Enter');
  }

  async link(name: string | RegExp): Promise<void> {
    await this.reach(this.page.getByRole('link', { name, exact: typeof name === 'string' }));
    await this.press('Enter');
  }

  /** Writes into the field with this label. */
  async fill(label: string | RegExp, words: string): Promise<void> {
    await this.reach(this.page.getByLabel(label, { exact: typeof label === 'string' }));
    await this.write(words);
  }

  /** The focus is on this control without a key: a dialog was closed, or a page followed. */
  async isAt(control: Locator): Promise<void> {
    await expect.poll(() => this.has(control), { message: String(control) }).toBe(true);
    await this.seesFocus();
  }

  async heading(name: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name }).waitFor();
  }

  async sees(words: string | RegExp): Promise<void> {
    await this.page.getByText(words).first().waitFor();
  }
}

/** Goes to a view by its two keys. They are sent together: the page waits for the second one for a moment only. */
export async function goBy(page: Page, key: string): Promise<void> {
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)]);
}

/**
 * Does something that makes an element appear. Tells whether it has the focus then, and whether `other`, to which the user
 * goes at once, has it some frames later.
 */
export async function focusOf(
  page: Page,
  { appears, other }: { readonly appears: string; readonly other: string },
  act: () => Promise<unknown>,
): Promise<readonly boolean[]> {
  const seen = await page.evaluateHandle(
    ([appearing, beside]) => ({
      places: new Promise<boolean[]>((found) => {
        const has = (selector: string): boolean => document.activeElement!.matches(selector);
        const observer = new MutationObserver(() => {
          if (document.querySelector(appearing!) === null) return;
          observer.disconnect();
          const first = has(appearing!);
          document.querySelector<HTMLElement>(beside!)!.focus();
          const frames = (left: number): unknown =>
            left === 0 ? found([first, has(beside!)]) : requestAnimationFrame(() => frames(left - 1));
          frames(5);
        });
        observer.observe(document.body, { childList: true, subtree: true });
      }),
    }),
    [appears, other],
  );
  await act();
  return seen.evaluate(({ places }) => places);
}

/** Sends the text of a field and writes on at once. Resolves to the text that the field has some frames later. */
export function writtenOn(field: Locator, more: string): Promise<string> {
  return field.evaluate(async (element: HTMLInputElement, words) => {
    element.dispatchEvent(new Event('change', { bubbles: true }));
    element.form?.requestSubmit();
    await new Promise((turn) => setTimeout(turn));
    element.value += words;
    for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame);
    return element.value;
  }, more);
}
