/** `daybook replay <session>`: replays a recorded run with this program's rules, and reports where it diverges. */
import { Command } from 'commander';
import { clientOf } from './client.ts';
import { resolveSessionId } from './ids.ts';
import { oneLine, terminalColumns } from './text.ts';

const HELP = `
No model is asked and no tool is run: the recorded answers are used. Exit code 0 when identical, 1 when not.
`;

export function replayCommand(): Command {
  return new Command('replay')
    .description('Check that a recorded run asks for the same effects in the same order today.')
    .argument('<session>', 'session id, or a unique beginning of it')
    .option('--json', 'the comparison as JSON')
    .option('--home <dir>', 'home of the daemon (default: $DAYBOOK_HOME or ~/.daybook)')
    .addHelpText('after', HELP)
    .action(replay);
}

async function replay(session: string, options: { readonly json?: boolean; readonly home?: string }): Promise<void> {
  const client = clientOf(options);
  const report = await client.api.runs.replay(await resolveSessionId(client, session));
  if (!report.identical) process.exitCode = 1;
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return;
  }
  const { events, effects, divergence } = report;
  if (divergence === null) {
    process.stdout.write(`identical: ${effects} effects in the same order, ${events} events the same\n`);
    return;
  }
  const { position, version, field, recorded, replayed } = divergence;
  const width = terminalColumns() - 12;
  process.stdout.write(
    `diverges at position ${position} (event ${version} of the run) in ${field}, after ${effects} equal effects\n` +
      `  recorded: ${oneLine(JSON.stringify(recorded) ?? '', width)}\n` +
      `  today:    ${oneLine(JSON.stringify(replayed) ?? '', width)}\n`,
  );
}
