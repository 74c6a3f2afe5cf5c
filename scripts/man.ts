/**
 * `npm run man`: writes man/daybook.1 from the commands of the program. The page has the version of package.json, and
 * the date of that release in CHANGELOG.md, or today's date if it is not released.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandNode, type OptionNode, treeOf } from '../src/cli/completion/tree.ts';
import { wholeProgram } from '../src/cli/main.ts';
import { optionsOf } from './options.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'man');

const EXIT_CODES = [
  ['0', 'Done.'],
  ['1', 'Not done; standard error says why.'],
  ['2', 'Bad usage or a wrong setting.'],
  ['3', 'run, fork and goal start: the run stopped with planned steps left.'],
  ['4', 'run, fork and goal start: the run was cancelled.'],
  ['130', 'Ended by Ctrl-C; run, fork and goal start: by a second one, while the run continues.'],
] as const;

const ENVIRONMENT = [
  ['DAYBOOK_HOME', 'Folder of everything Daybook keeps. Default: ~/.daybook.'],
  ['DAYBOOK_DAEMON_PORT', 'Port of the daemon. Default: 7878.'],
  ['DAYBOOK_PROVIDER, DAYBOOK_MODEL', 'The model that runs use.'],
  [
    'ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY',
    'Keys of providers; without one the scripted model rehearsal answers.',
  ],
] as const;

const FILES = [
  ['~/.daybook/data', 'The event log.'],
  ['~/.daybook/config.json, ~/.daybook/storage.json', 'Settings.'],
  ['~/.daybook/daemon.json', 'Address and token of the running daemon, for programs of the same user.'],
] as const;

optionsOf({});
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'daybook.1'), manPage(treeOf(await wholeProgram()), version()));

function version(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

function releaseDate(release: string): string {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const heading = changelog.split('\n').find((line) => line.startsWith(`## ${release} `)) ?? '';
  return /\d{4}-\d\d-\d\d/.exec(heading)?.[0] ?? new Date().toISOString().slice(0, 10);
}

function manPage(root: CommandNode, release: string): string {
  return [
    `.TH DAYBOOK 1 "${releaseDate(release)}" "Daybook ${release}" "User Commands"`,
    section('NAME'),
    `daybook \\- ${text(root.description.replace(/\.$/, '').replace(/^A /, 'a '))}`,
    section('SYNOPSIS'),
    '.B daybook',
    '.I command',
    '.RI [ options ]',
    section('DESCRIPTION'),
    text(
      'Daybook serves chat, agent runs and jobs over HTTP, SSE and WebSocket. Every change is an event in a log. ' +
        'The commands below start the daemon, query it, and maintain its storage.',
    ),
    section('COMMANDS'),
    ...root.commands.flatMap(describe),
    section('EXIT STATUS'),
    ...EXIT_CODES.flatMap(([code, meaning]) => item(bold(code), meaning)),
    section('ENVIRONMENT'),
    ...ENVIRONMENT.flatMap(([names, meaning]) => item(bold(names), meaning)),
    section('FILES'),
    ...FILES.flatMap(([names, meaning]) => item(italic(names), meaning)),
    section('SEE ALSO'),
    text('The pages in the folder docs of the package; GET /docs of the running daemon.'),
    '',
  ].join('\n');
}

/** A command, its options, then its subcommands. */
function describe(node: CommandNode): readonly string[] {
  const words = node.arguments.map(({ name, isRequired }) => (isRequired ? italic(name) : `[${italic(name)}]`));
  const usage = [bold(node.path.join(' ')), ...(node.options.length > 1 ? ['[options]'] : []), ...words].join(' ');
  const options = node.options.filter(({ long }) => long !== '--help').flatMap(describeOption);
  const places = node.arguments.filter(({ description }) => description !== '');
  return [
    `.SS ${usage}`,
    text(sentence(node.description)),
    ...places.flatMap(({ name, description }) => item(italic(name), sentence(description))),
    ...options,
    ...node.commands.flatMap(describe),
  ];
}

function describeOption({ long, short, description, value }: OptionNode): readonly string[] {
  const names = [short, long].filter((name) => name !== undefined).map(bold);
  return item(names.join(', ') + (value === undefined ? '' : ` ${italic(value.name)}`), sentence(description));
}

function section(title: string): string {
  return `.SH ${title}`;
}

function item(term: string, meaning: string): readonly string[] {
  return ['.TP', term, text(meaning)];
}

function sentence(words: string): string {
  const whole = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?)]$/.test(whole) ? whole : `${whole}.`;
}

/** Each sentence begins a line. A full stop or an apostrophe at the beginning of a line would start a roff request. */
function text(words: string): string {
  return escaped(words)
    .replaceAll(/(?<=[.?!]) (?=[A-Z])/g, '\n')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}

function escaped(words: string): string {
  return words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('’', "'").replaceAll('…', '...');
}

function bold(words: string): string {
  return `\\fB${escaped(words)}\\fR`;
}

function italic(words: string): string {
  return `\\fI${escaped(words)}\\fR`;
}
