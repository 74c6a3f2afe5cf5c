/** What users perceive of the page, measured in Chromium: the first view, interactions, and memory over time. */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { pause } from '../support/common.ts';
import type { BenchDaemon } from '../support/processes.ts';

const VIEWPORT = { width: 1440, height: 900 };
/** The first view is complete when its runs, goals, engagements and storage are shown, and the log is followed. */
const READY = '.connection.live';
const WAITS = '.skeleton, [aria-busy="true"]';
const READY_PARTS = '.now-aside .now-list a, .now-main a';
const READY_EVERY_MS = 100;
const READY_MS_MAX = 60_000;
const KEY_MS = 120;
const MEBIBYTE = 1024 ** 2;
/** Faster interactions are not reported. */
const REPORTED_MS = 16;

export interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
}

/** A page with the daemon's token, with the processor slowed down by the factor. */
export async function openPage(browser: Browser, daemon: BenchDaemon, slowdown: number): Promise<Opened> {
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' });
  const token = daemon.headers.authorization!.replace('Bearer ', '');
  await context.addInitScript(`sessionStorage.setItem('daybook.token', '${token}')`);
  await context.addInitScript(observe, { ready: READY, waits: WAITS, parts: READY_PARTS, reportedMs: REPORTED_MS });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  return { context, page, cdp };
}

interface Seen {
  readyMs: number;
  lastLongTaskEndMs: number;
  /** The longest event of each interaction, in milliseconds. */
  interactions: Record<string, { readonly ms: number; readonly name: string; readonly view: string }>;
}

/** Runs in the page, before its scripts. */
function observe(of: { ready: string; waits: string; parts: string; reportedMs: number }): void {
  const seen: Seen = { readyMs: 0, lastLongTaskEndMs: 0, interactions: {} };
  Object.assign(globalThis, { daybookSeen: seen });
  const look = (): void => {
    const { document } = globalThis;
    if (document.querySelector(of.ready) === null || document.querySelector(of.parts) === null) return;
    if (document.querySelector(of.waits) !== null) return;
    changes.disconnect();
    // After the next frame, the current content has been painted.
    requestAnimationFrame(() =>
      setTimeout(() => {
        seen.readyMs = performance.now();
      }),
    );
  };
  const changes = new MutationObserver(look);
  changes.observe(document, { subtree: true, childList: true, attributes: true });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.lastLongTaskEndMs = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      const { interactionId, duration, name } = entry as PerformanceEventTiming & { interactionId: number };
      if (interactionId === 0) continue;
      const before = seen.interactions[interactionId]?.ms ?? 0;
      if (duration > before) seen.interactions[interactionId] = { ms: duration, name, view: location.hash };
    }
  }).observe({ type: 'event', durationThreshold: of.reportedMs, buffered: true } as PerformanceObserverInit);
}

function seenBy(page: Page): Promise<Seen> {
  return page.evaluate('globalThis.daybookSeen') as Promise<Seen>;
}

/** Resolves when the first view is complete. It polls, because the page's security policy forbids `waitForFunction`. */
export async function whenReady(page: Page): Promise<void> {
  for (let waited = 0; (await seenBy(page)).readyMs === 0; waited += READY_EVERY_MS) {
    if (waited > READY_MS_MAX) throw new Error('The first view is not complete after a minute.');
    await pause(READY_EVERY_MS);
  }
}

/** Milliseconds from navigation until the first view is complete, painted and free of long tasks. */
export async function firstView(browser: Browser, daemon: BenchDaemon, slowdown: number): Promise<number> {
  const { context, page } = await openPage(browser, daemon, slowdown);
  try {
    await page.goto(`${daemon.url}/web`);
    await whenReady(page);
    // A task that began before the view was complete may end after it.
    await pause(1_000);
    const { readyMs, lastLongTaskEndMs } = await seenBy(page);
    return Math.max(readyMs, lastLongTaskEndMs < readyMs + 500 ? lastLongTaskEndMs : 0);
  } finally {
    await context.close();
  }
}

/** One round of typical actions, by keyboard, through the views that change most. */
const TOUR: readonly (readonly [view: string, keys: readonly string[]])[] = [
  ['n', ['Tab', 'Tab', 'Tab', 'Tab']],
  ['r', ['j', ...times('ArrowDown', 12), ...times('PageDown', 6), 'End', 'Home', 'Enter']],
  ['n', ['Control+k', ...'ledger 12'.split(''), ...times('ArrowDown', 3), ...times('Backspace', 4), 'Escape']],
  ['r', ['/', ...'measure'.split(''), 'Escape']],
  ['e', [...times('j', 8), ...times('k', 3), '/', ...'migration 9'.split(''), 'Escape']],
  ['l', ['j', ...times('ArrowDown', 8), ...times('PageDown', 4)]],
  ['o', ['j', 'j']],
  ['t', ['Tab', 'Tab']],
  ['m', ['Tab', 'Tab']],
];

function times(key: string, count: number): readonly string[] {
  return Array.from({ length: count }, () => key);
}

export async function tour(page: Page): Promise<void> {
  for (const [view, keys] of TOUR) {
    for (const key of ['g', view, ...keys]) {
      await page.keyboard.press(key === ' ' ? 'Space' : key);
      await pause(KEY_MS);
    }
    await page.evaluate(`document.activeElement?.blur?.()`);
    await pause(KEY_MS * 4);
  }
}

export interface Interactions {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The slowest ones, each with the address at that time. */
  readonly worst: readonly { readonly ms: number; readonly name: string; readonly view: string }[];
}

/** All interactions since the page was opened. */
export async function interactions(page: Page): Promise<Interactions> {
  const { interactions: reported } = await seenBy(page);
  const count = (await page.evaluate('performance.interactionCount')) as number;
  const known = Object.values(reported).sort((one, other) => one.ms - other.ms);
  const unreported = Array.from({ length: Math.max(0, count - known.length) }, () => REPORTED_MS);
  const all = [...unreported, ...known.map(({ ms }) => ms)];
  const at = (share: number): number => all[Math.min(all.length - 1, Math.ceil(all.length * share) - 1)] ?? Number.NaN;
  return { count, p50Ms: at(0.5), p95Ms: at(0.95), worst: known.slice(-5).reverse() };
}

/** The bytes in use by the page's scripts after garbage collection, and the number of its nodes. */
export async function memory(cdp: CDPSession): Promise<{ readonly heapMiB: number; readonly nodes: number }> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes } = await cdp.send('Memory.getDOMCounters');
  return { heapMiB: usedSize / MEBIBYTE, nodes };
}
