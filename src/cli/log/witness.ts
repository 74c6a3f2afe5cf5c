/** `daybook log witness`: the witnesses of this log, and the logs that this Daybook witnesses. */
import { z } from 'zod';
import { type Client, clientOf } from '../client.ts';
import { CommandError, UsageError } from '../errors.ts';
import { print, printable, table } from '../text.ts';

interface WitnessOptions {
  readonly home?: string;
  readonly json?: boolean;
}

const WITNESSES = '/v1/log/witnesses';
const TRUSTED = '/v1/log/trusted';

const zSettings = z.looseObject({
  witness_vkey: z.string(),
  quorum: z.object({ needed: z.int(), cosigned: z.int(), missing: z.boolean() }),
  witnesses: z.array(z.object({ url: z.string(), vkey: z.string(), size: z.int(), error: z.string().nullable() })),
  trusted: z.array(
    z.object({
      vkey: z.string(),
      size: z.int().nullable(),
      offered: z.int().nullable(),
      rolled_back: z.boolean(),
      error: z.string().nullable(),
    }),
  ),
  forks: z.array(z.object({ origin: z.string(), size: z.int() })),
});
type Settings = z.infer<typeof zSettings>;

export async function printWitnessKey(options: WitnessOptions): Promise<void> {
  const { witness_vkey } = await settings(clientOf(options));
  await print(`${witness_vkey}\n`);
}

export async function trustLog(vkey: string, options: WitnessOptions): Promise<void> {
  await clientOf(options).request(TRUSTED, { method: 'POST', body: { vkey }, schema: zSettings });
  await print(`Checkpoints of ${nameOf(vkey)} are cosigned from now on.\n`);
}

export async function addWitness(url: string, vkey: string, options: WitnessOptions): Promise<void> {
  const made = await clientOf(options).request(WITNESSES, { method: 'POST', body: { url, vkey }, schema: zSettings });
  const error = made.witnesses.find((each) => each.vkey === vkey)?.error ?? null;
  const outcome =
    error === null ? 'It cosigned the newest checkpoint.' : `It has not cosigned yet: ${printable(error)}`;
  await print(`${nameOf(vkey)} is a witness of this log. ${outcome}\n`);
}

/** `which`: the verifier key, its name, or the address of a witness. */
export async function removeWitness(which: string, options: WitnessOptions): Promise<void> {
  const client = clientOf(options);
  const { witnesses, trusted } = await settings(client);
  const fits = ({ vkey }: { readonly vkey: string }): boolean => vkey === which || nameOf(vkey) === which;
  const found = [
    ...witnesses.filter((each) => fits(each) || each.url === which).map(({ vkey }) => ({ path: WITNESSES, vkey })),
    ...trusted.filter(fits).map(({ vkey }) => ({ path: TRUSTED, vkey })),
  ];
  if (found.length === 0) throw new CommandError(`No witness and no trusted log is called ${printable(which)}.`);
  if (found.length > 1) throw new UsageError(`${printable(which)} names several; give the verifier key.`);
  const { path, vkey } = found[0]!;
  await client.request(`${path}?vkey=${encodeURIComponent(vkey)}`, { method: 'DELETE', schema: zSettings });
  await print(`${nameOf(vkey)} was removed.\n`);
}

export async function listWitnesses(options: WitnessOptions): Promise<void> {
  const all = await settings(clientOf(options));
  await print(options.json === true ? `${JSON.stringify(all)}\n` : report(all));
}

function report({ witnesses, quorum, trusted, forks }: Settings): string {
  const { needed, cosigned, missing } = quorum;
  const asked = witnesses.map(({ vkey, url, size, error }) => [nameOf(vkey), String(size), url, error ?? 'cosigns']);
  const witnessed = trusted.map(({ vkey, size, offered, rolled_back, error }) => [
    nameOf(vkey),
    size === null ? '-' : String(size),
    error ?? (rolled_back ? `ROLLED BACK: it offered ${offered} events` : 'continues'),
  ]);
  return [
    asked.length === 0 ? 'This log has no witnesses.\n' : table([['WITNESS', 'EVENTS', 'ADDRESS', 'STATE'], ...asked]),
    needed === 0 ? '' : `quorum: ${cosigned} of ${needed} cosigned${missing ? ', MISSING' : ''}\n`,
    witnessed.length === 0 ? '' : `\n${table([['WITNESSED LOG', 'EVENTS', 'STATE'], ...witnessed])}`,
    ...forks.map(({ origin, size }) => `FORK: ${printable(origin)} signed two histories, seen at ${size} events\n`),
  ].join('');
}

function settings(client: Client): Promise<Settings> {
  return client.request(WITNESSES, { schema: zSettings });
}

function nameOf(vkey: string): string {
  return printable(vkey.split('+', 1)[0]!);
}
