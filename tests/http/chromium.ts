/** A headless Chromium driven over its DevTools socket: just enough to test Daybook's pages. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { removeFolder, temporaryFolder } from '../support/folders.ts';

/** The browser of this machine, undefined when there is none. */
export const CHROMIUM =
  process.env.CHROMIUM ??
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Its windows have an address field, whose popups are pages of their own.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup',
  '--remote-debugging-port=0',
];

export interface Tab {
  goto(url: string): Promise<void>;
  /** The value of an expression in the page, promises awaited; throws what it throws. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Waits until the expression is true in the page; says what it waited for when it never was. */
  until(expression: string): Promise<void>;
  press(key: 'Tab' | 'Enter' | 'ArrowDown' | 'ArrowUp'): Promise<void>;
  look(of: { readonly width: number; readonly height: number; readonly scheme: 'light' | 'dark' }): Promise<void>;
  screenshot(path: string): Promise<void>;
  /** Messages on the page's console and exceptions, in order. */
  readonly complaints: readonly string[];
}

export interface Browser {
  readonly tab: Tab;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

type Send = (method: string, params?: Record<string, unknown>) => Promise<Record<string, unknown>>;

const WAIT_MS = 20_000;

export async function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('This check needs Chromium: apt-get install chromium, or set CHROMIUM.');
  const profile = temporaryFolder('chromium');
  const child = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    // What it leaves in its temporary folder goes with the profile.
    env: { ...process.env, TMPDIR: profile },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await debuggingPort(join(profile, 'DevToolsActivePort'));
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets.find((target) => target.type === 'page')!.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    tab: await openTab(socket),
    async close() {
      socket.close();
      child.kill('SIGTERM');
      await ended;
      removeFolder(profile);
    },
  };
}

async function debuggingPort(path: string): Promise<string> {
  for (let waited = 0; waited < WAIT_MS; waited += 50) {
    if (existsSync(path)) {
      const port = readFileSync(path, 'utf8').split('\n')[0]!;
      if (port !== '') return port;
    }
    await sleep(50);
  }
  throw new Error('Chromium did not open its DevTools port.');
}

async function openTab(socket: WebSocket): Promise<Tab> {
  const complaints: string[] = [];
  const send = protocol(socket, ({ method, params = {} }) => {
    if (method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params.exceptionDetails));
    if (method === 'Log.entryAdded') complaints.push(String((params.entry as { text: string }).text));
    if (method === 'Runtime.consoleAPICalled') complaints.push(JSON.stringify(params.args));
  });
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
  const evaluate = async <Value>(expression: string): Promise<Value> => {
    const answer = await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (answer.exceptionDetails !== undefined)
      throw new Error(`${expression}: ${JSON.stringify(answer.exceptionDetails)}`);
    return (answer.result as { value: Value }).value;
  };
  return {
    complaints,
    evaluate,
    async goto(url) {
      await send('Page.navigate', { url });
      await until(evaluate, `document.readyState === 'complete' && location.href.startsWith(${JSON.stringify(url)})`);
    },
    until: (expression) => until(evaluate, expression),
    async press(key) {
      const code = { Tab: 9, Enter: 13, ArrowDown: 40, ArrowUp: 38 }[key];
      const text = key === 'Enter' ? { text: '\r' } : {};
      await send('Input.dispatchKeyEvent', { type: 'keyDown', key, code: key, windowsVirtualKeyCode: code, ...text });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, windowsVirtualKeyCode: code });
    },
    async look({ width, height, scheme }) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    },
    async screenshot(path) {
      const { data } = await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
      writeFileSync(path, Buffer.from(String(data), 'base64'));
    },
  };
}

async function until(evaluate: Tab['evaluate'], expression: string): Promise<void> {
  for (let waited = 0; waited < WAIT_MS; waited += 50) {
    if (await evaluate<boolean>(expression).catch(() => false)) return;
    await sleep(50);
  }
  throw new Error(`The page never came to: ${expression}`);
}

function protocol(socket: WebSocket, onEvent: (message: Message) => void): Send {
  const waiting = new Map<number, { resolve(value: Record<string, unknown>): void; reject(error: Error): void }>();
  let last = 0;
  socket.on('message', (raw) => {
    const message = JSON.parse(String(raw)) as Message;
    const asked = message.id === undefined ? undefined : waiting.get(message.id);
    if (asked === undefined) return onEvent(message);
    waiting.delete(message.id!);
    if (message.error !== undefined) asked.reject(new Error(message.error.message));
    else asked.resolve(message.result ?? {});
  });
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}
