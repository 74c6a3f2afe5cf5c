/** The scorecard as one page for the screen and for print. */
import { KEYS, type Key, type Measured } from '../../queries/devex/dora.ts';
import { type Bar, day, daysPerBar, deploymentBars, leadBars } from '../../queries/devex/histograms.ts';
import type { DoraReport, Measure, PracticesReport, Scorecard, Unmeasured } from '../../queries/devex/schemas.ts';
import { BANDS } from '../../queries/devex/statistics.ts';
import { counted } from '../../queries/markdown.ts';
import { type Markup, markup, type Part, page } from '../html.ts';

type ScorecardPage = Scorecard & Pick<Measured, 'leadHours'>;

export function scorecardPage(scorecard: ScorecardPage): string {
  const { dora, practices, headline } = scorecard;
  const body = markup`<style>${{ markup: STYLE }}</style>
<header><h1>Developer excellence scorecard</h1>
<p>${headline}</p>
${facts(scorecard)}
</header>
<section><h2>Delivery performance</h2>
${KEYS.map((key) => (dora[key] === undefined ? null : keyOf(key, dora[key])))}
${dora.unmeasured.length === KEYS.length ? markup`<p class="quiet">None of the keys could be measured.</p>` : null}
<p class="quiet">${dora.band_source}</p>
</section>
${plots(scorecard)}
${unmeasured(dora.unmeasured)}
${maturity(practices)}
${list('Notes', dora.notes)}`;
  return page({ title: `Scorecard of ${dora.repo} · Daybook`, body });
}

const STYLE = `figure { margin: 1rem 0; break-inside: avoid; } figcaption { font-size: .875rem; color: var(--quiet); }
svg { display: block; width: 100%; height: auto; } tr, .key { break-inside: avoid; }
td:nth-child(2) { white-space: nowrap; }
svg text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: var(--quiet); }
svg .bar { fill: var(--accent); } svg .marked { stroke: var(--bad); } svg .hatch { fill: var(--bad); }
svg .paper { fill: var(--paper); } svg .axis { stroke: var(--line); }
svg .section { fill: none; stroke: var(--line); } svg rect.chosen { fill: var(--accent); }
svg text.chosen { fill: var(--accent-ink); font-weight: 700; }
.key { margin: 1rem 0 1.5rem; } .key p { margin: .2rem 0; }
@media print { svg rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }`;

const TITLES: Readonly<Record<Key, string>> = {
  deployment_frequency: 'Deployment frequency',
  lead_time_for_changes: 'Lead time for changes',
  change_failure_rate: 'Change failure rate',
  time_to_restore: 'Time to restore',
};

/** Worst band first; the labels of the borders are those of `BANDS` in reverse. */
const SECTIONS = ['low', 'medium', 'high', 'elite'];

const BORDERS: Readonly<Record<Key, readonly string[]>> = {
  deployment_frequency: ['1 a month', '1 a week', '1 a day'],
  lead_time_for_changes: BANDS.lead.map(hours).toReversed(),
  change_failure_rate: BANDS.failure.map((share) => `${share * 100} %`).toReversed(),
  time_to_restore: BANDS.restore.map(hours).toReversed(),
};

function facts({ dora, dora_coverage: coverage, delivery_grade: grade }: Scorecard): Markup {
  const rows: readonly (readonly [string, Part])[] = [
    ['Repository', markup`<code>${dora.repo}</code>`],
    ['Window', `${counted(dora.window_days, 'day')}: ${day(dora.since)} to ${day(dora.generated_at)}`],
    ['Deployments', dora.release_marker_description],
    ['Grade', grade ?? 'none: nothing measured'],
    ['Coverage', `${coverage * 100} % of the delivery keys`],
    ['Commits', `${dora.commits_in_window} by ${counted(dora.authors_in_window, 'author')}`],
  ];
  return markup`<dl class="facts">${rows.map(
    ([name, fact]) => markup`<div><dt>${name}</dt><dd>${fact}</dd></div>`,
  )}</dl>`;
}

function keyOf(key: Key, { value, unit, band, sample_size, proxy, percentiles = [] }: Measure): Markup {
  const further = percentiles.map(({ label, value: of }) => `, ${label} ${short(of)}`).join('');
  const title = `${TITLES[key]}: ${short(value)} ${unit}, band ${band}`;
  return markup`<div class="key"><h3>${TITLES[key]}</h3>
<p><strong>${short(value)}</strong> ${unit}, <strong>${band}</strong>
<span class="quiet">(n = ${sample_size}${further})</span></p>
${scale({ id: key, title, sections: SECTIONS, chosen: band, borders: BORDERS[key] })}
<p class="quiet">Measured as: ${proxy}.</p></div>
`;
}

function plots({ dora, leadHours }: ScorecardPage): Markup | null {
  if (dora.deployments.length === 0) return null;
  return markup`<section><h2>Over time</h2>
${barPlot({ id: 'deployments', title: deploymentsTitle(dora), bars: deploymentBars(dora) })}
${leadHours.length === 0 ? null : barPlot({ id: 'leads', title: LEADS_TITLE, bars: leadBars(leadHours) })}
</section>
`;
}

