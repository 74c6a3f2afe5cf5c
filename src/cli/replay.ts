/**
 * `daybook replay <session>`: replays a recorded run with this program's rules, and reports where it diverges. Without
 * a running daemon the data directory is read; no network is needed.
 */
import { Command } from 'commander';
import type { Replay } from '../client/generated/types.ts';
import { run } from '../commands/run/decide.ts';
import { describeTools } from '../commands/run/request.ts';
import { homeOf } from '../config/load.ts';
import { readDiscovery } from '../discovery.ts';
import { createTools } from '../integrations/tools/tools.ts';
import { replayRecorded } from '../queries/run/history.ts';
import { zReplay } from '../queries/run/schemas.ts';
import type { EventLog } from '../storage/event-log.ts';
import { clientOf } from './client.ts';
import { notes } from './help.ts';
import { pickSession, resolveSessionId } from './ids.ts';
import { openDataDirectory } from './log/source.ts';
import { type AnswerOptions, answerOptions } from './options.ts';
import { counted, oneLine, print, printJson, terminalColumns } from './text.ts';

const HELP = `
No model is asked and no tool is run: the recorded answers are used. Without a running daemon the data directory is
read, and no network is needed. Exit code 0 when identical, 1 otherwise.
`;

export function command(): Command {
  const command = new Command('replay')
    .description('Check that a recorded run asks for the same effects in the same order today.')
    .argument('<session>', 'session id, or a unique beginning of it')
    .action(replay);
  return answerOptions(command, 'the comparison as JSON').addHelpText('after', notes(HELP));
}

async function replay(session: string, options: AnswerOptions): Promise<void> {
  const home = homeOf(process.env, options);
  const report = readDiscovery(home) === null ? await readHere(home, session) : await askDaemon(options, session);
  if (!report.identical) process.exitCode = 1;
  await (options.json === true ? printJson(report) : print(textOf(report)));
}

function textOf({ events, effects, divergence }: Replay): string {
  if (divergence === null) {
    return `identical: ${counted(effects, 'effect')} in the same order, ${counted(events, 'event')} the same\n`;
  }
  const { position, version, field, recorded, replayed } = divergence;
  const width = terminalColumns() - 12;
  return (
    `diverges at position ${position} (event ${version} of the run) in ${field}, after ${effects} equal effects\n` +
    `  recorded: ${oneLine(JSON.stringify(recorded) ?? '', width)}\n` +
    `  today:    ${oneLine(JSON.stringify(replayed) ?? '', width)}\n`
  );
}

async function askDaemon(options: { readonly home?: string }, session: string): Promise<Replay> {
  const client = clientOf(options);
  return client.api.runs.replay(await resolveSessionId(client, session));
}

async function readHere(home: string, session: string): Promise<Replay> {
  await using storage = await openDataDirectory(home);
  const session_id = pickSession(session, sessionsIn(storage.log));
  const { specs } = createTools({ home, env: process.env });
  return zReplay.parse({ session_id, ...(await replayRecorded(storage.log, session_id, describeTools(specs))) });
}

function sessionsIn(log: EventLog): readonly string[] {
  const prefix = `${run.category}-`;
  const ids = new Set<string>();
  for (const { stream } of log.readAll()) if (stream.startsWith(prefix)) ids.add(stream.slice(prefix.length));
  return [...ids];
}
