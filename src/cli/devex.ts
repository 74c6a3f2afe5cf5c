/** `daybook devex <path>`: the delivery metrics of a repository, in the terminal. It needs no daemon. */
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { faultOf } from '../events/fault.ts';
import { createGit } from '../integrations/git/git.ts';
import { GitError } from '../ports/git.ts';
import { KEYS } from '../queries/devex/dora.ts';
import { measure, UnknownBranch } from '../queries/devex/measure.ts';
import { type DevexQuery, zQuery } from '../queries/devex/query.ts';
import type { Measure, PracticesReport, Scorecard } from '../queries/devex/schemas.ts';
import { scorecardMarkdown } from '../queries/devex/scorecard-markdown.ts';
import { CommandError, UsageError } from './errors.ts';
import { notes } from './help.ts';
import { counted, paragraph, print, printJson, styled, table, wrapped } from './text.ts';

interface DevexOptions {
  readonly window?: string;
  readonly marker?: string;
  readonly branch?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

const HELP = `
  daybook devex .                         the last 90 days, releases are version tags
  daybook devex ~/src/shop --window 365
  daybook devex . --marker merges --branch main
  daybook devex . --markdown > scorecard.md
`;

export function command(): Command {
  return new Command('devex')
    .description('Measure how well a git repository delivers: delivery keys, practices, and what cannot be measured.')
    .argument('<path>', 'the repository, or any directory in it')
    .option('--window <days>', 'how far back to look, 1 to 1825 days (default: 90)')
    .option('--marker <what>', 'what counts as a release: tags or merges (default: tags)')
    .option('--branch <name>', 'with --marker merges: the branch that is deployed (default: HEAD)')
    .addOption(new Option('--json', 'the scorecard as the daemon answers it').conflicts('markdown'))
    .option('--markdown', 'the scorecard as markdown')
    .addHelpText('after', notes(HELP))
    .action((path: string, options: DevexOptions) => show(path, options));
}

async function show(path: string, { json, markdown, ...filters }: DevexOptions): Promise<void> {
  const { leadHours: _, ...scorecard } = await scorecardOf(queryOf(resolve(path), filters));
  if (json === true) await printJson(scorecard);
  else await print(markdown === true ? scorecardMarkdown(scorecard) : text(scorecard));
}

function queryOf(path: string, { window, marker, branch }: DevexOptions): DevexQuery {
  const parsed = zQuery.safeParse({ path, window, marker, branch }, { error: faultOf });
  if (parsed.success && branch !== undefined && parsed.data.marker === 'version-tags') {
    throw new UsageError('--branch goes with --marker merges: releases that are tags are on no branch.');
  }
  if (parsed.success) return parsed.data;
  const { path: field, message } = parsed.error.issues[0]!;
  throw new UsageError(`${field.join('.')} ${message}.`);
}

async function scorecardOf(query: DevexQuery) {
  const git = createGit(process.env);
  try {
    return await (await measure(git, query, Date.now())).scorecard();
  } catch (error) {
    if (error instanceof UnknownBranch) throw new UsageError(`There is no branch ${query.branch}.`);
    if (error instanceof GitError) {
      throw new CommandError(error.fault === 'bad_path' ? `${query.path}: ${error.message}` : error.message);
    }
    throw error;
  } finally {
    await git.close();
  }
}

function text({ dora, practices, headline }: Scorecard): string {
  const measured = KEYS.flatMap((key) => (dora[key] === undefined ? [] : [[key, dora[key]] as const]));
  const unmeasured = dora.unmeasured.map(
    ({ metric, reason, to_measure_this: how }) =>
      `${styled('bold', label(metric))}\n${wrapped(reason)}${wrapped(`To measure it: ${how}`)}`,
  );
  return [
    `${styled('bold', paragraph(headline).trimEnd())}\n`,
    paragraph(
      `${dora.repo}, ${counted(dora.window_days, 'day')}, ${counted(dora.commits_in_window, 'commit')} by ` +
        `${counted(dora.authors_in_window, 'author')}; releases are ${dora.release_marker_description}`,
    ),
    ...(measured.length === 0 ? [] : [table(measured.map(([key, of]) => row(label(key), of)))]),
    ...(unmeasured.length === 0 ? [] : [`Not measured, and why\n\n${unmeasured.join('\n')}`]),
    maturity(practices),
    ...(dora.notes.length === 0 ? [] : [`Notes\n${dora.notes.map((note) => wrapped(note)).join('')}`]),
  ].join('\n');
}

function row(name: string, { value, unit, band, sample_size, percentiles = [] }: Measure): string[] {
  const further = percentiles.slice(1).map(({ label: at, value: of }) => `, ${at} ${of.toFixed(1)}`);
  return [name, value.toFixed(2), `${unit.replace(' (p50)', '')}${further.join('')}`, `n = ${sample_size}`, band];
}

function maturity({ practices, scope_note: scope }: PracticesReport): string {
  const rows = practices.map(({ title, level, level_name: name, signals }) => {
    const missing = signals.filter(({ found }) => !found).map((signal) => signal.name);
    return [title, `${level} ${name}`, missing.length === 0 ? '' : `missing: ${missing.join(', ')}`];
  });
  return `Practices\n\n${table(rows)}\n${wrapped(scope)}`;
}

function label(metric: string): string {
  const words = metric.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
