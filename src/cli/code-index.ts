/** `daybook index`: builds the code index with a progress bar, lists the indexes, and searches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { type Client, Unreachable } from './client.ts';
import { UsageError } from './errors.ts';
import { notes } from './help.ts';
import {
  type AnswerOptions,
  answerOptions,
  type ModelOptions,
  requireModelPair,
  subcommand,
  wholeNumber,
} from './options.ts';
import { createProgress } from './progress.ts';
import { withDaemon, withLog } from './temporary-daemon.ts';
import { counted, duration, oneLine, print, printable, printJson, styled, table, terminalColumns } from './text.ts';

type BuildOptions = AnswerOptions & ModelOptions;

interface SearchOptions extends BuildOptions {
  readonly limit: string;
}

const RESULTS_MAX = 100;
const LINES_SHOWN = 3;
const BUILD_START_MS = 300;

const HELP = `
Without a running daemon, one is started for the duration of the command, with the current folder as workspace.

  daybook index build
  daybook index build --provider ollama --model nomic-embed-text
  daybook index search "where are failed requests retried?" --limit 5
  daybook index status --json
`;

export function command(): Command {
  const index = new Command('index').description('The code index of the workspace: build, inspect, search.');
  modelOptions(subcommand(index, 'build', 'embed what changed since the last build')).action(
    (options: BuildOptions) => {
      requireModelPair(options);
      return withDaemon(options, build);
    },
  );
  subcommand(index, 'status', 'the folder, the chosen model, and every index on disk').action(
    (options: AnswerOptions) => withLog(options, status),
  );
  modelOptions(subcommand(index, 'search', 'find the code that answers a question'))
    .argument('<question>', 'words, or a question')
    .option('--limit <n>', 'how many results, 1 to 100', '10')
    .action(searchFor);
  return answerOptions(index).addHelpText('after', notes(HELP));
}

function modelOptions(command: Command): Command {
  return command
    .option('--provider <id>', 'embedding provider; together with --model (default: that of the daemon)')
    .option('--model <id>', 'embedding model; together with --provider');
}

async function build(client: Client, options: BuildOptions): Promise<void> {
  const began = Date.now();
  const following = follow(client, options);
  try {
    const built = await untilBuilt(client, options);
    following.end();
    if (options.json === true) return await printJson(built);
    const skipped = Object.entries(built.skipped).filter(([, count]) => count > 0);
    const took = duration(Date.now() - began);
    await print(`${printable(built.workspace)}\n`);
    await print(
      `${counted(built.chunks, 'chunk')} of ${counted(built.files, 'file')}, ${built.embedded} embedded, in ${took}\n`,
    );
    if (skipped.length > 0)
      await print(`left out: ${skipped.map(([why, n]) => `${n} ${why.replaceAll('_', ' ')}`).join(', ')}\n`);
    for (const note of built.notes) await print(`${printable(note)}\n`);
    await print(`${built.path}\n`);
  } finally {
    following.end();
  }
}

/** A build may outlast the HTTP client's timeout for response headers; another request joins the build. */
async function untilBuilt(client: Client, { provider, model }: BuildOptions) {
  for (;;) {
    try {
      return await client.api.index.build({ provider, model });
    } catch (error) {
      const isStillBuilding = error instanceof Unreachable && error.message.includes('HEADERS_TIMEOUT');
      if (!isStillBuilding) throw error;
    }
  }
}

function follow(client: Client, options: BuildOptions): { end(): void } {
  const progress = createProgress('Indexing');
  const leave = new AbortController();
  const watch = async (): Promise<void> => {
    const { signal } = leave;
    const { provider, model } = options;
    while (!signal.aborted) {
      // The build request has to arrive first: before it there is no progress to follow.
      await sleep(BUILD_START_MS, undefined, { signal });
      const events = client.follow((api, stream) => api.index.stream({ ...stream, provider, model }), { signal });
      for await (const { data } of events) {
        if (data.type !== 'building') continue;
        const { files_done: done, files_total: total } = data;
        if (done !== undefined && total !== undefined && !signal.aborted) progress.at(done, total);
      }
    }
  };
  // A failure only hides the progress bar; the build request reports errors.
  watch().catch(() => undefined);
  return {
    end() {
      leave.abort();
      progress.end();
    },
  };
}

async function status(client: Client, options: AnswerOptions): Promise<void> {
  const found = await client.api.index.status();
  if (options.json === true) return printJson(found);
  await print(`${printable(found.workspace)}\n`);
  await print(`${printable(found.description)}: ${found.built ? 'built' : 'not built'}\n`);
  const last = found.last_build;
  if (last !== null && last.state !== 'built')
    await print(
      `last build: ${last.model.provider}/${last.model.model} ${last.state} ${printable(last.message ?? '')}\n`,
    );
  const rows = found.available.map((each) => [
    String(each.chunk_count),
    String(each.file_count),
    each.dimension === null ? '-' : String(each.dimension),
    each.built_at === null ? '-' : duration(Date.now() - each.built_at * 1_000),
    `${each.model.provider}/${each.model.model}`,
  ]);
  if (rows.length > 0) await print(table([['CHUNKS', 'FILES', 'DIMENSION', 'AGE', 'MODEL'], ...rows]));
  for (const { path, reason } of found.unusable) await print(`unusable: ${path}: ${printable(reason)}\n`);
}

async function searchFor(question: string, options: SearchOptions): Promise<void> {
  requireModelPair(options);
  const limit = wholeNumber(options.limit, '--limit', { min: 1, max: RESULTS_MAX });
  if (question.trim() === '') throw new UsageError('The question is empty.');
  await withLog(options, (client) => search(client, { ...options, q: question, k: limit }));
}

async function search(
  client: Client,
  { provider, model, q, k, json }: SearchOptions & { readonly q: string; readonly k: number },
): Promise<void> {
  const found = await client.api.index.search({ query: { q, k, provider, model } });
  if (json === true) return printJson(found);
  for (const note of found.notes) process.stderr.write(`daybook: ${printable(note)}\n`);
  if (found.results.length === 0) return print('Nothing found.\n');
  for (const hit of found.results) {
    const place = `${printable(hit.path)}:${hit.start_line}-${hit.end_line}`;
    const symbol = hit.symbol === null ? '' : `  ${oneLine(hit.symbol, 80)}`;
    await print(`${styled('bold', place)}${symbol}  ${hit.score.toFixed(3)}\n`);
    const lines = hit.text.split('\n').filter((line) => line.trim() !== '');
    for (const line of lines.slice(0, LINES_SHOWN)) await print(`    ${oneLine(line, terminalColumns() - 4)}\n`);
  }
}
