/** Small plots as SVG: without script, readable in black and white, with a title that screen readers read. */
import type { Bar } from '../../queries/devex/histograms.ts';
import { type Markup, markup, type Part } from '../html.ts';

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
export function barPlot({ id, title, bars }: BarPlot): Markup {
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
export function scale({ id, title, sections, chosen, borders }: Scale): Markup {
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
