/**
 * `npm run check:web`: the console in a real Chromium, through a relay that can cut every connection. Says what held;
 * ends with 1 at the first thing that did not. A folder as argument gets screenshots.
 */
import { strict as assert } from 'node:assert';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createRelay, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { type Browser, openBrowser, type Tab } from './chromium.ts';

const HOSTILE = `<img src=x onerror="document.title='owned'"> & 'more'`;
const shots = process.argv[2];

const held = (what: string): void => void process.stdout.write(`ok  ${what}\n`);

const WORDS = Array.from({ length: 60 }, (_, n) => `word${n} `);

/** A provider that speaks a word every 30 ms; asked for something ENDLESS it then falls silent, else it ends. */
async function slowProvider(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let asked = '';
    for await (const part of request) asked += String(part);
    const frame = (delta: unknown, finish_reason: string | null): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of WORDS) {
      response.write(frame({ content }, null));
      await sleep(30);
    }
    if (!asked.includes('ENDLESS')) response.end(`${frame({}, 'stop')}data: [DONE]\n\n`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

interface Relay {
  readonly url: string;
  readonly cut: () => void;
  readonly close: () => void;
}

/** Passes bytes on to a port; `cut` ends every connection that there is. */
async function relayTo(port: () => number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createRelay((near) => {
    const far = connect(port(), '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        other.destroy();
        sockets.delete(socket);
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const cut = (): void => sockets.forEach((socket) => void socket.destroy());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close() {
      cut();
      server.close();
    },
  };
}

const text = (tab: Tab, id: string): Promise<string> => tab.evaluate(`document.getElementById('${id}').innerText`);
const has = (id: string, part: string): string =>
  `document.getElementById('${id}').innerText.includes(${JSON.stringify(part)})`;

async function shot(tab: Tab, name: string): Promise<void> {
  if (shots !== undefined) await tab.screenshot(join(shots, `${name}.png`));
}

async function checkConnecting(tab: Tab, relay: Relay, daemon: TestDaemon): Promise<void> {
  await tab.goto(`${relay.url}/web`);
  await tab.until(`!document.getElementById('connect').hidden && document.getElementById('work').hidden`);
  await shot(tab, 'connect');
  await tab.evaluate(
    `(document.getElementById('token').value = 'wrong', document.getElementById('paste').requestSubmit())`,
  );
  await tab.until(has('notice', 'does not know this token'));
  assert.equal(await tab.evaluate('sessionStorage.length'), 0);
  held('a wrong token is refused, told, and forgotten');
  await tab.evaluate(`document.querySelector('#pair button').focus()`);
  await tab.press('Enter');
  await tab.until(`document.getElementById('connection').dataset.state === 'live'`);
  assert.equal(await tab.evaluate(`sessionStorage.getItem('daybook.token')`), daemon.token);
  assert.equal((await tab.evaluate<string>('location.href')).includes(daemon.token), false);
  held('pairing on loopback gives the token to this tab, and not to its address');
}

async function checkRun(tab: Tab): Promise<void> {
  await tab.evaluate(
    `(document.getElementById('task').value = 'Write live.md with hello', document.getElementById('approval').value = 'auto-edit', document.getElementById('start').requestSubmit())`,
  );
  await tab.until(`document.querySelector('#output .end.complete') !== null`);
  assert.match(await text(tab, 'output'), /^This is a rehearsal[\s\S]*write_file — ok[\s\S]*Complete\n/);
  await tab.until(has('facts', 'complete'));
  await tab.until(has('stream-state', 'has ended'));
  assert.equal(await tab.evaluate(`document.getElementById('cancel').disabled`), true);
  held('a task started here is followed live to its end');
  await shot(tab, 'run');
}

async function checkOthersJobs(tab: Tab, daemon: TestDaemon): Promise<void> {
  const before = await tab.evaluate<number>(`document.querySelectorAll('#jobs li').length`);
  await daemon.request('/agent', { method: 'POST', body: JSON.stringify({ task: HOSTILE }) });
  await tab.until(`document.querySelectorAll('#jobs li').length === ${before + 1}`);
  await tab.until(`document.querySelector('#jobs li .badge').innerText === 'complete'`);
  held('a job that somebody else starts appears and moves by itself');
  await tab.evaluate(`document.querySelector('#jobs button').focus()`);
  await tab.press('ArrowDown');
  await tab.press('ArrowUp');
  await tab.press('Enter');
  await tab.until(has('detail-title', HOSTILE));
  assert.equal(await tab.evaluate('document.title'), 'Daybook');
  assert.equal(await tab.evaluate(`document.querySelectorAll('main img').length`), 0);
  held('the list is walked by keyboard, and markup in a task is text');
}

const startsRight = (selector: string): string => `(() => {
  const element = document.querySelector('${selector}');
  const words = document.createRange();
  words.selectNodeContents(element);
  return element.getBoundingClientRect().right - words.getBoundingClientRect().right < 24;
})()`;

/** A task from right to left stands at the right in the console and in the documents; what is around it does not. */
async function checkDirections(tab: Tab, daemon: TestDaemon): Promise<void> {
  const before = await tab.evaluate<number>(`document.querySelectorAll('#jobs li').length`);
  const body = JSON.stringify({ task: 'כתוב a.txt' });
  const { session_id } = (await (await daemon.request('/agent', { method: 'POST', body })).json()) as {
    session_id: string;
  };
  await tab.until(`document.querySelectorAll('#jobs li').length === ${before + 1}`);
  assert.equal(await tab.evaluate(startsRight('#jobs .what')), true);
  assert.equal(await tab.evaluate(startsRight('#jobs-title')), false);
  const shown = await tab.evaluate<string>('location.href');
  const html = await (await daemon.request(`/view/${session_id}`)).text();
  await tab.goto(`data:text/html;base64,${Buffer.from(html).toString('base64')}`);
  for (const selector of ['h1', '.prose']) assert.equal(await tab.evaluate(startsRight(selector)), true);
  assert.equal(await tab.evaluate(startsRight('h2')), false);
  await tab.goto(shown);
  await tab.until(`document.getElementById('connection').dataset.state === 'live'`);
  held('a task from right to left is read from right to left');
}

/** A run of sixty words, the connections cut again and again while they come. */
async function checkResume(tab: Tab, relay: Relay): Promise<void> {
  await tab.evaluate(
    `(document.getElementById('task').value = 'Count', document.getElementById('start').requestSubmit())`,
  );
  for (const word of [5, 20, 40]) {
    await tab.until(has('output', `word${word} `));
    relay.cut();
    await tab.until(`document.getElementById('connection').dataset.state === 'waiting'`);
    await tab.until(`document.getElementById('connection').dataset.state === 'live'`);
  }
  await tab.until(`document.querySelector('#output .end') !== null`);
  const shown = await tab.evaluate<string>(
    `[...document.querySelectorAll('#output .assistant')].map((e) => e.textContent).join('')`,
  );
  assert.equal(shown, WORDS.join(''));
  held('three cuts in the middle of a stream lose nothing and show nothing twice');
}

/** The run just shown is taken up again by another client. */
async function checkResumed(tab: Tab, daemon: TestDaemon): Promise<void> {
  const resume_session_id = await tab.evaluate('location.hash.slice(1)');
  await daemon.request('/agent', { method: 'POST', body: JSON.stringify({ task: 'Count on', resume_session_id }) });
  await tab.until(`document.querySelectorAll('#output .end').length === 2`);
  held('a finished job that is taken up again is followed again');
}

async function checkCancel(tab: Tab): Promise<void> {
  await tab.evaluate(
    `(document.getElementById('task').value = 'ENDLESS', document.getElementById('start').requestSubmit())`,
  );
  await tab.until(has('detail-title', 'ENDLESS'));
  await tab.until(has('output', 'word3 '));
  await tab.until(`!document.getElementById('cancel').disabled`);
  await shot(tab, 'running');
  await tab.evaluate(`document.getElementById('cancel').click()`);
  await tab.until(has('facts', 'cancelled (user requested)'));
  await tab.until(has('stream-state', 'has ended'));
  held('a running job is cancelled');
}

async function checkRestart(
  tab: Tab,
  relay: Relay,
  restart: () => Promise<void>,
  stop: () => Promise<void>,
): Promise<void> {
  await stop();
  relay.cut();
  await tab.until(`document.getElementById('connection').dataset.state === 'waiting'`);
  await tab.until(has('connection', 'Trying again in'));
  held('without a daemon the page says that it waits');
  await restart();
  await tab.until(`!document.getElementById('connect').hidden`);
  assert.equal(await tab.evaluate('sessionStorage.length'), 0);
  await tab.evaluate(`document.querySelector('#pair button').click()`);
  await tab.until(`document.getElementById('connection').dataset.state === 'live'`);
  await tab.until(`document.querySelectorAll('#jobs li').length >= 2`);
  held('after a restart it asks for the new token and shows the old jobs');
}

async function checkLooks(tab: Tab, daemon: TestDaemon): Promise<void> {
  const [{ session_id }] = (await (await daemon.request('/jobs')).json()) as [{ session_id: string }];
  const documents = new Map<string, string>();
  for (const path of [`/view/${session_id}`, `/share/${session_id}`, '/sessions']) {
    const name = path.split('/')[1]!;
    documents.set(name, await (await daemon.request(path)).text());
  }
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [360, 1200]) {
      await tab.look({ width, height: 900, scheme });
      await shot(tab, `web-${scheme}-${width}`);
      await noOverflow(tab, `/web at ${width}`);
    }
  }
  for (const [name, html] of documents) {
    for (const [width, scheme] of [
      [360, 'dark'],
      [1000, 'light'],
    ] as const) {
      await tab.look({ width, height: 900, scheme });
      await tab.goto(`data:text/html;base64,${Buffer.from(html).toString('base64')}`);
      await shot(tab, `${name}-${scheme}-${width}`);
      await noOverflow(tab, `${name} at ${width}`);
    }
  }
  await tab.look({ width: 360, height: 900, scheme: 'light' });
  await tab.goto(`${daemon.url}/docs`);
  await noOverflow(tab, '/docs at 360');
  held('pages fit a phone and a desk, in light and dark');
}

async function noOverflow(tab: Tab, where: string): Promise<void> {
  const [page, window] = await tab.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]');
  assert.ok(page <= window, `${where} is ${page} wide in a window of ${window}`);
}

