/**
 * `npm run bench:recall -- FILE`: evidence recall at 5, 10 and 20 over sessions, messages and 800-character drawers,
 * any-gold and all-gold, per question category, plain BM25 compared with the daemon's own search.
 *
 * FILE is a data set as published (LoCoMo, LongMemEval or BEAM; for BEAM also a folder of chats); none is shipped.
 * Without it, a made-up sample is used. Options: `--json`; `--half first|second` takes every other conversation
 * (settings are chosen on the first half, scored on the second); `--level sessions,messages,drawers`; `--limit N`
 * conversations; `--http` asks a running daemon instead of its search alone.
 */
import { optionsOf } from '../scripts/options.ts';
import { loadDataSet } from './recall/load.ts';
import { daybook, measure, plain } from './recall/measure.ts';
import { overHttp } from './recall/over-http.ts';
import { sampleSet } from './recall/sample.ts';
import { type Compared, figures, table } from './recall/table.ts';
import { LEVELS, type Level } from './recall/units.ts';

const { values: options, positionals } = optionsOf({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    half: { type: 'string' },
    level: { type: 'string', default: LEVELS.join(',') },
    limit: { type: 'string', default: 'Infinity' },
    http: { type: 'boolean', default: false },
  },
});

const [path] = positionals;
const set =
  path === undefined ? { format: 'the made-up sample' as const, conversations: sampleSet() } : loadDataSet(path);
const parity = options.half === undefined ? null : ['first', 'second'].indexOf(options.half);
if (parity === -1) throw new Error(`--half is first or second, not ${options.half}`);
const levels = options.level.split(',').map(levelOf);
const conversations = set.conversations
  .filter((_, index) => parity === null || index % 2 === parity)
  .slice(0, Number(options.limit));

const compared: Compared[] = [];
for (const level of levels) {
  const searcher = options.http ? overHttp(level) : daybook(level);
  const bm25 = await measure(conversations, level, plain);
  compared.push({ level, bm25, ours: await measure(conversations, level, searcher) });
}

if (options.json) {
  const shown = { format: set.format, half: options.half ?? 'both', conversations: conversations.length };
  process.stdout.write(`${JSON.stringify({ ...shown, levels: compared.map(figures) }, null, 2)}\n`);
} else {
  const half = options.half === undefined ? '' : `, ${options.half} half`;
  const way = options.http ? ', POST /memory/query' : '';
  process.stdout.write(`${set.format}${half}, ${conversations.length} conversations${way}\n\n`);
  process.stdout.write(`${compared.map(table).join('\n\n')}\n`);
}

function levelOf(name: string): Level {
  const level = LEVELS.find((known) => known === name.trim());
  if (level === undefined) throw new Error(`--level is one or more of ${LEVELS.join(', ')}, not ${name}`);
  return level;
}
