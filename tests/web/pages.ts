/**
 * The pages of the screenshots and of axe, with data of a real daemon. A view adds a row here, and its data to `fill`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import * as Y from 'yjs';
import { post } from '../support/asking.ts';
import { temporaryFolder } from '../support/folders.ts';
import { until } from '../support/until.ts';
import { ENDLESS } from './provider.ts';

export interface Asking {
  readonly url: string;
  readonly token: string;
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** What the addresses of pages name. */
export interface Filled {
  readonly run: string;
  /** A fork of it. */
  readonly other: string;
  readonly goal: string;
  readonly engagement: string;
  /** A position before the work on it. */
  readonly before: number;
  /** An engagement whose texts are one word each. */
  readonly unbroken: string;
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

/** A repository with a history: this one. */
const REPOSITORY = join(import.meta.dirname, '../..');

export const PAGES: readonly ShownPage[] = [
  { name: 'now', address: () => 'now', ready: '.approval' },
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
  {
    name: 'memory',
    address: () => 'memory?q=who+reads+invoices',
    ready: '.memory-score',
    act: (page) => page.locator('.memory-score > summary').first().press('Enter'),
    isWhole: true,
  },
  { name: 'memory-facts', address: () => 'memory/facts', ready: '.memory-fact' },
  {
    name: 'memory-drawers',
    address: () => 'memory/drawers',
    ready: '.memory-drawer',
    act: (page) => page.locator('.memory-drawer > summary').first().press('Enter'),
    isWhole: true,
  },
  {
    name: 'memory-context',
    address: () => 'memory/context',
    ready: 'form',
    act: async (page) => {
      await page.getByLabel('Task or question').fill('invoice import');
      await page.keyboard.press('Enter');
      await page.locator('.memory-layer').first().waitFor();
    },
    isWhole: true,
  },
  { name: 'metrics', address: () => 'metrics', ready: '.metrics-plot:last-child canvas' },
  { name: 'metrics-process', address: () => 'metrics/process', ready: '.metrics-plot:last-child canvas' },
  { name: 'metrics-providers', address: () => 'metrics/providers', ready: '.metrics-plot:last-child canvas' },
  {
    name: 'metrics-delivery',
    address: () => `metrics/delivery?path=${encodeURIComponent(REPOSITORY)}&window=365&marker=merges`,
    ready: '.metrics-practices',
  },
  { name: 'settings', address: () => 'settings', ready: '.settings-provider' },
  { name: 'settings-connectors', address: () => 'settings/connectors', ready: '.settings-catalogue' },
  { name: 'settings-plugins', address: () => 'settings/plugins', ready: '.settings-rows' },
  { name: 'settings-briefing', address: () => 'settings/briefing', ready: '.settings-form' },
  { name: 'settings-safety', address: () => 'settings/safety', ready: '.card' },
  { name: 'log', address: () => 'log', ready: '.log-row' },
  {
    name: 'log-event',
    address: () => 'log/11',
    ready: '.log-node',
    act: (page) => page.keyboard.press('p').then(() => page.locator('.log-verdict').waitFor()),
    isWhole: true,
  },
  { name: 'compare', address: ({ run, other }) => `runs/${run}/compare/${other}`, ready: '.compare-first' },
  { name: 'engagements', address: () => 'engagements', ready: '.engagements-card .progress' },
  {
    name: 'engagement',
    address: ({ engagement }) => `engagements/${engagement}`,
    ready: '.engagement-row',
    act: async (page) => {
      await page.locator('.engagement-toggle', { hasText: 'Current-state architecture map' }).press('Enter');
      await page.locator('.engagement-item').first().waitFor();
    },
    isWhole: true,
  },
  { name: 'engagement-unbroken', address: ({ unbroken }) => `engagements/${unbroken}`, ready: '.engagement-judgement' },
  {
    name: 'engagement-past',
    address: ({ engagement, before }) => `engagements/${engagement}?at=${before}`,
    ready: '.engagement-past .button',
  },
  {
    name: 'engagement-history',
    address: ({ engagement }) => `engagements/${engagement}?show=history`,
    ready: '.engagement-change',
  },
  {
    name: 'engagement-judge',
    address: ({ engagement }) => `engagements/${engagement}`,
    ready: '.engagement-row',
    act: async (page) => {
      await page.getByRole('button', { name: 'Judge…' }).first().press('Enter');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'engagement-advance',
    address: ({ engagement }) => `engagements/${engagement}`,
    ready: '.engagement-row',
    act: async (page) => {
      await page.keyboard.press('a');
      await page.getByRole('dialog').waitFor();
      await page.getByLabel('Leave it all the same').press('Space');
    },
  },
  {
    name: 'engagement-report',
    address: ({ engagement }) => `engagements/${engagement}/report`,
    ready: '.engagement-paper h2',
  },
  { name: 'rooms', address: () => 'rooms', ready: '.rooms-row' },
  { name: 'room', address: () => 'rooms/standup?text=notes.md', ready: '.cm-peer-name' },
  {
    name: 'room-name',
    address: () => 'rooms/standup?text=notes.md',
    ready: '.cm-peer-name',
    act: async (page) => {
      await page.getByRole('button', { name: 'Your name…' }).press('Enter');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'talk', address: () => 'voice', ready: '.voice-modes' },
  { name: 'goals', address: () => 'goals', ready: '.goals-item' },
  { name: 'goal', address: ({ goal }) => `goals/${goal}`, ready: '.goals-main .progress' },
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
  await post(daemon, '/v1/goals', {
    title: 'Read EDIFACT',
    statement: 'The old system writes it.',
    tags: ['import'],
    parent_goal_id: goal.id,
  });
  const csv = await post<{ id: string }>(daemon, '/v1/goals', { title: 'Read CSV', parent_goal_id: goal.id });
  await daemon.request(`/v1/goals/${csv.id}`, { method: 'PATCH', body: JSON.stringify({ status: 'done' }) });
  await daemon.request('/v1/goals/current', { method: 'PUT', body: JSON.stringify({ goal_id: goal.id }) });
  await post(daemon, `/v1/goals/${goal.id}/link`, { kind: 'session', target_id: run, note: 'The first look' });
  await post(daemon, `/v1/goals/${goal.id}/plan`, {});
  const engagement = await fillEngagement(daemon);
  await remember(daemon);
  await fillRooms(daemon);
  await post(daemon, '/briefing/generate', {});
  await daemon.request('/briefing?wait=20000');
  const waiting = { task: 'Write down the open questions', approval: 'suggest', interactive: true };
  await startRun(daemon, waiting);
  await startRun(daemon, { task: `Compare the formats, ${ENDLESS}`, approval: 'full-auto' });
  await until(async () => (await approvals(daemon)).length > 0);
  return { run, other, goal: goal.id, ...engagement };
}

interface Named {
  readonly id: string;
  readonly title: string;
  readonly key?: string;
}

/** An engagement with a folder, evidence that has changed since, and verdicts that differ. */
async function fillEngagement(daemon: Asking): Promise<Pick<Filled, 'engagement' | 'before' | 'unbroken'>> {
  const folder = temporaryFolder('client');
  mkdirSync(join(folder, 'docs'));
  for (const name of ['docs/systems-inventory.md', 'docs/risk-register.md', 'runbook.md']) {
    writeFileSync(join(folder, name), `# ${name}\n\nWhat we found.\n`);
  }
  const { engagement } = await post<{ engagement: Named }>(daemon, '/engagements', {
    name: 'Nordwind rollout',
    client: 'Nordwind AG',
    summary: 'The invoices of the old system arrive in the new one, and Nordwind’s engineers run it.',
    workspace_path: folder,
  });
  await post(daemon, '/engagements', { name: 'Harbour timetable', client: 'Port of Kiel' });
  const at = `/engagements/${engagement.id}`;
  const read = async <Answer>(path: string): Promise<Answer> =>
    (await (await daemon.request(at + path)).json()) as Answer;
  const { deliverables } = await read<{ deliverables: readonly Named[] }>('/deliverables?phase=discover');
  const { gates } = await read<{ gates: readonly Named[] }>('/gates?phase=discover');
  const { events } = await read<{ events: readonly { position: number }[] }>('/history?limit=1000');
  const [first, second] = deliverables;
  const set = (id: string, body: object): Promise<Response> =>
    daemon.request(`${at}/deliverables/${id}`, { method: 'PATCH', body: JSON.stringify(body) });
  await set(first!.id, { status: 'ready', owner: 'Ada', notes: 'Two systems are still missing.' });
  await set(second!.id, { status: 'in_progress', owner: 'Mikkel' });
  const evidence = `${at}/deliverables/${first!.id}/evidence`;
  await post(daemon, evidence, { kind: 'file', label: 'The inventory', reference: 'docs/systems-inventory.md' });
  await post(daemon, evidence, { kind: 'file', label: 'Risks', reference: 'docs/risk-register.md' });
  await post(daemon, evidence, { kind: 'url', label: 'Minutes', reference: 'https://example.com/minutes' });
  writeFileSync(join(folder, 'docs/risk-register.md'), '# Changed since\n');
  const judge = `${at}/gates/${gates[0]!.id}/judge`;
  await post(daemon, judge, { verdict: 'fail', observed: '3 of 9 owners answered.', rationale: 'Too few.' });
  const passed = { verdict: 'pass', observed: '9 of 9 owners answered.', decided_by: 'Grace Hopper' };
  await post(daemon, judge, passed);
  return { engagement: engagement.id, before: events.at(-1)!.position, unbroken: await fillUnbroken(daemon) };
}

/** A closed engagement with a gate, in words without a space. */
async function fillUnbroken(daemon: Asking): Promise<string> {
  const word = 'Rechnungsübernahme'.repeat(10);
  const named = { name: word, client: word, summary: word };
  const { id } = (await post<{ engagement: Named }>(daemon, '/engagements', named)).engagement;
  const gates = `/engagements/${id}/gates`;
  const { gate } = await post<{ gate: Named }>(daemon, gates, {
    phase: 'discover',
    title: word,
    criterion: word,
    measurement: word,
  });
  const verdict = { verdict: 'fail', observed: word, rationale: word, decided_by: word };
  await post(daemon, `${gates}/${gate.id}/judge`, verdict);
  // The pages that list engagements leave it out.
  await daemon.request(`/engagements/${id}`, { method: 'PATCH', body: JSON.stringify({ status: 'closed' }) });
  return id;
}

/** Two rooms; Grace stays in one of them, with some words chosen, until the daemon ends. */
async function fillRooms(daemon: Asking): Promise<void> {
  await post(daemon, '/collab/rooms', { room_id: 'import plan' });
  const doc = new Y.Doc();
  const words =
    '# Standup\n\n- Ada: the CSV import is done.\n- Grace: EDIFACT has no tests yet.\n- סיכום: הקובץ מוכן\n';
  doc.getText('notes.md').insert(0, words);
  doc.getText('questions.md').insert(0, 'Who owns the old system?\n');
  const address = `${daemon.url.replace('http', 'ws')}/ws/collab/standup?token=${daemon.token}&name=Grace`;
  const socket = new WebSocket(address);
  const { promise: entered, resolve } = Promise.withResolvers<string>();
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string' && data.includes('"welcome"')) resolve(JSON.parse(data).peer_id);
  });
  const peer_id = await entered;
  socket.send(Buffer.concat([Buffer.of(2), Y.encodeStateAsUpdate(doc)]));
  const cursor = { file: 'notes.md', line: 3, column: 16, selection_end: [3, 9] };
  socket.send(JSON.stringify({ type: 'awareness', peer_id, cursor, timestamp: Date.now() }));
}

/** Memories, facts of several times, and a text in drawers. */
async function remember(daemon: Asking): Promise<void> {
  const keep = (content: string, ...tags: string[]) => post<{ id: string }>(daemon, '/memory/add', { content, tags });
  await keep('Ada lives in Lyon and likes short reports with a number in the first line.', 'people');
  const { id } = await keep('The invoice import reads CSV, XML and EDIFACT; EDIFACT has no tests.', 'import');
  await keep('To release: run the checks, write the changelog, then tag the commit.', 'release');
  await post(daemon, '/memory/pin', { id });
  const tell = (object: string, from?: string, subject = 'Ada', predicate = 'lives in') =>
    post(daemon, '/memory/fact', { subject, predicate, object, ...(from && { valid_from: Date.parse(from) / 1_000 }) });
  await tell('Paris', '2019-05-01');
  await tell('Lyon', '2024-03-01');
  await tell('Nordwind AG', '2022-01-01', 'Ada', 'works for');
  await tell('three formats', undefined, 'The import', 'reads');
  const paragraphs = [
    'CSV is read line by line.',
    'XML is read as a whole, so a file of a gigabyte needs as much memory.',
  ];
  await post(daemon, '/memory/chunk', { content: paragraphs.join('\n\n'), source: 'docs/import.md' });
}

async function approvals(daemon: Asking): Promise<readonly object[]> {
  const response = await daemon.request('/approvals?status=pending');
  return ((await response.json()) as { approvals: readonly object[] }).approvals;
}

/** Starts a run; answers its id. */
export async function startRun(daemon: Asking, body: Readonly<Record<string, unknown>>): Promise<string> {
  return (await post<{ session_id: string }>(daemon, '/agent', body)).session_id;
}

/** Waits until a run has ended. */
export async function ended(daemon: Asking, id: string): Promise<void> {
  await (await daemon.request(`/stream/${id}?after=0`)).text();
}

/**
 * Goes to a page of the console by its address behind `#/`. Resolves when the page before is gone: a busy browser tells
 * of a new address later than of a key that is pressed after it.
 */
export function openAt(page: Page, address: string): Promise<void> {
  return page.evaluate(async (to) => {
    const before = location.href;
    const gone = new Promise((changed) => addEventListener('hashchange', changed, { once: true }));
    location.hash = to;
    if (location.href !== before) await gone;
  }, `#/${address}`);
}

/** Reloads the page, and stays when the browser asks. Resolves only if it does. */
export async function staysAtReload(page: Page): Promise<void> {
  const asked = page.waitForEvent('dialog', (dialog) => dialog.type() === 'beforeunload');
  await page.evaluate('void setTimeout(() => location.reload())');
  await (await asked).dismiss();
}

export async function openPage(page: Page, of: ShownPage, filled: Filled): Promise<void> {
  await openAt(page, of.address(filled));
  await page.locator(of.ready).first().waitFor();
  await page.locator('.skeleton, .stack[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await of.act?.(page);
}

/** Closes what `act` opened. */
export async function closePage(page: Page, of: ShownPage): Promise<void> {
  if (of.act !== undefined) await page.keyboard.press('Escape');
}