const LEADS_TITLE = 'Lead times: how many commits took how long from being written to being released';
function deploymentsTitle(dora: DoraReport): string {
  const failed = dora.deployments.filter((deployment) => deployment.followed_by_remediation).length;
  const days = daysPerBar(dora);
  return (
    `${counted(dora.deployments.length, 'deployment')}, by ${days === 1 ? 'day' : `${days} days`}; ` +
    `hatched: the ${failed} that had to be mended`
  );
}

function unmeasured(items: readonly Unmeasured[]): Markup | null {
  if (items.length === 0) return null;
  const entries = items.map(
    ({ metric, reason, to_measure_this: how }) =>
      markup`<li><strong>${metric}</strong>: ${reason}<br><span class="quiet">To measure it: ${how}</span></li>
`,
  );
  return markup`<section><h2>Not measured, and why</h2><ul>${entries}</ul></section>
`;
}

function maturity({ practices, scope_note: scope }: PracticesReport): Markup {
  const rows = practices.map(
    ({ title, pillar, level, level_name: name, signals, next_step: next }) =>
      markup`<tr><td>${title}<br><span class="quiet">${pillar}</span></td><td>${level} (${name})</td>
<td>${signals.map((signal) => [signal.found ? '● ' : '○ ', signal.name, markup`<br>`])}</td><td>${next}</td></tr>
`,
  );
  const caveats = practices.flatMap(({ title, detection_caveat: caveat }) => (caveat ? [`${title}: ${caveat}`] : []));
  return markup`<section><h2>Practices</h2><p class="quiet">${scope}</p>
<table><thead><tr><th>Practice</th><th>Level</th><th>Signals (● found)</th><th>Next step</th></tr></thead>
<tbody>${rows}</tbody></table></section>
${list('What the scan cannot see', caveats)}`;
}

function list(title: string, items: readonly string[]): Markup | null {
  if (items.length === 0) return null;
  return markup`<section><h2>${title}</h2><ul>${items.map((item) => markup`<li>${item}</li>`)}</ul></section>
`;
}

function hours(count: number): string {
  return count < 24 ? `${count} h` : `${count / 24} d`;
}

function short(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

const WIDTH = 640;
const HEIGHT = 150;
const BASE = HEIGHT - 22;
const TOP = 18;
/** Half the width of a date, the widest label: the centre of a label keeps this distance from the edges. */
const LABEL_HALF = 36;

interface BarPlot {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** Bars on one scale up to the highest value, which is written above its bar. */
function barPlot({ id, title, bars }: BarPlot): Markup {
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const step = WIDTH / bars.length;
  const height = (value: number): number => ((BASE - TOP) * value) / highest;
  const gap = Math.min(6, step / 5);
  const drawn = bars.map(({ value, marked, label }, index): Part => {
    const x = index * step + gap / 2;
    const at = (of: number): Part => [
      markup`x="${fixed(x)}" width="${fixed(step - gap)}" `,
      markup`y="${fixed(BASE - height(of))}" height="${fixed(height(of))}"`,
    ];
    return [
      value === 0 ? null : markup`<rect class="bar" ${at(value)}/>`,
      marked === 0 ? null : markup`<rect class="marked" fill="url(#${id}-hatch)" ${at(marked)}/>`,
      label === '' ? null : text(x + (step - gap) / 2, HEIGHT - 6, label),
      value === highest ? text(x + (step - gap) / 2, BASE - height(value) - 5, String(value)) : null,
    ];
  });
  return markup`<figure><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}"><title id="${id}">${title}</title>
<defs><pattern id="${id}-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="5" height="5" class="paper"/><rect width="2.5" height="5" class="hatch"/></pattern></defs>
${drawn}<line class="axis" x1="0" x2="${WIDTH}" y1="${BASE}" y2="${BASE}"/></svg></figure>
`;
}

interface Scale {
  readonly id: string;
  readonly title: string;
  /** Names of the sections from left to right; the chosen one is filled. */
  readonly sections: readonly string[];
  readonly chosen: string;
  /** Written at the borders between sections. */
  readonly borders: readonly string[];
}

/** Sections side by side, the chosen one filled and bold. */
function scale({ id, title, sections, chosen, borders }: Scale): Markup {
  const step = WIDTH / sections.length;
  const parts = sections.map(
    (name, index): Part => markup`<rect class="${name === chosen ? 'chosen' : 'section'}" x="${index * step + 1}" y="1"
width="${step - 2}" height="22"/><text class="${name === chosen ? 'chosen' : 'label'}" x="${(index + 0.5) * step}"
y="17" text-anchor="middle">${name}</text>`,
  );
  return markup`<svg viewBox="0 0 ${WIDTH} 40" role="img" aria-labelledby="${id}"><title id="${id}">${title}</title>
${parts}${borders.map((border, index) => text((index + 1) * step, 37, border))}</svg>
`;
}

function text(x: number, y: number, words: string): Markup {
  const middle = Math.min(WIDTH - LABEL_HALF, Math.max(LABEL_HALF, x));
  return markup`<text class="label" x="${fixed(middle)}" y="${fixed(y)}" text-anchor="middle">${words}</text>`;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}
