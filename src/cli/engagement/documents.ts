/** `daybook engagement report`, `handover` and `history`. */
import type { EngagementsHistoryAnswer } from '../../client/client.ts';
import type { PastOptions } from '../as-of.ts';
import type { Client } from '../client.ts';
import { shortId } from '../ids.ts';
import { type AnswerOptions, wholeNumber } from '../options.ts';
import { saveFile } from '../save-file.ts';
import { minute, print, printable, printJson, styled, wrapped } from '../text.ts';
import { withEngagement } from './find.ts';

interface DocumentOptions extends PastOptions {
  readonly pdf?: string;
}

interface HistoryOptions extends AnswerOptions {
  readonly after: string;
}

type Change = EngagementsHistoryAnswer['events'][number];

export async function report(nameOrId: string, options: DocumentOptions): Promise<void> {
  await document(nameOrId, options, ({ engagements }) => ({
    markdown: engagements.report.bind(engagements),
    pdf: engagements.reportPdf.bind(engagements),
  }));
}

export async function handover(nameOrId: string, options: DocumentOptions): Promise<void> {
  await document(nameOrId, options, ({ engagements }) => ({
    markdown: engagements.handover.bind(engagements),
    pdf: engagements.handoverPdf.bind(engagements),
  }));
}

type Ask<Answer> = (id: string, options: { readonly query: { readonly at: string | undefined } }) => Promise<Answer>;

/** Prints the markdown, on a terminal without control characters; with `--pdf`, saves a PDF instead. */
async function document(
  nameOrId: string,
  options: DocumentOptions,
  forms: (api: Client['api']) => { readonly markdown: Ask<string>; readonly pdf: Ask<Uint8Array> },
): Promise<void> {
  const { at, pdf } = options;
  await withEngagement(nameOrId, options, async (client, id) => {
    const ask = forms(client.api);
    if (pdf !== undefined) return saveFile(pdf, await ask.pdf(id, { query: { at } }), options);
    const markdown = await ask.markdown(id, { query: { at } });
    if (options.json === true) return printJson({ markdown });
    await print(process.stdout.isTTY ? printable(markdown) : markdown);
  });
}

export async function history(nameOrId: string, options: HistoryOptions): Promise<void> {
  const after = wholeNumber(options.after, '--after');
  await withEngagement(nameOrId, options, async (client, id) => {
    const changes = await changesAfter(client, id, after);
    if (options.json === true) return print(changes.map((change) => `${JSON.stringify(change)}\n`).join(''));
    const names = namesIn(changes);
    await print(changes.map((change) => changeText(change, names)).join(''));
  });
}

function changeText({ position, at, actor, type, data, reason }: Change, names: ReadonlyMap<string, string>): string {
  const what = subjectOf(fieldsOf(data), names);
  return `${styled('bold', type)}  ${minute(at)} by ${printable(actor)}, position ${position}\n${wrapped(
    [what, reason].filter((text) => text !== '').join(' — '),
  )}`;
}

async function changesAfter({ api }: Client, id: string, after: number): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (let from: number | null = after; from !== null; ) {
    const page: EngagementsHistoryAnswer = await api.engagements.history(id, { query: { after: from, limit: 5_000 } });
    changes.push(...page.events);
    from = page.next;
  }
  return changes;
}

type Fields = ReadonlyMap<string, unknown>;

function fieldsOf(data: Change['data']): Fields {
  return new Map(Object.entries(typeof data === 'object' ? (data ?? {}) : {}));
}

function namesIn(changes: readonly Change[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { data } of changes) {
    const fields = fieldsOf(data);
    const name = textIn(fields, ['key', 'title']);
    const id = textIn(fields, IDS);
    if (name !== '' && !names.has(id)) names.set(id, name);
  }
  return names;
}

const IDS = ['deliverable_id', 'gate_id'];
const DETAILS = ['reference', 'owner', 'notes', 'observed', 'name'];

/** The subject of a change, its detail, and the old and the new state. */
function subjectOf(fields: Fields, names: ReadonlyMap<string, string>): string {
  const [from, to] = [textIn(fields, ['from']), textIn(fields, ['to', 'verdict'])];
  const change = from === '' ? '' : `${from} → ${to}`.replaceAll('_', ' ');
  const id = textIn(fields, IDS);
  const name = names.get(id) ?? (textIn(fields, ['title']) || shortId(id));
  return [name, textIn(fields, DETAILS), change].filter((text) => text !== '').join(': ');
}

function textIn(fields: Fields, names: readonly string[]): string {
  const texts = names.map((name) => fields.get(name));
  return texts.find((value): value is string => typeof value === 'string') ?? '';
}
