/** A plot over time, with the newest value of each line as text. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { clock, date, when } from '../../format.ts';
import { inOwnFrame } from '../../lib/frames.ts';
import { text as all } from '../../text.ts';
import { theme } from '../../theme.ts';
import { isolated, visibleTimes } from './samples.ts';

const text = all.metrics;

export type Colour = 'busy' | 'warn' | 'good' | 'bad' | 'accent';

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly colour: Colour;
}

interface PlotProps {
  readonly title: string;
  /** Unix milliseconds. */
  readonly at: readonly number[];
  readonly lines: readonly Line[];
  format(value: number): string;
  readonly isBars?: boolean | undefined;
  /** Milliseconds before now that the plot shows, or fewer when the first sample is younger; else what `at` spans. */
  readonly span?: number | undefined;
  /** The greatest value of a share, which fixes the axis. */
  readonly max?: number | undefined;
}

const HEIGHT = 150;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const AXIS_WIDTH = 68;
const BAR_WIDTH = [0.6, 24] as const;
const POWERS_OF_TEN = Array.from({ length: 25 }, (_, index) => 10 ** (index - 9));
/** Steps between the lines of the grid. A step of 2.5 would be shown as 2 or 3. */
const GRID_STEPS = POWERS_OF_TEN.flatMap((power) => [power, 2 * power, 5 * power]);

/** A colour for the canvas, read from the style sheet, which defines it for light, dark and high contrast. */
function colourOf(box: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function Plot({ title, at, lines, format, isBars = false, max, span }: PlotProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shape = `${lines.map(({ label, colour }) => `${label} ${colour}`).join()} ${theme.value}`;
  const data = [at.map((each) => each / SECOND_MS), ...lines.map(({ values }) => [...values])] as uPlot.AlignedData;
  const newest = useRef(data);
  newest.current = data;
  useEffect(() => {
    const element = box.current!;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(element, { lines, format, isBars, max, span }), newest.current, element);
    };
    // A plot takes longer to draw than anything else in the view, so each has its own frame.
    const cancel = inOwnFrame(draw);
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    const schemes = matchMedia('(prefers-color-scheme: dark)');
    schemes.addEventListener('change', draw);
    return () => {
      cancel();
      resized.disconnect();
      schemes.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, span]);
  useEffect(() => inOwnFrame(() => plot.current?.setData(newest.current)), [at]);
  return (
    <figure class="card metrics-plot">
      <figcaption>
        <strong>{title}</strong>
        <span class="metrics-legend">
          {lines.map(({ label, values, colour }) => (
            <span key={label}>
              <span class={`metrics-key metrics-${colour}`} /> {text.latest(label, wordsOf(values, format))}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={box} class="metrics-canvas" role="img" aria-label={text.plot(title, summary({ at, lines, format }))} />
    </figure>
  );
}

function wordsOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const latest = values.findLast((value) => value !== null);
  return latest == null ? '–' : format(latest);
}

function summary({ at, lines, format }: Pick<PlotProps, 'at' | 'lines' | 'format'>): string {
  const known = lines.flatMap(({ label, values }) => {
    const measured = values.filter((value) => value !== null);
    if (measured.length === 0) return [];
    return `${label} ${format(Math.min(...measured))}–${format(Math.max(...measured))}`;
  });
  const [first] = at;
  return known.length === 0 || first === undefined
    ? text.quiet
    : `${known.join(', ')} (${clock(first)}–${clock(at.at(-1)!)})`;
}

type Drawn = Pick<PlotProps, 'lines' | 'format' | 'isBars' | 'max' | 'span'>;

function optionsOf(box: HTMLElement, { lines, format, isBars, max, span }: Drawn): uPlot.Options {
  const quiet = colourOf(box, 'quiet');
  const grid = { stroke: colourOf(box, 'line'), width: 1 };
  const font = `12px ${getComputedStyle(box).fontFamily}`;
  const bars = uPlot.paths.bars?.({ size: [...BAR_WIDTH] });
  const mark = (at: number, step: number): string => {
    if (isBars) return date(at);
    return step < MINUTE_MS ? clock(at) : when(at);
  };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    // On the right there is room for half of a time at the edge.
    padding: [8, 32, 0, 0],
    scales: {
      ...(span !== undefined && {
        x: { range: (_plot, first) => visibleTimes({ span: span / SECOND_MS, first, now: Date.now() / SECOND_MS }) },
      }),
      y: { range: (_plot, low, high) => [Math.min(0, low ?? 0), max ?? ((high ?? 0) > 0 ? high * 1.08 : 1)] },
    },
    axes: [
      {
        stroke: quiet,
        grid: { show: false },
        ticks: { show: false },
        font,
        size: 24,
        values: (_plot, at, _axis, _space, step) => at.map((each) => mark(each * SECOND_MS, step * SECOND_MS)),
        space: 90,
      },
      {
        stroke: quiet,
        grid,
        ticks: { show: false },
        font,
        size: AXIS_WIDTH,
        values: (_plot, values) => values.map(format),
        incrs: GRID_STEPS,
        space: 28,
      },
    ],
    series: [
      {},
      ...lines.map(({ label, colour }) => {
        const stroke = colourOf(box, colour);
        const style = isBars && bars !== undefined ? { paths: bars, fill: stroke, points: { show: false } } : {};
        return { label, stroke, width: 1.5, points: { size: 4, filter: pointsOf }, ...style };
      }),
    ],
  };
}

/** Null: as uPlot decides by the space between points, which are all or none. */
function pointsOf(plot: uPlot, series: number, areShown: boolean): number[] | null {
  return areShown ? null : [...isolated(plot.data[series]!)];
}
