/**
 * A model provider on loopback that speaks a real wire format over real sockets. Its answers are a queue of behaviours,
 * one per request; when the queue is empty a function answers, which can play a whole agent.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '../../support/ports.ts';

export interface FakeCall {
  readonly id?: string;
  readonly name: string;
  /** A string is sent as it is, also when it is not JSON. */
  readonly input: { readonly [key: string]: unknown } | string;
}

/** What happens after the content: `end` closes properly without a finish, `cut` breaks the connection. */
export type Ending = 'finish' | 'end' | 'cut' | 'hang' | 'malformed' | 'error';

export interface Answer {
  readonly kind: 'answer';
  readonly reasoning?: readonly string[];
  readonly signature?: string;
  readonly text?: readonly string[];
  readonly calls?: readonly FakeCall[];
  readonly finish?: 'stop' | 'length' | 'content_filter';
  readonly usage?: { readonly input: number; readonly output: number };
  /** Milliseconds between two messages of the stream. */
  readonly delayMs?: number;
  /** The content follows when this has resolved. */
  readonly after?: Promise<unknown>;
  readonly ending?: Ending;
  /** Kind of error in the provider's words, for the ending `error`. */
  readonly errorType?: string;
}

export type Behaviour =
  | Answer
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly message: string;
      readonly headers?: Record<string, string>;
    }
  /** A body in no wire format. */
  | { readonly kind: 'document'; readonly status: number; readonly body: string }
  /** Takes the request and never answers. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'drop' };

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the body is whatever the client sent; assertions say what it should be.
  readonly body: any;
  /** Resolves when the client has closed its side of an answer that was not over. */
  readonly abandoned: Promise<void>;
}

export type Script = (request: FakeRequest, index: number) => Behaviour;

/** The messages of one wire format, each a string ready to be written. */
export interface WireFormat {
  readonly head: (answer: Answer) => readonly string[];
  readonly content: (answer: Answer) => readonly string[];
  readonly tail: (answer: Answer) => readonly string[];
  readonly ping: string;
  readonly error: (type: string, message: string) => string;
  readonly refusal: (status: number, message: string) => unknown;
}

export interface FakeProvider {
  /** Base address to configure the provider with. */
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  script(...behaviours: readonly (Behaviour | Script)[]): void;
  /** Forgets what was scripted, and every request. */
  forget(): void;
  close(): Promise<void>;
}

export interface FakeOptions {
  /** The format of a streaming request by its path; undefined is 404. */
  readonly format: (path: string) => WireFormat | undefined;
  /** Answers to GET requests by path. */
  readonly documents?: { readonly [path: string]: unknown };
}

const PING_MS = 20;

export const says = (...text: string[]): Behaviour => ({ kind: 'answer', text });
export const callsTool = (...calls: FakeCall[]): Behaviour => ({ kind: 'answer', calls });
export const slowly = (delayMs: number, ...text: string[]): Behaviour => ({ kind: 'answer', text, delayMs });
export const saysAfter = (after: Promise<unknown>, ...text: string[]): Behaviour => ({ kind: 'answer', text, after });
/** Says something, then only keep-alives, for ever. */
export const hangs = (...text: string[]): Behaviour => ({ kind: 'answer', text, ending: 'hang' });
export const cutsOff = (...text: string[]): Behaviour => ({ kind: 'answer', text, ending: 'cut' });
export const endsEarly = (...text: string[]): Behaviour => ({ kind: 'answer', text, ending: 'end' });
export const garbles = (...text: string[]): Behaviour => ({ kind: 'answer', text, ending: 'malformed' });
export const failsInStream = (errorType: string, ...text: string[]): Behaviour => ({
  kind: 'answer',
  text,
  ending: 'error',
  errorType,
});
export const refuses = (
  status: number,
  message = 'the fake said no',
  headers: Record<string, string> = {},
): Behaviour => ({
  kind: 'refuse',
  status,
  message,
  headers,
});
export const sendsDocument = (status: number, body: string): Behaviour => ({ kind: 'document', status, body });
export const rateLimits = (seconds: number): Behaviour => refuses(429, 'slow down', { 'retry-after': String(seconds) });
export const silence: Behaviour = { kind: 'silence' };
export const drops: Behaviour = { kind: 'drop' };

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
  return `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

export function callText(call: FakeCall): string {
  return typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
}

/** Cut anywhere, as a network does. */
export function inHalves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '');
}

export async function startFake(options: FakeOptions): Promise<FakeProvider> {
  const requests: FakeRequest[] = [];
  const queue: Behaviour[] = [];
  const greets: Script = () => says('Hello from the fake.');
  let whenEmpty = greets;
  const server = createServer((incoming, response) => {
    void serve(incoming, response).catch(() => response.destroy());
  });
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(incoming.url ?? '/', 'http://fake').pathname;
    const text = await bodyOf(incoming);
    const abandoned = new Promise<void>((resolve) => {
      response.on('close', () => response.writableFinished || resolve());
    });
    const request = { method: incoming.method ?? '', path, headers: incoming.headers, body: parsed(text), abandoned };
    requests.push(request);
    const document = incoming.method === 'GET' ? options.documents?.[path] : undefined;
    const format = incoming.method === 'POST' ? options.format(path) : undefined;
    if (document !== undefined) return sendJson(response, 200, document);
    if (!format) return sendJson(response, 404, { error: { message: `no route ${path}` } });
    const behaviour = queue.shift() ?? whenEmpty(request, requests.length - 1);
    await behave(behaviour, response, format);
  };
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
    requests,
    script(...behaviours) {
      for (const next of behaviours) {
        if (typeof next === 'function') whenEmpty = next;
        else queue.push(next);
      }
    },
    forget() {
      requests.length = 0;
      queue.length = 0;
      whenEmpty = greets;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function behave(behaviour: Behaviour, response: ServerResponse, format: WireFormat): Promise<void> {
  switch (behaviour.kind) {
    case 'silence':
      return;
    case 'drop':
      response.destroy();
      return;
    case 'refuse':
      for (const [name, value] of Object.entries(behaviour.headers ?? {})) response.setHeader(name, value);
      return sendJson(response, behaviour.status, format.refusal(behaviour.status, behaviour.message));
    case 'document':
      response.writeHead(behaviour.status).end(behaviour.body);
      return;
    case 'answer':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await behaviour.after;
      for (const message of [...format.head(behaviour), ...format.content(behaviour)]) {
        response.write(message);
        await sleep(behaviour.delayMs ?? 0);
      }
      return conclude(behaviour, response, format);
  }
}

async function conclude(answer: Answer, response: ServerResponse, format: WireFormat): Promise<void> {
  switch (answer.ending ?? 'finish') {
    case 'finish':
      response.end(format.tail(answer).join(''));
      return;
    case 'end':
      response.end();
      return;
    case 'malformed':
      response.end(sse('{"this is not": JSON') + format.tail(answer).join(''));
      return;
    case 'error':
      response.end(format.error(answer.errorType ?? 'server_error', 'the fake broke'));
      return;
    case 'cut':
      // Half a message, so that what was written before is surely read before the connection breaks.
      await new Promise((resolve) => response.write('data: {"ha', resolve));
      await sleep(PING_MS);
      response.destroy();
      return;
    case 'hang':
      while (!response.destroyed) {
        response.write(format.ping);
        await sleep(PING_MS);
      }
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  return text === '' ? null : JSON.parse(text);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
