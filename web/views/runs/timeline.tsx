/** The lanes of a run (model, tools, waiting) over time, and the slider that selects a step. */
import type { JSX } from 'preact';
import type { JobRecord } from '../../api.ts';
import { count, duration, now, short } from '../../format.ts';
import { setQuery } from '../../router.ts';
import type { Lane, Run, Span } from '../../runs/fold.ts';
import { type Scale, timeScale } from '../../runs/scale.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { ForkButton } from './fork.tsx';

const text = all.runs.timeline;
const LANES: readonly Lane[] = ['model', 'tool', 'wait'];
const SPANS_MAX = 1_500;

interface TimelineProps {
  readonly run: Run;
  readonly job: JobRecord;
  /** Positions of the events at which steps ended. */
  readonly steps: readonly number[];
  readonly step: number | null;
}

export function Timeline({ run, job, steps, step }: TimelineProps): JSX.Element | null {
  if (run.spans.length === 0) return null;
  const isOpen = run.spans.some(({ to }) => to === null);
  const end = isOpen ? now.value : run.lastAt;
  const scale = timeScale(run.spans, end);
  return (
    <section class="card timeline" aria-label={text.title}>
      <div class="timeline-lanes">
        {LANES.map((lane) => (
          <LaneRow
            key={lane}
            lane={lane}
            spans={run.spans.filter((span) => span.lane === lane)}
            scale={scale}
            end={end}
          />
        ))}
      </div>
      {scale.isShortened && <p class="quiet">{text.shortened}</p>}
      {steps.length > 0 && <Scrubber steps={steps} step={step} job={job} />}
    </section>
  );
}

interface LaneProps {
  readonly lane: Lane;
  readonly spans: readonly Span[];
  readonly scale: Scale;
  readonly end: number;
}

function LaneRow({ lane, spans, scale, end }: LaneProps): JSX.Element {
  const total = spans.reduce((sum, { from, to }) => sum + ((to ?? end) - from), 0);
  const tokens = spans.reduce((sum, span) => sum + (span.tokens ?? 0), 0);
  const facts = [duration(total)];
  if (lane === 'tool') facts.push(text.calls(spans.length));
  if (tokens > 0) facts.push(text.tokens(short(tokens)));
  return (
    <>
      <span class="timeline-name">
        {text.lanes[lane]}
        <span class="quiet number">{facts.join(' · ')}</span>
      </span>
      <span class="timeline-lane">
        {spans.slice(-SPANS_MAX).map((span) => (
          <Bar key={span.position} span={span} scale={scale} end={end} />
        ))}
      </span>
    </>
  );
}

function nameOf({ lane, name }: Span): string {
  return lane === 'wait' ? (text.waits[name] ?? name) : name;
}

/** Jumps to what it shows. It is not in the tab order: by keyboard the slider and the conversation do the same. */
function Bar({ span, scale, end }: { readonly span: Span; readonly scale: Scale; readonly end: number }): JSX.Element {
  const left = scale.at(span.from);
  const width = scale.at(span.to ?? end) - left;
  const words = text.span(nameOf(span), duration((span.to ?? end) - span.from), span.failed);
  const tokens = span.tokens === null ? '' : `, ${text.tokens(count(span.tokens))}`;
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`timeline-bar ${span.lane} ${span.failed ? 'failed' : ''} ${span.to === null ? 'open' : ''}`}
      title={words + tokens}
      aria-label={words + tokens}
      style={{ insetInlineStart: `${left * 100}%`, width: `${width * 100}%` }}
      onClick={() => showItem(span.position)}
    />
  );
}

function showItem(position: number): void {
  const item = document.getElementById(`at-${position}`);
  if (item === null) return;
  if (item instanceof HTMLDetailsElement) item.open = true;
  item.scrollIntoView({ block: 'center' });
  (item.querySelector<HTMLElement>('summary') ?? item).focus();
}

function Scrubber({ steps, step, job }: Pick<TimelineProps, 'steps' | 'step' | 'job'>): JSX.Element {
  const value = step ?? steps.length;
  const words = step === null ? text.whole : text.step(count(step), count(steps.length));
  return (
    <div class="timeline-scrub">
      <label>
        <span class="timeline-shown">
          <span class="quiet">{text.scrub}</span> <output>{words}</output>
        </span>
        <input
          type="range"
          min={0}
          max={steps.length}
          value={value}
          aria-label={text.scrubLabel}
          aria-valuetext={words}
          onInput={(event) => {
            const chosen = Number(event.currentTarget.value);
            setQuery({ step: chosen === steps.length ? null : chosen });
          }}
        />
      </label>
      {step !== null && (
        <p class="timeline-past" role="status">
          {text.past(count(step))}
          <ForkButton job={job} steps={steps.length} step={step} label={text.forkHere} />
          <Button onClick={() => setQuery({ step: null })}>{text.back}</Button>
        </p>
      )}
    </div>
  );
}
