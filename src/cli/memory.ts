/** `daybook memory`: counts, export, import and encryption at rest of memories. */
import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { parsedExactly } from '../lib/json-text.ts';
import { type Client, RequestRefused } from './client.ts';
import { CommandError, UsageError } from './errors.ts';
import { notes } from './help.ts';
import { standardInput, unreadable, utf8Text } from './input.ts';
import { type AnswerOptions, answerOptions, subcommand, withoutSubcommand } from './options.ts';
import { withDaemon, withLog } from './temporary-daemon.ts';
import { counted, outputJson, print, printJson } from './text.ts';

interface ImportOptions extends AnswerOptions {
  readonly format: string;
}

interface EncryptOptions extends AnswerOptions {
  readonly passphraseStdin?: boolean;
  readonly key?: 'keyring' | 'passphrase';
}

const HELP = `
  daybook memory                              counts, and whether texts are encrypted
  daybook memory export > memories.json
  daybook memory import memories.json         mem0, zep, openmemory or our own; the format is detected
  daybook memory encrypt                      with a key in the keyring of this machine
  daybook memory encrypt --passphrase-stdin < file
  daybook memory encrypt --key keyring        move the key to the keyring; --key passphrase: to a (new) passphrase
`;

/** `native` is Daybook's own, which is that of openmemory. */
const FORMATS = ['auto', 'mem0', 'zep', 'openmemory', 'native'];

export function command(): Command {
  const memory = new Command('memory')
    .description('Memories: counts, export, import, encryption at rest.')
    .allowExcessArguments()
    .action(withoutSubcommand((options: AnswerOptions) => withLog(options, stats)));
  subcommand(memory, 'export', 'write every memory as JSON to standard output').action((options: AnswerOptions) =>
    withLog(options, exportAll),
  );
  subcommand(memory, 'import', 'import memories from a file; bad entries are reported and skipped')
    .argument('<file>', 'JSON file')
    .addOption(new Option('--format <name>', 'format of the file').choices(FORMATS).default('auto'))
    .action(importAll);
  subcommand(memory, 'encrypt', 'encrypt memories permanently, unlock them, or move their key')
    .option('--passphrase-stdin', 'read a passphrase from standard input instead of using the keyring')
    .addOption(new Option('--key <place>', 'new place of the key').choices(['keyring', 'passphrase']))
    .action(encrypt);
  return answerOptions(memory).addHelpText('after', notes(HELP));
}

async function stats(client: Client, options: AnswerOptions): Promise<void> {
  const found = await client.api.memory.stats();
  if (options.json === true) return printJson(found);
  const sectors = found.sectors.filter((sector) => sector.count > 0);
  const spread = sectors.map((each) => `${each.sector} ${each.count}`).join(', ');
  await print(`${counted(found.total_memories, 'memory', 'memories')}${spread === '' ? '' : ` (${spread})`}\n`);
  await print(`${counted(found.total_facts, 'fact')}, ${counted(found.total_drawers, 'drawer')}\n`);
  await print(`encryption at rest: ${found.encryption ? 'on' : 'off'}\n`);
  if (found.embedding === undefined || found.embedding.provider === 'local') return;
  const { provider, model, embedded, total, state, error } = found.embedding;
  const from = provider === null ? '' : ` of ${provider}/${model}`;
  await print(`vectors${from}: ${embedded} of ${total}, ${state}${error === undefined ? '' : `: ${error}`}\n`);
}

async function exportAll(client: Client): Promise<void> {
  const memories = await client.api.memory.exportAll();
  await print(`${outputJson(memories, 2)}\n`);
}

async function importAll(file: string, options: ImportOptions): Promise<void> {
  const pages = [...pagesOf(file)];
  await withDaemon(options, (client) => importPages(client, pages, options));
}

async function importPages(
  client: Client,
  pages: readonly (readonly unknown[])[],
  { format, json }: ImportOptions,
): Promise<void> {
  const faults: { index: number; error: string }[] = [];
  const renamed: { index: number; id: string }[] = [];
  let imported = 0;
  let at = 0;
  for (const entries of pages) {
    const body = { content: JSON.stringify(entries), format };
    const page = await client.api.memory.importAll(body).catch((error: Error) => {
      if (isTooLarge(error) && entries.length === 1) return TOO_LARGE_ENTRY;
      throw new CommandError(`${outcome({ imported, at, sent: entries.length, error })}${error.message}`);
    });
    imported += page.imported;
    for (const { index, error } of [...page.errors, ...page.skipped, ...page.recognised])
      faults.push({ index: at + index, error });
    for (const { index, id } of page.renamed) renamed.push({ index: at + index, id });
    at += entries.length;
  }
  faults.sort((a, b) => a.index - b.index);
  if (json === true) return printJson({ imported, not_imported: faults, renamed });
  await print(`${imported} of ${counted(at, 'entry', 'entries')} imported.\n`);
  for (const { index, id } of renamed) await print(`  entry ${index}: kept as ${id}\n`);
  for (const { index, error } of faults) await print(`  entry ${index}: ${error}\n`);
}

