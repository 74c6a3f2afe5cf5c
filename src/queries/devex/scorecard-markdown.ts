/** The scorecard as markdown. */
import { code, counted, line } from '../markdown.ts';
import { KEYS } from './dora.ts';
import type { Measure, Scorecard, Unmeasured } from './schemas.ts';

export function scorecardMarkdown(scorecard: Scorecard): string {
  const { dora, practices, headline, dora_coverage: coverage } = scorecard;
  const measured = KEYS.flatMap((key) => (dora[key] === undefined ? [] : [{ key, measure: dora[key] }]));
  const rows = measured.map(({ key, measure }) => `| ${key} | ${figure(measure)} | ${measure.proxy} |`);
  const caveats = practices.practices.flatMap(({ title, detection_caveat: caveat }) =>
    caveat === undefined ? [] : [`- **${title}**: ${caveat}`],
  );
  const parts = [
    '# Developer excellence scorecard',
    headline,
    [
      `- Repository: ${code(dora.repo)}`,
      `- Window: ${counted(dora.window_days, 'day')}`,
      `- Deployments are identified by: ${dora.release_marker_description}`,
      `- Coverage of the delivery keys: ${coverage * 100}% (${measured.length} of ${KEYS.length})`,
    ].join('\n'),
    '## Delivery performance',
    ['| Key | Value | Proxy |', '|---|---|---|', ...(rows.length > 0 ? rows : ['| *none measurable* | | |'])].join(
      '\n',
    ),
    ...section('### Not measured, and why', dora.unmeasured.map(unmeasured)),
    '## Practice maturity',
    practices.scope_note,
    [
      '| Practice | Pillar | Level | Found | Next step |',
      '|---|---|---|---|---|',
      ...practices.practices.map(
        (practice) =>
          `| ${practice.title} | ${practice.pillar} | ${practice.level} (${practice.level_name}) | ` +
          `${practice.found}/${practice.expected} | ${practice.next_step} |`,
      ),
    ].join('\n'),
    ...section('### What the scan cannot see', caveats),
    ...section(
      '## Notes',
      dora.notes.map((note) => `- ${line(note)}`),
    ),
    '---',
    `*${dora.band_source}*`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, lines.join('\n')];
}

function figure({ value, unit, band, sample_size, percentiles = [] }: Measure): string {
  const list = percentiles.map(({ label, value: of }) => `${label} ${of.toFixed(1)}`).join(', ');
  return `**${value.toFixed(2)} ${unit}**${list === '' ? '' : ` (${list})`}: ${band}, n = ${sample_size}`;
}

function unmeasured({ metric, reason, to_measure_this: how }: Unmeasured): string {
  return `- **${metric}**: ${reason}\n  - To measure it: ${how}`;
}
