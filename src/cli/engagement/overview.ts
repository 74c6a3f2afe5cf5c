/** `daybook engagement new`, `list`, `show`, `advance` and `set`. */
import type { AsOf, Blocker, EngagementsGetAnswer, EngagementsUpdateBody } from '../../client/client.ts';
import { percent } from '../../lib/percent.ts';
import { asOfFact, type PastOptions } from '../as-of.ts';
import { UsageError } from '../errors.ts';
import { shortId } from '../ids.ts';
import { existingFolder } from '../input.ts';
import { withDaemon, withLog } from '../temporary-daemon.ts';
import {
  counted,
  duration,
  facts,
  minute,
  print,
  printable,
  printJson,
  stateCell,
  styled,
  table,
  wrapped,
} from '../text.ts';
import { type ChangeOptions, type PhaseOptions, withEngagement } from './find.ts';

interface NewOptions extends ChangeOptions {
  readonly client?: string;
  readonly workspace?: string;
  readonly summary?: string;
}

interface ShowOptions extends PhaseOptions {
  readonly all?: boolean;
}

type Report = EngagementsGetAnswer['report'];

const BLOCKERS_SHOWN = 8;

export async function open(name: string, options: NewOptions): Promise<void> {
  const { client, summary, reason, workspace } = options;
  const workspace_path = workspace === undefined ? undefined : existingFolder(workspace);
  await withDaemon(options, async ({ api }) => {
    const answer = await api.engagements.create({ name, client, summary, reason, workspace_path });
    if (options.json === true) return printJson(answer);
    const id = shortId(answer.engagement.id);
    await print(`${id}  ${printable(answer.engagement.name)}\nNext: daybook engagement show ${id}\n`);
  });
}

export async function list(options: PastOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const { at } = options;
    const answer = await api.engagements.list({ query: { at } });
    if (options.json === true) return printJson(answer);
    const { engagements, as_of } = answer;
    if (as_of !== undefined) await print(facts(asOfFact(as_of)));
    if (engagements.length === 0) {
      const now = 'No engagements yet. Open one with: daybook engagement new "<name>"\n';
      return print(as_of === undefined ? now : 'There were no engagements then.\n');
    }
    const rows = engagements.map(({ id, current_phase, status, updated_at, client, name }) => [
      shortId(id),
      current_phase,
      stateCell(status),
      duration(Date.now() - updated_at),
      client === '' ? name : `${name} (${client})`,
    ]);
    await print(table([['ID', 'PHASE', 'STATUS', 'CHANGED', 'NAME'], ...rows], { optional: ['CHANGED', 'STATUS'] }));
  });
}

export async function show(nameOrId: string, options: ShowOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const answer = await client.api.engagements.get(id, { query: { at: options.at } });
    if (options.json === true) return printJson(answer);
    const { report } = answer;
    const phase = report.phases.find((each) => each.phase === (options.phase ?? report.engagement.current_phase))!;
    await print(`${headOf(report, answer.as_of)}\n${phasesOf(report)}`);
    await print(blockersText(phase, options.all === true));
    if (report.phase_changes.length > 0) await print(`\n${styled('bold', 'Phase changes')}\n${changesOf(report)}`);
  });
}

function headOf({ engagement }: Report, asOf: AsOf | undefined): string {
  const { id, name, client, status, current_phase, workspace_path, updated_at, summary } = engagement;
  return `${styled('bold', printable(name))}\n${facts([
    ['id', id],
    ...(client === '' ? [] : [['client', client] as const]),
    ['status', `${status}, phase ${current_phase}`],
    ...(workspace_path === null ? [] : [['workspace', workspace_path] as const]),
    ['changed', minute(updated_at)],
    ...asOfFact(asOf),
    ...(summary === '' ? [] : [['summary', summary] as const]),
  ])}`;
}

