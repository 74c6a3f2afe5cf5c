/** `daybook log witness`: the witnesses of this log, and the logs that this Daybook witnesses. */
import type { TlogWitnessesAnswer } from '../../client/client.ts';
import type { Client } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import type { AnswerOptions } from '../options.ts';
import { withLog } from '../temporary-daemon.ts';
import { paragraph, print, printable, printJson, table } from '../text.ts';

export async function printWitnessKey(options: AnswerOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const { witness_vkey } = await api.tlog.witnesses();
    await (options.json === true ? printJson({ vkey: witness_vkey }) : print(`${witness_vkey}\n`));
  });
}

export async function trustLog(vkey: string, options: AnswerOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const settings = await api.tlog.trustLog({ vkey });
    if (options.json === true) return printJson(settings);
    await print(`Checkpoints of ${nameOf(vkey)} are cosigned from now on.\n`);
  });
}

export async function addWitness(url: string, vkey: string, options: AnswerOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const settings = await api.tlog.addWitness({ url, vkey });
    await (options.json === true ? printJson(settings) : print(addedText(settings, vkey)));
  });
}

function addedText({ witnesses }: TlogWitnessesAnswer, vkey: string): string {
  const error = witnesses.find((each) => each.vkey === vkey)?.error ?? null;
  const outcome =
    error === null ? 'It cosigned the newest checkpoint.' : `It has not cosigned yet: ${printable(error)}`;
  return `${nameOf(vkey)} is a witness of this log. ${outcome}\n`;
}

export async function removeWitness(which: string, options: AnswerOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const { vkey, settings } = await remove(api, which);
    await (options.json === true ? printJson(settings) : print(`${nameOf(vkey)} was removed.\n`));
  });
}

interface Removed {
  readonly vkey: string;
  readonly settings: TlogWitnessesAnswer;
}

/** `which`: the verifier key, its name, or the address of a witness. */
async function remove({ tlog }: Client['api'], which: string): Promise<Removed> {
  const { witnesses, trusted } = await tlog.witnesses();
  const fits = ({ vkey }: { readonly vkey: string }): boolean => vkey === which || nameOf(vkey) === which;
  const found = [
    ...witnesses
      .filter((each) => fits(each) || each.url === which)
      .map(({ vkey }) => ({ call: tlog.removeWitness, vkey })),
    ...trusted.filter(fits).map(({ vkey }) => ({ call: tlog.distrustLog, vkey })),
  ];
  if (found.length === 0) throw new CommandError(`No witness and no trusted log is called ${which}.`);
  if (found.length > 1) throw new UsageError(`${which} names several; give the verifier key.`);
  const { call, vkey } = found[0]!;
  return { vkey, settings: await call({ query: { vkey } }) };
}

export async function listWitnesses(options: AnswerOptions): Promise<void> {
  await withLog(options, async ({ api }) => {
    const all = await api.tlog.witnesses();
    await (options.json === true ? printJson(all) : print(report(all)));
  });
}

function report({ witnesses, quorum, trusted, forks }: TlogWitnessesAnswer): string {
  const { needed, cosigned, missing } = quorum;
  const witnessRows = witnesses.map(({ vkey, url, size, error }) => [
    nameOf(vkey),
    String(size),
    url,
    error === null ? 'cosigns' : 'fails',
  ]);
  const logRows = trusted.map(({ vkey, size, offered, rolled_back, error }) => [
    nameOf(vkey),
    size === null ? '-' : String(size),
    error !== null ? 'fails' : rolled_back ? `ROLLED BACK: it offered ${offered} events` : 'continues',
  ]);
  // Below the tables, which cut their last column.
  const failures = [...witnesses, ...trusted].flatMap(({ vkey, error }) =>
    error === null ? [] : [paragraph(`${nameOf(vkey)} fails: ${error}`)],
  );
  return [
    witnessRows.length === 0
      ? 'This log has no witnesses.\n'
      : table([['WITNESS', 'EVENTS', 'ADDRESS', 'STATE'], ...witnessRows]),
    needed === 0 ? '' : `quorum: ${cosigned} of ${needed} cosigned${missing ? ', MISSING' : ''}\n`,
    logRows.length === 0 ? '' : `\n${table([['WITNESSED LOG', 'EVENTS', 'STATE'], ...logRows])}`,
    failures.length === 0 ? '' : `\n${failures.join('')}`,
    ...forks.map(({ origin, size }) => `FORK: ${printable(origin)} signed two histories, seen at ${size} events\n`),
  ].join('');
}

function nameOf(vkey: string): string {
  return printable(vkey.split('+', 1)[0]!);
}
