/** `daybook acp`: serves the Agent Client Protocol over stdin and stdout, for editors that start agents as programs. */
import { Console } from 'node:console';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { homeOf } from '../../config/load.ts';
import { APPROVALS } from '../../events/run/events.ts';
import { orList } from '../../lib/or-list.ts';
import { VERSION } from '../../version.ts';
import { createClient } from '../client.ts';
import { notes } from '../help.ts';
import { homeOption, type ModelOptions, modelOptions, requireModelPair } from '../options.ts';
import { approvalOf } from '../run.ts';
import { startTemporaryDaemon, type TemporaryDaemon } from '../temporary-daemon.ts';

interface AcpOptions extends ModelOptions {
  readonly home?: string;
  readonly approval?: string;
}

const APPROVAL_DEFAULT = 'what `daybook approvals policy` set, else suggest';

const HELP = `
An editor starts this program and talks to it over its standard input and output; nothing else is written there.
Sessions are runs of the daemon that is running, or of one that is started for as long as the editor stays.
The policy says what needs the editor's permission; the editor can change it per session as the session's mode.
`;

export function command(): Command {
  const command = new Command('acp')
    .description('Serve the Agent Client Protocol over stdin and stdout, for editors.')
    .option('--approval <policy>', `${orList(APPROVALS)} for new sessions (default: ${APPROVAL_DEFAULT})`)
    .action(serve);
  return homeOption(modelOptions(command)).addHelpText('after', notes(HELP));
}

async function serve(options: AcpOptions): Promise<void> {
  const approval = approvalOf(options);
  requireModelPair(options);
  // Packages print notes with console.debug; standard output belongs to the protocol.
  globalThis.console = new Console(process.stderr);
  const home = homeOf(process.env, options);
  const daemon = createDaemonKeeper(home);
  await daemon.ensure();
  try {
    // Only this command loads the protocol's package.
    const [{ ndJsonStream }, { acpAgent }] = await Promise.all([
      import('@agentclientprotocol/sdk'),
      import('./agent.ts'),
    ]);
    const { provider, model } = options;
    const { app, close } = acpAgent({
      client: createClient(home),
      ensureDaemon: daemon.ensure,
      home,
      approval,
      provider,
      model,
      version: VERSION,
    });
    const connection = app.connect(
      ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
    );
    await Promise.race([connection.closed, once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    await close();
    process.stdin.destroy();
  } finally {
    await daemon.stop();
  }
}

/** Starts a temporary daemon whenever none is running; `stop` ends those that it started. */
function createDaemonKeeper(home: string): { ensure(): Promise<void>; stop(): Promise<void> } {
  const started: TemporaryDaemon[] = [];
  let starting: Promise<void> | null = null;
  const start = async (): Promise<void> => {
    const daemon = await startTemporaryDaemon(home);
    if (daemon !== null) started.push(daemon);
  };
  return {
    ensure() {
      starting ??= start().finally(() => {
        starting = null;
      });
      return starting;
    },
    async stop() {
      await starting?.catch(() => undefined);
      await Promise.all(started.map((daemon) => daemon.stop()));
    },
  };
}
