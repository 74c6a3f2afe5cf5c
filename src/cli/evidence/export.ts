/** `daybook evidence export`: downloads a bundle from the daemon into a new file. */
import { z } from 'zod';
import { readZip } from '../../../web/evidence/zip.js';
import type { Client } from '../client.ts';
import { UsageError } from '../errors.ts';
import { pickId } from '../ids.ts';
import { type AnswerOptions, wholeNumber } from '../options.ts';
import { writeNewFile } from '../save-file.ts';
import { withLog } from '../temporary-daemon.ts';
import { paragraph, print, printJson } from '../text.ts';

interface ExportOptions extends AnswerOptions {
  readonly stream?: string;
  readonly positions?: string;
  readonly to: string;
  readonly since?: string;
  readonly withFiles?: boolean;
}

export async function exportEvidence(id: string | undefined, options: ExportOptions): Promise<void> {
  const { stream, positions, to, since, withFiles = false } = options;
  if ([id, stream, positions].filter((named) => named !== undefined).length !== 1) {
    throw new UsageError('Name one of these: an engagement, a run or a goal; --stream; --positions.');
  }
  const size = since === undefined ? undefined : wholeNumber(since, '--since');
  await withLog(options, async (client) => {
    const of = id === undefined ? undefined : await subjectId(client, id);
    const query = { of, stream, positions, since: size, with_files: withFiles ? '1' : '0' } as const;
    const zip = await client.api.log.evidenceBundle({ query });
    await writeNewFile(to, zip);
    if (options.json === true) return printJson({ file: to, bytes: zip.length });
    await print(
      `${to}: ${zip.length} bytes. Anybody can check it: daybook evidence verify, or verify.html inside it.\n` +
        (withFiles ? leftOut(zip) : ''),
    );
  });
}

const zManifest = z.object({ attached: z.array(z.object({ path: z.string(), included: z.boolean() })) });
const zWithoutHash = z.object({
  type: z.literal('EvidenceAttached'),
  data: z.object({
    kind: z.literal('file'),
    reference: z.string(),
    file: z.object({ sha256: z.null() }).nullable(),
  }),
});

/** The attached files that the bundle does not have; empty when it has all. */
function leftOut(zip: Uint8Array): string {
  const files = readZip(zip);
  const textOf = (name: string): string => Buffer.from(files.get(name) ?? []).toString('utf8');
  const { attached } = zManifest.parse(JSON.parse(textOf('manifest.json')));
  const paths = attached.filter(({ included }) => !included).map(({ path }) => path);
  const events = textOf('events.jsonl').split('\n').slice(0, -1);
  const withoutHash = events.flatMap((line) => zWithoutHash.safeParse(JSON.parse(line)).data?.data.reference ?? []);
  return (
    listed('Not in the bundle, because the file changed, is gone, or would make the bundle too large:', paths) +
    listed('Not in the bundle, because no hash was recorded when the file was attached:', withoutHash)
  );
}

function listed(head: string, paths: readonly string[]): string {
  const different = [...new Set(paths)];
  return different.length === 0 ? '' : paragraph(head) + different.map((path) => paragraph(`- ${path}`, 2)).join('');
}

const WHOLE_ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** No limit, for the list of goals. */
const ALL = 0;

/** Finds an engagement, run or goal by its id, its name, or a prefix of either. */
async function subjectId({ api }: Client, nameOrId: string): Promise<string> {
  if (WHOLE_ID.test(nameOrId)) return nameOrId;
  const [{ engagements }, { goals }, jobs] = await Promise.all([
    api.engagements.list(),
    api.goals.list({ query: { limit: ALL } }),
    api.runs.list(),
  ]);
  const choices = [
    ...engagements.map(({ id, name }) => ({ id, names: [name] })),
    ...goals.map(({ id, title }) => ({ id, names: [title] })),
    ...jobs.map(({ session_id }) => ({ id: session_id, names: [] })),
  ];
  return pickId(nameOrId, choices, {
    one: 'engagement, run or goal',
    many: 'engagements, runs or goals',
    list: 'daybook engagement list, daybook jobs, daybook goal list',
  });
}