/** The figures of the report's summary: what is waived is not in scope. */
function phasesOf({ engagement, phases }: Report): string {
  const rows = phases.map(({ phase, deliverables, gates, completion, can_exit, blockers }) => [
    `${phase === engagement.current_phase ? '▸' : ' '} ${phase}`,
    `${deliverables.accepted}/${deliverables.total - deliverables.waived}`,
    `${gates.pass}/${gates.total}`,
    percent(completion),
    can_exit ? ({ text: 'none', style: 'green' } as const) : String(blockers.length),
  ]);
  const head = ['  PHASE', 'DELIVERED', 'GATES', 'DONE', 'BLOCKERS'];
  return table([head, ...rows], { optional: ['DONE'] });
}

interface Blocked {
  readonly phase: string;
  readonly blockers: readonly Blocker[];
}

/** What blocks a phase, a line each. */
function blockersText({ phase, blockers }: Blocked, all: boolean): string {
  if (blockers.length === 0) return `\n${styled('green', `Nothing blocks ${phase}.`)}\n`;
  const shown = all ? blockers : blockers.slice(0, BLOCKERS_SHOWN);
  const lines = shown.map(({ subject, detail, kind }) => {
    const sign = styled(kind === 'gate_failed' ? 'red' : 'yellow', kind === 'gate_failed' ? '✗' : '•');
    const name = kind.startsWith('gate') ? shortId(subject) : subject;
    return `${sign} ${wrapped(`${detail} (${name})`).trimStart()}`;
  });
  const rest = blockers.length - shown.length;
  const more = rest === 0 ? '' : `  and ${rest} more; see them with --all\n`;
  return `\n${styled('bold', `What blocks ${phase}`)}\n${lines.join('')}${more}`;
}

function changesOf({ phase_changes }: Report): string {
  return phase_changes
    .map(({ kind, from, to, by, reason, at, blockers }) => {
      const over = blockers.length === 0 ? '' : `, over ${counted(blockers.length, 'blocker')}`;
      const word = kind === 'advanced' ? kind : styled('red', kind === 'set' ? 'set by hand' : kind);
      return `${minute(at)}  ${from} → ${to} ${word} by ${printable(by)}${over}\n${wrapped(reason)}`;
    })
    .join('');
}

interface AdvanceOptions extends ChangeOptions {
  readonly force?: boolean;
}

type SetOptions = ChangeOptions & Pick<EngagementsUpdateBody, 'status' | 'phase'>;

export async function advance(nameOrId: string, options: AdvanceOptions): Promise<void> {
  const { force, reason } = options;
  if (force === true && (reason ?? '').trim() === '')
    throw new UsageError('--force needs --reason: it is recorded with the blockers that are passed over.');
  await withEngagement(nameOrId, options, async (client, id) => {
    const answer = await client.api.engagements.advance(id, { force, reason });
    const { advanced, from, to, forced, blockers } = answer.outcome;
    if (!advanced) process.exitCode = 1;
    if (options.json === true) return printJson(answer);
    if (advanced) {
      await print(`${from} → ${to}\n`);
      const over = counted(blockers.length, 'blocker');
      if (forced) await print(`${styled('red', `Forced, over ${over}, which the report always shows.`)}\n`);
    } else if (to === null) await print(`${from} is the last phase.\n`);
    else await print(`${from} cannot be left yet.\n${blockersText({ phase: from, blockers }, true)}`);
  });
}

export async function set(nameOrId: string, options: SetOptions): Promise<void> {
  const { status, phase, reason } = options;
  if (status === undefined && phase === undefined) throw new UsageError('Give --status, --phase or both.');
  await withEngagement(nameOrId, options, async (client, id) => {
    const answer = await client.api.engagements.update(id, { status, phase, reason });
    if (options.json === true) return printJson(answer);
    const { engagement } = answer;
    await print(printable(`${engagement.name}: ${engagement.status}, phase ${engagement.current_phase}\n`));
  });
}
