/** `daybook engagement gate`: lists, shows, judges, adds and removes gates. */
import type { EngagementsJudgeGateBody, Gate } from '../../client/client.ts';
import type { Phase } from '../../events/engagement/events.ts';
import type { PastOptions } from '../as-of.ts';
import { UsageError } from '../errors.ts';
import { shortId } from '../ids.ts';
import { facts, minute, print, printable, printJson, stateCell, styled, table, wrapped } from '../text.ts';
import { type ChangeOptions, currentPhaseOf, gateOf, type PhaseOptions, withEngagement } from './find.ts';

interface JudgeOptions extends ChangeOptions {
  readonly observed?: string;
  readonly rationale?: string;
  readonly by?: string;
}

export async function listGates(nameOrId: string, options: PhaseOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { phase, at } = options;
    const answer = await client.api.engagements.listGates(id, { query: { phase, at } });
    if (options.json === true) return printJson(answer);
    if (answer.gates.length === 0) return print('No gates.\n');
    const rows = answer.gates.map((gate) => [shortId(gate.id), gate.phase, stateCell(gate.verdict), gate.title]);
    await print(table([['ID', 'PHASE', 'VERDICT', 'TITLE'], ...rows], { optional: ['PHASE', 'ID'] }));
  });
}

export async function showGate(nameOrId: string, title: string, options: PastOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { at } = options;
    const gate = await gateOf(client, id, { nameOrId: title, at });
    await (options.json === true ? printJson(gate) : print(gateText(gate)));
  });
}

function gateText({ id, title, phase, verdict, criterion, measurement, judgements }: Gate): string {
  const head = facts([
    ['id', id],
    ['phase', phase],
    ['verdict', verdict.replaceAll('_', ' ')],
    ['criterion', criterion],
    ['measured by', measurement],
  ]);
  const verdicts = judgements.map((each) => {
    const grounds = [each.observed, each.rationale].filter((text) => text !== null && text !== '').join(' — ');
    const by = printable(each.decided_by ?? each.recorded_by);
    return `${minute(each.at)}  ${each.verdict.replaceAll('_', ' ')} by ${by}\n${grounds === '' ? '' : wrapped(grounds)}`;
  });
  const past = verdicts.length === 0 ? '' : `\n${styled('bold', 'Verdicts')}\n${verdicts.join('')}`;
  return `${styled('bold', printable(title))}\n${head}${past}`;
}

export async function judge(
  of: { readonly id: string; readonly title: string; readonly verdict: EngagementsJudgeGateBody['verdict'] },
  options: JudgeOptions,
): Promise<void> {
  if (of.verdict === 'pass' && options.observed === undefined) {
    throw new UsageError('The verdict pass needs --observed: what was measured, as in --observed "0 misses in 40".');
  }
  await withEngagement(of.id, options, async (client, id) => {
    const { id: gate } = await gateOf(client, id, { nameOrId: of.title });
    const { observed, rationale, by: decided_by, reason } = options;
    const body = { verdict: of.verdict, observed, rationale, decided_by, reason };
    const answer = await client.api.engagements.judgeGate(id, gate, body);
    if (options.json === true) return printJson(answer);
    const { title, verdict, judgements } = answer.gate;
    await print(printable(`${title}: ${verdict.replaceAll('_', ' ')}, verdict ${judgements.length} of this gate\n`));
  });
}

interface AddOptions extends ChangeOptions {
  readonly measurement: string;
  readonly criterion?: string;
  readonly phase?: Phase;
}

export async function addGate(nameOrId: string, title: string, options: AddOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const { measurement, criterion, reason, phase = await currentPhaseOf(client, id) } = options;
    const body = { phase, title, measurement, criterion, reason };
    const answer = await client.api.engagements.addGate(id, body);
    if (options.json === true) return printJson(answer);
    const { gate } = answer;
    await print(`${shortId(gate.id)}  ${gate.phase}  ${printable(gate.title)}\n`);
  });
}

export async function removeGate(nameOrId: string, title: string, options: ChangeOptions): Promise<void> {
  await withEngagement(nameOrId, options, async (client, id) => {
    const gate = await gateOf(client, id, { nameOrId: title });
    const answer = await client.api.engagements.deleteGate(id, gate.id, { query: { reason: options.reason } });
    await (options.json === true ? printJson(answer) : print(`${printable(gate.title)} is removed\n`));
  });
}
