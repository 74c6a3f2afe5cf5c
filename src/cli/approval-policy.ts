/** `daybook approvals policy`: the policy of runs whose request names none. It is shown, set or removed. */
import { Argument, type Command } from 'commander';
import type { ApprovalPolicy } from '../client/client.ts';
import { knownApproval } from '../commands/run/rules.ts';
import { APPROVALS, type Approval } from '../events/run/events.ts';
import { closest } from '../lib/closest.ts';
import { UsageError } from './errors.ts';
import type { AnswerOptions } from './options.ts';
import { withDaemon, withLog } from './temporary-daemon.ts';
import { print, printJson } from './text.ts';

/** What a person types for: the configuration holds. */
const CONFIGURED = 'configured';
const CHOICES = [...APPROVALS, CONFIGURED];

const HELP = `
What a run gets whose request names no policy: over HTTP, by the command line, MCP, webhooks and goals. It is
kept in the log, for every daemon of it, and holds for the runs that are requested from then on. '${CONFIGURED}'
removes it: "approval" in config.json and DAYBOOK_APPROVAL hold again.

  daybook approvals policy                show it
  daybook approvals policy auto-edit      set it
  daybook approvals policy ${CONFIGURED}
`;

export function addPolicyCommand(approvals: Command): void {
  approvals
    .command('policy')
    .description('the policy of runs whose request names none: show it, or set it')
    .addArgument(new Argument('[policy]', 'the new one').choices(CHOICES).argParser(policyOf))
    .addHelpText('after', HELP)
    .action(policy);
}

/** Any spelling that requests may use. Throws `UsageError`. */
function policyOf(given: string): Approval | null {
  if (given.trim().toLowerCase() === CONFIGURED) return null;
  const known = knownApproval(given);
  if (known !== undefined) return known;
  const meant = closest(given, CHOICES);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  throw new UsageError(`The policy must be one of ${CHOICES.join(', ')}.${hint}`);
}

async function policy(wanted: Approval | null | undefined, options: AnswerOptions): Promise<void> {
  // Who only looks makes no home.
  const connect = wanted === undefined ? withLog : withDaemon;
  await connect(options, async ({ api }) => {
    const asked = wanted === undefined ? api.approvals.policy() : api.approvals.setPolicy({ policy: wanted });
    const found = await asked;
    if (options.json === true) return printJson(found);
    await print(`${sentence(found)}\n`);
  });
}

function sentence({ policy: set, configured, effective }: ApprovalPolicy): string {
  const from = set === null ? 'as configured' : `set here; configured is ${configured}`;
  return `Runs whose request names no policy get ${effective} (${from}).`;
}
