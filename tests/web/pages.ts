/**
 * The pages that the screenshots show and axe looks at, with real data of a daemon. A view adds a row, and what its page
 * needs to `fill`.
 */
import type { Page } from 'playwright-core';

export interface Asking {
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** What the addresses of pages name. */
export interface Filled {
  readonly run: string;
}

export interface ShownPage {
  /** The name of its picture. */
  readonly name: string;
  /** Its address behind `#/`. */
  address(filled: Filled): string;
  /** Visible once the page is complete. */
  readonly ready: string;
  /** What a person does before the picture is taken. */
  act?(page: Page): Promise<unknown>;
}

export const PAGES: readonly ShownPage[] = [
  { name: 'now', address: () => 'now', ready: 'h1' },
  { name: 'runs', address: () => 'runs', ready: 'h1' },
  {
    name: 'palette',
    address: () => 'now',
    ready: 'h1',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByText('results').waitFor();
    },
  },
  {
    name: 'shortcuts',
    address: () => 'now',
    ready: 'h1',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'new-run',
    address: () => 'now',
    ready: 'h1',
    act: async (page) => {
      await page.keyboard.press('c');
      await page.getByRole('dialog').waitFor();
    },
  },
];

/** Fills a daemon with something of everything, by its routes. */
export async function fill(daemon: Asking): Promise<Filled> {
  const run = await startRun(daemon, { task: 'Write live.md with hello', approval: 'auto-edit' });
  return { run };
}

export async function post<Answer>(daemon: Asking, path: string, body: unknown): Promise<Answer> {
  const response = await daemon.request(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Starts a run; answers its id. */
export async function startRun(daemon: Asking, body: Readonly<Record<string, unknown>>): Promise<string> {
  return (await post<{ session_id: string }>(daemon, '/agent', body)).session_id;
}

/** Waits until a run has ended. */
export async function ended(daemon: Asking, id: string): Promise<void> {
  await (await daemon.request(`/stream/${id}?after=0`)).text();
}

export async function openPage(page: Page, of: ShownPage, filled: Filled): Promise<void> {
  await page.evaluate((address) => {
    location.hash = `#/${address}`;
  }, of.address(filled));
  await page.locator(of.ready).first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await of.act?.(page);
}

/** Closes what `act` opened. */
export async function closePage(page: Page, of: ShownPage): Promise<void> {
  if (of.act !== undefined) await page.keyboard.press('Escape');
}
