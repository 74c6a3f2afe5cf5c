/** `daybook approvals policy`: the policy of runs whose request names none. It is shown, set or removed. */
import { Argument, type Command } from 'commander';
import type { ApprovalPolicy } from '../client/client.ts';
import { knownApproval } from '../commands/run/rules.ts';
import { APPROVALS, type Approval } from '../events/run/events.ts';
import { closest } from '../lib/closest.ts';
import { UsageError } from './errors.ts';
import { notes } from './help.ts';
import { type AnswerOptions, subcommand } from './options.ts';
import { withDaemon, withLog } from './temporary-daemon.ts';
import { print, printJson } from './text.ts';

/** The argument that removes the policy, so that the configured one applies. */
const CONFIGURED = 'configured';
const CHOICES = [...APPROVALS, CONFIGURED];

const HELP = `
This policy applies to runs whose request names none, over HTTP, the command line, MCP, webhooks and goals. It is
recorded in the log, for every daemon of the log, and applies to runs that are requested from then on. '${CONFIGURED}'
removes it: "approval" in config.json and DAYBOOK_APPROVAL apply again.

  daybook approvals policy                show it
  daybook approvals policy auto-edit      set it
  daybook approvals policy ${CONFIGURED}
`;

export function addPolicyCommand(approvals: Command): void {
  subcommand(approvals, 'policy', 'the policy of runs whose request names none: show it, or set it')
    .addArgument(new Argument('[policy]', 'new policy').choices(CHOICES).argParser(policyOf))
    .addHelpText('after', notes(HELP))
    .action(policy);
}

/** Any spelling that requests may use. Throws `UsageError`. */
function policyOf(text: string): Approval | null {
  if (text.trim().toLowerCase() === CONFIGURED) return null;
  const known = knownApproval(text);
  if (known !== undefined) return known;
  const meant = closest(text, CHOICES);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  throw new UsageError(`The policy must be one of ${CHOICES.join(', ')}.${hint}`);
}

async function policy(wanted: Approval | null | undefined, options: AnswerOptions): Promise<void> {
  // Reading the policy creates no home.
  const connect = wanted === undefined ? withLog : withDaemon;
  await connect(options, async ({ api }) => {
    const answer = wanted === undefined ? api.approvals.policy() : api.approvals.setPolicy({ policy: wanted });
    const found = await answer;
    if (options.json === true) return printJson(found);
    await print(`${sentence(found)}\n`);
  });
}

function sentence({ policy: set, configured, effective }: ApprovalPolicy): string {
  const from = set === null ? 'as configured' : `set here; configured is ${configured}`;
  return `Runs whose request names no policy get ${effective} (${from}).`;
}
