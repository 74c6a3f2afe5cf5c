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

/** The recorded files that the bundle does not have; empty when it has all. */
function leftOut(zip: Uint8Array): string {
  const manifest = Buffer.from(readZip(zip).get('manifest.json') ?? []).toString('utf8');
  const { attached } = zManifest.parse(JSON.parse(manifest));
  const paths = [...new Set(attached.filter(({ included }) => !included).map(({ path }) => path))];
  if (paths.length === 0) return '';
  const head = 'Not in the bundle, because the file changed, is gone, or would make the bundle too large:';
  return paragraph(head) + paths.map((path) => paragraph(`- ${path}`, 2)).join('');
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
