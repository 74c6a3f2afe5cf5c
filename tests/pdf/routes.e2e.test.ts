/** Both export routes over HTTP, their pages read with pdftotext; without it those tests are skipped. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_PDFTOTEXT, pdfText } from '../office/converter.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';

const daemon = sharedDaemon();
const outside = temporaryFolder('outside');
const write = (name: string, data: string | Uint8Array): void => writeFileSync(join(daemon.workspace, name), data);

beforeAll(async () => {
  for (const folder of ['.ssh', 'sub']) mkdirSync(join(daemon.workspace, folder));
  write('a.md', '# Heading\n\nText with **bold** and `code`.\n');
  write('hebrew.md', '# ראש העמוד הראשון\n\nכתוב a.txt (היום) **בבית**.\n');
  write('empty.txt', '');
  write('build.log', '\x1b[32m✓\x1b[0m\tbuilt in 3 s\x07\n\x1b]0;title\x07wa\brning\n');
  write('binary.txt', Buffer.from([1, 2, 0, 3]));
  write('.ssh/notes.md', 'x');
  write('config.json', '{}');
  write('large.txt', 'x');
  truncateSync(join(daemon.workspace, 'large.txt'), 10 * 1024 * 1024 + 1);
  write('large.md', 'a'.repeat(4_000_001));
  writeFileSync(join(outside, 'o.txt'), 'x');
  symlinkSync(join(outside, 'o.txt'), join(daemon.workspace, 'out.txt'));
  symlinkSync('.ssh/notes.md', join(daemon.workspace, 'link.md'));
});

function send(path: string, method: string, body: unknown): Promise<Response> {
  return daemon.request(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
const file = (body: unknown): Promise<Response> => send('/api/vibedesk/files/export.pdf', 'POST', body);

async function saved(answer: Response): Promise<string> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const path = join(outside, 'answer.pdf');
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-');
  expect(answer.headers.get('content-length')).toBe(String(bytes.length));
  writeFileSync(path, bytes);
  return path;
}

const readAgain = it.skipIf(!HAS_PDFTOTEXT);

/** The text of each page; pdftotext ends each with a form feed. */
const pagesOf = (path: string): string[] => pdfText(path).split('\f').slice(0, -1);

