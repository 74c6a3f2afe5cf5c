/** `daybook engagement evidence`: lists, adds and removes evidence of a deliverable. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EngagementsAddEvidenceAnswer } from '../../client/client.ts';
import type { PastOptions } from '../as-of.ts';
import { type Client, RequestRefused } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { pickId, shortId } from '../ids.ts';
import { bytes, type Cell, counted, minute, print, printable, printJson, table, wrapped } from '../text.ts';
import { type ChangeOptions, deliverableOf, withEngagement } from './find.ts';

type Evidence = EngagementsAddEvidenceAnswer['evidence'];

interface AddOptions extends ChangeOptions {
  readonly kind?: Evidence['kind'];
  readonly label?: string;
}

const HASH_CHARACTERS = 12;

export async function listEvidence(nameOrId: string, key: string, options: PastOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { at } = options;
    const deliverable = await deliverableOf(client, id, { nameOrId: key, at });
    const answer = await client.api.engagements.listEvidence(id, deliverable.id, { query: { at } });
    if (options.json === true) return printJson(answer);
    if (answer.evidence.length === 0) return print(`No evidence for ${deliverable.key}.\n`);
    const rows = answer.evidence.map((each) => [
      shortId(each.id),
      minute(each.captured_at),
      each.kind,
      each.sha256?.slice(0, HASH_CHARACTERS) ?? '',
      fileState(each),
      described(each),
    ]);
    const head = ['ID', 'ATTACHED', 'KIND', 'SHA-256', 'FILE', 'REFERENCE'];
    await print(table([head, ...rows], { optional: ['ATTACHED', 'KIND', 'SHA-256', 'ID'] }));
  });
}

function described({ kind, label, reference }: Evidence): string {
  // A path is attached as it was written, and recorded as an absolute one.
  if (kind === 'file' && label !== '' && reference.endsWith(label)) return label;
  return [...new Set([label, reference])].filter((words) => words !== '').join(': ');
}

function fileState({ kind, file_path: path, changed_since: changed }: Evidence): Cell {
  if (kind !== 'file') return '';
  if (changed === true) return { text: 'changed', style: 'red' };
  if (changed === false) return { text: 'unchanged', style: 'green' };
  return path === null ? { text: 'no file recorded', style: 'yellow' } : 'not checked';
}

export async function addEvidence(
  { id: nameOrId, key, reference }: { readonly id: string; readonly key: string; readonly reference: string },
  options: AddOptions,
): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const deliverable = await deliverableOf(client, id, { nameOrId: key });
    const kind = options.kind ?? (/^https?:\/\//i.test(reference) ? 'url' : 'file');
    const { label = reference, reason } = options;
    if (kind !== options.kind && kind === 'file') await requireFile(client, id, reference);
    // A relative path of a file that exists here is made absolute; the daemon resolves others in the workspace.
    const path = kind === 'file' && existsSync(reference) ? resolve(reference) : reference;
    const body = { kind, label, reference: path, reason };
    const answer = await client.api.engagements.addEvidence(id, deliverable.id, body);
    if (options.json === true) return printJson(answer);
    const { evidence } = answer;
    await print(printable(`${shortId(evidence.id)}  ${deliverable.key}: ${evidence.kind} ${evidence.reference}\n`));
    if (evidence.sha256 !== null)
      await print(`sha256 ${evidence.sha256}, ${counted(evidence.size_bytes ?? 0, 'byte')}\n`);
    else if (evidence.kind === 'file')
      process.stderr.write(`daybook: ${withoutHash(evidence)}; no hash is recorded.\n`);
  });
}

function withoutHash({ size_bytes: size }: Evidence): string {
  return size === null ? 'the file could not be read' : `the file is too large (${bytes(size)})`;
}

/** A mistyped path would stay in the history. Throws `CommandError` for a path of no file, here and in the workspace. */
async function requireFile({ api }: Client, id: string, path: string): Promise<void> {
  if (existsSync(path)) return;
  const { workspace_path: workspace } = (await api.engagements.get(id)).report.engagement;
  if (workspace !== null && existsSync(resolve(workspace, path))) return;
  throw new CommandError(`There is no file ${path}. Attach what is no file here with --kind, such as --kind note.`);
}

export async function removeEvidence(
  { id: engagement, key, nameOrId }: { readonly id: string; readonly key: string; readonly nameOrId: string },
  options: ChangeOptions,
): Promise<void> {
  await withEngagement(engagement, options, async (client, id) => {
    const deliverable = await deliverableOf(client, id, { nameOrId: key });
    const { evidence } = await client.api.engagements.listEvidence(id, deliverable.id);
    const choices = evidence.map((each) => ({ id: each.id, names: [each.label, each.reference] }));
    const list = `daybook engagement evidence list ${shortId(id)} ${deliverable.key}`;
    const found = pickId(nameOrId, choices, { one: 'evidence', many: 'pieces of evidence', list });
    const answer = await client.api.engagements.deleteEvidence(id, found, { query: { reason: options.reason } });
    await (options.json === true ? printJson(answer) : print(`${shortId(found)} is removed from ${deliverable.key}\n`));
  });
}

interface ScanOptions extends ChangeOptions {
  readonly path?: string;
  readonly attach?: boolean;
}

const BAD_REQUEST = 400;

/** `daybook engagement scan`: proposes files of the workspace as evidence, by name and path. */
export async function scan(nameOrId: string, options: ScanOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { attach, reason } = options;
    const path = options.path === undefined ? undefined : resolve(options.path);
    const answer = await client.api.engagements.scan(id, { path, attach, reason }).catch((error: Error) => {
      const needsPath = path === undefined && error instanceof RequestRefused && error.status === BAD_REQUEST;
      throw needsPath ? new UsageError(`${error.message} Name a folder with --path <dir>.`) : error;
    });
    if (options.json === true) return printJson(answer);
    const { candidates, files_scanned, notes, undetectable } = answer.scan;
    const rows = candidates.map((each) => [each.deliverable_key, bytes(each.bytes), each.path]);
    if (rows.length > 0) await print(table([['DELIVERABLE', 'SIZE', 'FILE'], ...rows], { optional: ['SIZE'] }));
    const found = `${counted(candidates.length, 'proposal')} from ${counted(files_scanned, 'file')}`;
    const attached = answer.attached === null ? 'attach them with --attach' : `${answer.attached} attached`;
    await print(
      candidates.length === 0 ? `No proposals from ${counted(files_scanned, 'file')}.\n` : `${found}; ${attached}.\n`,
    );
    for (const note of notes) await print(wrapped(printable(note), 0));
    if (undetectable.length > 0) await print(wrapped(`Undetectable: ${undetectable.join(', ')}.`, 0));
  });
}
