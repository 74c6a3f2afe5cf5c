/** `daybook completion`: prints a script that completes commands, options, files and ids of runs in a shell. */
import { Argument, Command, Option } from 'commander';
import { homeOf } from '../../config/load.ts';
import { readDiscovery } from '../../discovery.ts';
import { type Client, createClient } from '../client.ts';
import { engagementIdOf } from '../engagement/find.ts';
import { UsageError } from '../errors.ts';
import { notes } from '../help.ts';
import { shortId } from '../ids.ts';
import { oneLine, print } from '../text.ts';
import { bashCompletion, fishCompletion, zshCompletion } from './shells.ts';
import { type CommandNode, ID_KINDS, type IdKind, treeOf, withHelp } from './tree.ts';

const SCRIPTS: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

const HELP = `
  source <(daybook completion bash)                                    in ~/.bashrc
  source <(daybook completion zsh)                                     in ~/.zshrc, after compinit
  daybook completion fish > ~/.config/fish/completions/daybook.fish
`;

export function command(loadProgram: () => Promise<Command>): Command {
  return (
    new Command('completion')
      .description('Print the completion script for a shell.')
      .addArgument(new Argument('[shell]', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
      // Used by the scripts.
      .addOption(new Option('--ids <kind>', 'ids of what the daemon has').choices(ID_KINDS).hideHelp())
      .addOption(new Option('--of <engagement>', 'engagement whose deliverables or gates are meant').hideHelp())
      .addHelpText('after', notes(HELP))
      .action(async (shell: string | undefined, { ids, of = '' }: { readonly ids?: IdKind; readonly of?: string }) => {
        if (ids !== undefined) return print(await knownIds(ids, of));
        if (shell === undefined) throw new UsageError('Name the shell: bash, zsh or fish.');
        await print(SCRIPTS[shell]!(withHelp(treeOf(await loadProgram()))));
      })
  );
}

const IDS_MAX = 50;
const NAME_CHARACTERS_MAX = 60;
/** The shell waits for the ids at a key press. */
const WAIT_MS_MAX = 2_000;

type Known = readonly [id: string, name: string];

interface IdQuery {
  readonly signal: AbortSignal;
  /** Id or name of the engagement. */
  readonly of: string;
}

type Ask = (client: Client, query: IdQuery) => Promise<readonly Known[]>;

const ASK: Readonly<Record<IdKind, Ask>> = {
  async sessions({ api }, { signal }) {
    const runs = await api.runs.list({ signal, query: { limit: IDS_MAX } });
    return runs.map(({ session_id, status, task }) => [shortId(session_id), `${status}: ${task}`]);
  },
  async engagements({ api }, { signal }) {
    const { engagements } = await api.engagements.list({ signal });
    return engagements.map(({ id, name }) => [shortId(id), name]);
  },
  async deliverables(client, { signal, of }) {
    const id = await engagementIdOf(client, of);
    const { deliverables } = await client.api.engagements.listDeliverables(id, { signal });
    return deliverables.map(({ key, title }) => [key, title]);
  },
  async gates(client, { signal, of }) {
    const { gates } = await client.api.engagements.listGates(await engagementIdOf(client, of), { signal });
    return gates.map(({ id, title }) => [shortId(id), title]);
  },
  async goals({ api }, { signal }) {
    const { goals } = await api.goals.list({ signal, query: { limit: IDS_MAX } });
    return goals.map(({ id, title }) => [shortId(id), title]);
  },
  async approvals({ api }, { signal }) {
    const { approvals } = await api.approvals.list({ signal, query: { status: 'pending' } });
    // The approvals of a run differ at the end of their ids only.
    return approvals.map(({ id, tool_name }) => [id, tool_name]);
  },
  rooms: async ({ api }, { signal }) => (await api.rooms.list({ signal })).map((id) => [id, 'room']),
};

/**
 * A line for each id that can be typed. Empty when no daemon runs or it does not answer soon: a shell shows no errors.
 */
async function knownIds(kind: IdKind, of: string): Promise<string> {
  const home = homeOf(process.env, {});
  if (readDiscovery(home) === null) return '';
  const signal = AbortSignal.timeout(WAIT_MS_MAX);
  const known = await ASK[kind](createClient(home), { signal, of }).catch(() => []);
  return known
    .filter(([id]) => id === oneLine(id, Number.POSITIVE_INFINITY))
    .slice(0, IDS_MAX)
    .map(([id, name]) => `${id}\t${oneLine(name, NAME_CHARACTERS_MAX)}\n`)
    .join('');
}
