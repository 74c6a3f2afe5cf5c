/** `daybook engagement report`, `handover` and `history`. */
import type { EngagementsHistoryAnswer } from '../../client/client.ts';
import type { PastOptions } from '../as-of.ts';
import type { Client } from '../client.ts';
import { shortId } from '../ids.ts';
import { type AnswerOptions, wholeNumber } from '../options.ts';
import { saveFile } from '../save-file.ts';
import { counted, minute, outputJson, print, printable, printJson, styled, wrapped } from '../text.ts';
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
    if (options.json === true) {
      const changes = await changesAfter(client, id, after);
      return print(changes.map((change) => `${outputJson(change)}\n`).join(''));
    }
    // A change has ids of what earlier changes named.
    const whole = await changesAfter(client, id, 0);
    const names = namesIn(whole);
    const shown = whole.filter(({ position }) => position > after);
    await print(shown.map((change) => changeText(change, names)).join(''));
  });
}

function changeText(change: Change, names: ReadonlyMap<string, string>): string {
  const { position, at, actor, type, data, reason } = change;
  const what = change.erased === true ? 'The payload is erased.' : subjectOf(fieldsOf(data), names);
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

/** Names of deliverables, gates and pieces of evidence by their ids. */
function namesIn(changes: readonly Change[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { data } of changes) {
    const fields = fieldsOf(data);
    const name = textIn(fields, ['key', 'title', 'reference', 'label']);
    const id = textIn(fields, ['evidence_id', ...IDS]);
    if (name !== '' && !names.has(id)) names.set(id, name);
  }
  return names;
}

const IDS = ['deliverable_id', 'gate_id'];
const DETAILS = ['reference', 'label', 'owner', 'notes', 'observed', 'name'];

/** The subject of a change, its detail, the old and the new state, the blockers passed over and who decided. */
function subjectOf(fields: Fields, names: ReadonlyMap<string, string>): string {
  const id = textIn(fields, IDS);
  const name = names.get(id) ?? (textIn(fields, ['title']) || shortId(id));
  const detail = textIn(fields, DETAILS) || (names.get(textIn(fields, ['evidence_id'])) ?? '');
  const parts = [name, detail, stateIn(fields)].filter((text) => text !== '');
  return [parts.join(': '), overridden(fields), deciderIn(fields)].filter((text) => text !== '').join(', ');
}

function stateIn(fields: Fields): string {
  const [from, to] = [textIn(fields, ['from']), textIn(fields, ['to', 'verdict'])];
  if (to === '') return '';
  return (from === '' ? `last verdict ${to}` : `${from} → ${to}`).replaceAll('_', ' ');
}

function overridden(fields: Fields): string {
  const blockers = fields.get('blockers');
  if (!Array.isArray(blockers) || blockers.length === 0) return '';
  return `${fields.get('forced') === true ? 'forced' : 'set'} over ${counted(blockers.length, 'blocker')}`;
}

function deciderIn(fields: Fields): string {
  const decider = textIn(fields, ['decided_by']);
  return decider === '' ? '' : `decided by ${decider}`;
}

function textIn(fields: Fields, names: readonly string[]): string {
  const texts = names.map((name) => fields.get(name));
  return texts.find((value): value is string => typeof value === 'string' && value !== '') ?? '';
}