async function checkAll(browser: Browser): Promise<void> {
  const provider = await slowProvider();
  const openai = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  let daemon = await testDaemon();
  const { home, workspace } = daemon;
  const relay = await relayTo(() => daemon.port);
  const { tab } = browser;
  const start = async (env: NodeJS.ProcessEnv = {}): Promise<void> => {
    daemon = await testDaemon({ home, workspace, env });
  };
  try {
    await tab.look({ width: 1200, height: 900, scheme: 'light' });
    await checkConnecting(tab, relay, daemon);
    await checkRun(tab);
    await checkOthersJobs(tab, daemon);
    await checkDirections(tab, daemon);
    assert.deepEqual(
      tab.complaints.filter((text) => !/Failed to load resource/.test(text)),
      [],
    );
    held('the browser complained about nothing, its content security policy included');
    const env = { DAYBOOK_PROVIDER: 'openrouter', OPENROUTER_API_KEY: 'k', OPENROUTER_BASE_URL: openai };
    await checkRestart(
      tab,
      relay,
      () => start(env),
      () => daemon.stop(),
    );
    await checkResume(tab, relay);
    await checkResumed(tab, daemon);
    await checkCancel(tab);
    await checkLooks(tab, daemon);
  } catch (error) {
    await shot(tab, 'failed');
    throw error;
  } finally {
    relay.close();
    await daemon.stop();
    provider.closeAllConnections();
    provider.close();
  }
}

const browser = await openBrowser();
try {
  await checkAll(browser);
} catch (error) {
  process.stdout.write(`NOT ok  ${(error as Error).stack}\n`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