interface Failed {
  readonly imported: number;
  /** The number of entries in the requests before. */
  readonly at: number;
  /** The number of entries in the request that failed: without an answer, or by a failure, it may have stored some. */
  readonly sent: number;
  readonly error: Error;
}

function outcome({ imported, at, sent, error }: Failed): string {
  const isUnknown = !(error instanceof RequestRefused) || error.status >= FAILURES_FROM;
  const unknown = isUnknown ? `perhaps some of the ${at === 0 ? 'first' : 'next'} ${sent}` : null;
  const known = at === 0 ? null : `${imported} of the first ${at}`;
  const which = [known, unknown].filter((part) => part !== null).join(', and ');
  return which === '' ? '' : `Imported were ${which} entries. `;
}

/** Size of the entries in one request, well below the daemon's limit of 1 MB for a body. */
const REQUEST_CHARACTERS_MAX = 250_000;
const FAILURES_FROM = 500;
const isTooLarge = (error: Error): boolean => error instanceof RequestRefused && error.status === 413;

/** The outcome of an entry that is too large for a request of its own. */
const TOO_LARGE_ENTRY = {
  imported: 0,
  errors: [{ index: 0, error: 'it is too large for one request' }],
  skipped: [],
  recognised: [],
  renamed: [],
};

function* pagesOf(file: string): Generator<readonly unknown[]> {
  let page: unknown[] = [];
  let characters = 0;
  for (const entry of entriesIn(file)) {
    const size = JSON.stringify(entry).length;
    if (page.length > 0 && characters + size > REQUEST_CHARACTERS_MAX) {
      yield page;
      page = [];
      characters = 0;
    }
    page.push(entry);
    characters += size;
  }
  yield page;
}

function entriesIn(file: string): readonly unknown[] {
  let content: unknown;
  try {
    content = parsedExactly(utf8Text(readFileSync(file), file));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (!(error instanceof SyntaxError)) throw unreadable(file, error as Error);
    throw new CommandError(`${file} is no JSON: ${error.message}`);
  }
  const { memories, results } = (typeof content === 'object' && content !== null ? content : {}) as Record<
    string,
    unknown
  >;
  const list = Array.isArray(content) ? content : (memories ?? results);
  if (Array.isArray(list)) return list;
  throw new CommandError(`${file} must hold a list of entries, or an object with a memories or results list.`);
}

async function encrypt(options: EncryptOptions): Promise<void> {
  const { passphraseStdin, key } = options;
  const passphrase = passphraseStdin === true ? (await readAll(standardInput())).replace(/\r?\n$/, '') : undefined;
  if (passphrase === '') throw new UsageError('Standard input holds no passphrase.');
  await withDaemon(options, async ({ api }) => {
    const state = await api.memory.encrypt({ passphrase, key_source: key }).catch((error: Error) => {
      throw NEEDS_PASSPHRASE.test(error.message) ? new CommandError(passphraseNeeded(error.message)) : error;
    });
    if (options.json === true) return printJson(state);
    await print(`Memories are encrypted at rest; the key is ${KEY_PLACES[state.key_source ?? ''] ?? 'unknown'}.\n`);
  });
}

/** The daemon's message when there is no keyring, or when the key is to be made of a passphrase that it does not have. */
const NEEDS_PASSPHRASE = /^Invalid body: passphrase: needed/;

function passphraseNeeded(message: string): string {
  const why = message.replace(NEEDS_PASSPHRASE, 'A passphrase is needed').replace('this route', 'this command');
  return `${why}. Give it on standard input: daybook memory encrypt --passphrase-stdin < file`;
}

const KEY_PLACES: Readonly<Record<string, string>> = {
  keyring: 'in the keyring of this machine',
  passphrase: 'made of the passphrase, which the daemon needs again at every start (DAYBOOK_MEMORY_PASSPHRASE)',
};
