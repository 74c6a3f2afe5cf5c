/** The program `daybook`: one file a command, each loaded only when it is asked for. */
import { Command } from 'commander';
import { serveCommand } from './serve.ts';

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('daybook')
    .description('A local assistant daemon that remembers everything it ever did.')
    .showHelpAfterError()
    .exitOverride();
  program.addCommand(serveCommand());
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** 0 for help, 2 for bad usage, 1 for anything else, said in one line. */
function exitCodeOf(error: unknown): number {
  const { code, exitCode, message } = error as { code?: string; exitCode?: number; message?: string };
  if (code?.startsWith('commander.') === true) return exitCode === 0 ? 0 : 2;
  process.stderr.write(`daybook: ${message ?? String(error)}\n`);
  return (error as Error).name === 'ConfigError' ? 2 : 1;
}
