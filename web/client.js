/**
 * The client of the daemon: the token, requests, and event streams that resume after the last received message.
 *
 * - The token is only in this tab's session storage and in request headers.
 * - A stream without data for longer than three keep-alives counts as broken and is opened again.
 */
const TOKEN_KEY = 'daybook.token';
const SILENCE_MS_MAX = 45_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 15_000;

/** The daemon answered with an error status. */
export class Refused extends Error {
  constructor(status, message, retryAfterSeconds) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const token = {
  get: () => sessionStorage.getItem(TOKEN_KEY),
  set: (value) => sessionStorage.setItem(TOKEN_KEY, value),
  forget: () => sessionStorage.removeItem(TOKEN_KEY),
};

/** Sends a request and resolves with the JSON of the response. Throws `Refused` for any status but 2xx. */
export async function ask(path, { method = 'GET', body, headers = {}, signal } = {}) {
  const response = await send(path, { method, body, headers, signal });
  return response.json();
}

export async function askText(path) {
  const response = await send(path, {});
  return response.text();
}

/** A random idempotency key: a POST repeated with it takes effect once. */
export function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function send(path, { method = 'GET', body, headers = {}, signal }) {
  const bearer = token.get();
  const response = await fetch(path, {
    method,
    signal,
    referrerPolicy: 'no-referrer',
    headers: {
      ...headers,
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (response.ok) return response;
  const retryAfter = Number(response.headers.get('retry-after') ?? 0);
  const { error } = await response.json().catch(() => ({ error: `The daemon answered ${response.status}.` }));
  throw new Refused(response.status, error, retryAfter);
}

/**
 * Follows a stream of numbered messages until it closes and `over()` is true, or `signal` is aborted. A refusal that does
 * not pass by waiting (401, 404) is thrown; after any other failure the stream resumes after the last message.
 */
export async function follow(path, { after, onMessage, onState, over, signal }) {
  let last = after;
  let failures = 0;
  while (!signal.aborted) {
    let wait = RETRY_MS_MIN;
    let wasClosed = false;
    try {
      onState('connecting', '');
      for await (const message of open(path, last, signal, () => onState('live', ''))) {
        failures = 0;
        last = message.id;
        onMessage(message);
      }
      if (over()) return;
      wasClosed = true;
      onState('waiting', 'The stream was closed; opening it again.');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && (error.status === 401 || error.status === 404)) throw error;
      failures += 1;
      const asked = error instanceof Refused ? error.retryAfterSeconds * 1_000 : 0;
      wait = Math.max(asked, Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failures - 1)));
      onState('waiting', `${reason(error)} Trying again in ${Math.round(wait / 1_000)} s.`);
    }
    await pause(wait, signal);
    if (wasClosed && over()) return;
  }
}

/** A failure as a message for the user. */
export function reason(error) {
  if (error instanceof Refused) return error.message;
  return error.message === SILENT ? SILENT : 'The daemon cannot be reached.';
}

const SILENT = 'The stream went silent.';

async function* open(path, after, signal, opened) {
  const connection = new AbortController();
  const leave = () => connection.abort();
  signal.addEventListener('abort', leave);
  let silence;
  const onData = () => {
    clearTimeout(silence);
    silence = setTimeout(() => connection.abort(new Error(SILENT)), SILENCE_MS_MAX);
  };
  try {
    onData();
    const headers = { 'last-event-id': String(after) };
    const response = await send(path, { headers, signal: connection.signal });
    opened();
    // A stream that is over has no body.
    if (response.status !== 204) yield* messages(response.body, onData);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', leave);
    connection.abort();
  }
}

/** The messages of an SSE body; `onData` is called for every chunk, comments too. */
async function* messages(body, onData) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onData();
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const fields = block.split('\n');
      const data = fields.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
      const id = fields.find((line) => line.startsWith('id: '));
      if (data.length > 0 && id !== undefined) yield { id: Number(id.slice(4)), data: data.join('\n') };
    }
  }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
