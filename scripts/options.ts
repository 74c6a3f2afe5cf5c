/** The command line of the programs that `npm run` starts. The comment at the top of a program is its usage. */
import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Exits with 0 after `--help`, and with 2 for an option or an argument that the program does not have. */
export function optionsOf<const Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  answerHelp();
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage()}\n`);
    process.exit(2);
  }
}

/** For a program whose other arguments belong to another program. */
export function answerHelp(): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  process.stdout.write(`${usage()}\n`);
  process.exit();
}

function usage(): string {
  const [comment = ''] = /^\/\*\*.*?\*\//s.exec(readFileSync(process.argv[1]!, 'utf8')) ?? [];
  const lines = comment.slice('/**'.length, -'*/'.length).split('\n');
  return lines
    .map((line) => line.replace(/^ \* ?/, ''))
    .join('\n')
    .trim();
}