describe('a file', () => {
  readAgain.each<[body: object, ...texts: RegExp[]]>([
    [{ path: '../a.md', root: 'sub' }, /Heading/, /Text with bold and code\./],
    [{ path: 'hebrew.md', root: null }, /ראש העמוד הראשון/, /כתוב .*a\.txt.*היום.*בבית/],
    [{ path: 'empty.txt' }, /empty\.txt/],
    [{ path: 'build.log' }, /1 +✓ +built in 3 s⟨U\+0007⟩/, /2 +wa⟨U\+0008⟩rning/],
  ])('%j is a PDF, read by pdftotext', async (body, ...texts) => {
    const [page, ...more] = pagesOf(await saved(await file(body)));
    expect(more).toEqual([]);
    for (const text of texts) expect(page).toMatch(text);
  });

  it('is the same bytes each time, also by its absolute path, and an Idempotency-Key keeps none of them', async () => {
    const keyed = () =>
      daemon.request('/api/vibedesk/files/export.pdf', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
        body: JSON.stringify({ path: 'a.md' }),
      });
    const byPlace = { path: join(daemon.workspace, 'a.md') };
    const [first, second, third] = [await keyed(), await keyed(), await file(byPlace)];
    expect(third.headers.get('content-disposition')).toBe(`attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`);
    const bytes = Buffer.from(await first.arrayBuffer());
    expect(Buffer.from(await second.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Buffer.from(await third.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it.each<[body: unknown, status: number, error: RegExp]>([
    [{}, 400, /path: /],
    [{ path: '' }, 400, /path: /],
    [{ path: 5 }, 400, /path: /],
    [{ path: 'a\0b' }, 400, /path/],
    [{ path: 'a.md', root: 5 }, 400, /root: /],
    [{ path: 'a.md', root: 'a\0b' }, 400, /root: .*NUL/],
    [[], 400, /body/],
    [{ path: '../x.txt' }, 403, /workspace/],
    [{ path: '/etc/passwd' }, 403, /workspace/],
    [{ path: 'passwd', root: '/etc' }, 403, /workspace/],
    [{ path: 'none/deeper', root: '/etc' }, 403, /workspace/],
    [{ path: 'out.txt' }, 403, /workspace/],
    [{ path: '.ssh/notes.md' }, 403, /\.ssh/],
    [{ path: '.ssh/none' }, 403, /\.ssh/],
    [{ path: 'link.md' }, 403, /\.ssh/],
    [{ path: 'config.json' }, 403, /config\.json/],
    [{ path: 'none.md' }, 404, /not found/],
    [{ path: 'a.md', root: 'none' }, 404, /not found/],
    [{ path: 'large.txt' }, 413, /10485760/],
    [{ path: 'large.md' }, 413, /at most 4000000 characters/],
    [{ path: 'binary.txt' }, 415, /text/],
    [{ path: 'sub' }, 415, /directory/],
  ])('%j is refused with %i', async (body, status, error) => {
    const answer = await file(body);
    const told = (await answer.json()) as { error: string };
    expect([answer.status, Object.keys(told)]).toEqual([status, ['error']]);
    expect(told.error).toMatch(error);
    expect(told.error).not.toContain(daemon.workspace);
  });
});

describe('a task', () => {
  const task = async (title: string) =>
    ((await (await send('/api/tasks', 'POST', { title })).json()) as { id: string }).id;

  readAgain(
    'without a session is an empty transcript, named by its title without what no file name holds',
    async () => {
      const long = 'e'.repeat(71);
      const answer = await daemon.request(`/api/tasks/${await task(`a/b\\c\n\u202ed${long}🎈🎈`)}/export.pdf`);
      const named = `attachment; filename="a_b_c_d${long}_.pdf"; filename*=UTF-8''a_b_c_d${long}%F0%9F%8E%88.pdf`;
      expect(answer.headers.get('content-disposition')).toBe(named);
      expect(pagesOf(await saved(answer))).toEqual([expect.stringMatching(/a\/b\\c[\s\S]*Nothing was said yet\./)]);
    },
  );

  readAgain('with a session shows what its history holds, read by pdftotext, the same bytes each time', async () => {
    write('README.md', '# Read me\n');
    const say = 'Look.\nrehearse: read README.md\nrehearse: bash exit 3';
    const answer = await send('/agent', 'POST', { task: say, approval: 'full-auto' });
    const { session_id } = (await answer.json()) as { session_id: string };
    await (await daemon.request(`/stream/${session_id}`)).text();
    const id = await task('Größe: a "title"');
    await send(`/api/tasks/${id}`, 'PATCH', { session_id });
    const first = await daemon.request(`/api/tasks/${id}/export.pdf`);
    expect(first.headers.get('content-disposition')).toContain(
      "filename*=UTF-8''Gr%C3%B6%C3%9Fe%3A%20a%20%22title%22.pdf",
    );
    const path = await saved(first);
    const again = await daemon.request(`/api/tasks/${id}/export.pdf`);
    expect(again.headers.get('content-length')).toBe(first.headers.get('content-length'));
    const text = pdfText(path);
    for (const part of [
      /Größe: a "title"/,
      /You\s+Look\./,
      /Step 1: read_file succeeded/,
      /Step 2: bash failed/,
      /Completed/,
    ]) {
      expect(text).toMatch(part);
    }
  });

  it.each(['none', '%20x%2F', '..%2F..'])('%s that is unknown is 404', async (id) => {
    const answer = await daemon.request(`/api/tasks/${id}/export.pdf`);
    expect(answer.status).toBe(404);
    expect(((await answer.json()) as { error: string }).error).toMatch(/^Task '[\p{L}\p{N}._-]*' not found$/u);
  });

  it('is served to more at once than are rendered at once', async () => {
    const id = await task('Many');
    const all = await Promise.all(Array.from({ length: 3 }, () => daemon.request(`/api/tasks/${id}/export.pdf`)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  });
});

it.each([
  ['/api/tasks/{id}/export.pdf', 'get', ['404', '413', '503', '504']],
  ['/api/vibedesk/files/export.pdf', 'post', ['400', '403', '404', '413', '415', '503', '504']],
])('the OpenAPI document names every way %s can fail', async (path, method, statuses) => {
  const { paths } = (await (await daemon.request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  expect(Object.keys(paths[path]![method]!.responses)).toEqual(expect.arrayContaining(statuses));
});
