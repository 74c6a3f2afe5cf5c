/**
 * The pages that the screenshots show and axe looks at, with real data of a daemon. A view adds a row, and what its page
 * needs to `fill`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ENDLESS } from './provider.ts';

export interface Asking {
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** What the addresses of pages name. */
export interface Filled {
  readonly run: string;
  /** A fork of it. */
  readonly other: string;
  readonly goal: string;
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
  /** The picture shows the whole page, also after `act`. */
  readonly isWhole?: true;
}

export const PAGES: readonly ShownPage[] = [
  { name: 'now', address: () => 'now', ready: '.now-approval' },
  { name: 'runs', address: () => 'runs', ready: '.runs-row' },
  {
    name: 'run',
    address: ({ run }) => `runs/${run}`,
    ready: '.entry .prose table',
    act: async (page) => {
      for (const call of await page.locator('.entry-call > summary').all()) await call.press('Enter');
      await page.locator('.diff').first().waitFor();
    },
    isWhole: true,
  },
  { name: 'run-past', address: ({ run }) => `runs/${run}?step=2`, ready: '.timeline-past' },
  { name: 'run-events', address: ({ run }) => `runs/${run}?show=events`, ready: '.event-row' },
  { name: 'log', address: () => 'log', ready: '.log-row' },
  {
    name: 'log-event',
    address: () => 'log/11',
    ready: '.log-node',
    act: (page) => page.keyboard.press('p').then(() => page.locator('.log-verdict').waitFor()),
    isWhole: true,
  },
  { name: 'compare', address: ({ run, other }) => `runs/${run}/compare/${other}`, ready: '.compare-first' },
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

/** Fills a daemon, which asks the provider of `provider.ts`, with something of everything, by its routes. */
export async function fill(daemon: Asking): Promise<Filled> {
  const run = await startRun(daemon, {
    task: 'Describe the invoice import, and write notes.md',
    approval: 'full-auto',
  });
  await ended(daemon, run);
  const { session_id: other } = await post<{ session_id: string }>(daemon, `/jobs/${run}/fork`, { step: 2 });
  await ended(daemon, other);
  const words = await startRun(daemon, { task: 'כתוב סיכום של הפרויקט', approval: 'full-auto' });
  await ended(daemon, words);
  const goal = await post<{ id: string }>(daemon, '/v1/goals', {
    title: 'Ship the invoice import',
    statement: 'Invoices of the old system arrive in the new one.',
    success_criteria: ['1 000 invoices without an error'],
  });
  await post(daemon, '/engagements', { name: 'Nordwind rollout', client: 'Nordwind AG' });
  await post(daemon, '/briefing/generate', {});
  await daemon.request('/briefing?wait=20000');
  const waiting = { task: 'Write down the open questions', approval: 'suggest', interactive: true };
  await startRun(daemon, waiting);
  await startRun(daemon, { task: `Compare the formats, ${ENDLESS}`, approval: 'full-auto' });
  await until(async () => (await approvals(daemon)).length > 0);
  return { run, other, goal: goal.id };
}

async function approvals(daemon: Asking): Promise<readonly object[]> {
  const response = await daemon.request('/approvals?status=pending');
  return ((await response.json()) as { approvals: readonly object[] }).approvals;
}

const POLL_MS = 50;

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(POLL_MS);
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
