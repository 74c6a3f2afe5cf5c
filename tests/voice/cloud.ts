/** A server on loopback with OpenAI's transcription API: it parses the form and answers JSON. */
import { createServer } from 'node:http';
import { afterAll, beforeEach } from 'vitest';
import { listening } from '../support/ports.ts';

export interface CloudRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer };
}

export interface FakeCloud {
  readonly url: string;
  readonly requests: CloudRequest[];
  /** What the next requests get; a fresh test gets words. */
  answer: { status: number; body: unknown; headers?: Record<string, string> };
}

export const KEY = 'sk-test-0123456789abcdef';

export async function fakeCloud(): Promise<FakeCloud> {
  const words = { status: 200, body: { text: ' From the cloud. ', language: 'english' } };
  const requests: CloudRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      if (request.method !== 'POST') return response.end(JSON.stringify({ text: 'Somebody else.' }));
      const headers = { 'content-type': request.headers['content-type'] ?? '' };
      const form = await new Response(Buffer.concat(parts), { headers }).formData();
      const file = form.get('file') as File;
      form.delete('file');
      requests.push({
        path: request.url ?? '',
        authorization: request.headers.authorization,
        fields: Object.fromEntries(form) as Record<string, string>,
        file: { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) },
      });
      const { status, body, headers: more } = cloud.answer;
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  const url = `http://127.0.0.1:${await listening(server)}/v1`;
  const cloud: FakeCloud = { url, requests, answer: words };
  beforeEach(() => {
    cloud.answer = words;
    requests.length = 0;
  });
  afterAll(() => new Promise((closed) => server.close(closed)));
  return cloud;
}
