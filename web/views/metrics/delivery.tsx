/**
 * Delivery metrics of a repository: the four keys with their bands, releases over time, and the practices of its
 * scorecard.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type Dora, type Measure, type Practices, type Scorecard } from '../../api.ts';
import { count, percent } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField } from '../../ui/choice.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Badge, type Tone } from '../../ui/status.tsx';
import { number, ofRepository } from './data.ts';
import { Plot } from './plot.tsx';
import { TeamPart } from './team.tsx';

const text = all.metrics.delivery;
const KEYS = ['deployment_frequency', 'lead_time_for_changes', 'change_failure_rate', 'time_to_restore'] as const;
const MARKERS = ['tags', 'merges'] as const;
const TONES: Readonly<Record<Measure['band'], Tone>> = { elite: 'good', high: 'good', medium: 'warn', low: 'bad' };
const WINDOW_DAYS = 90;
const WINDOW_DAYS_MAX = 1_825;
const WEEK_MS = 604_800_000;

const scorecard = ofRepository<Scorecard>(async (query) => (await api.devex.scorecard({ query })).scorecard);

export function DeliveryPart({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const path = query.get('path') ?? '';
  const days = query.get('window') ?? String(WINDOW_DAYS);
  const marker = query.get('marker') ?? 'tags';
  /** Each time, the repository is measured anew. */
  const times = useSignal(0);
  const asked = String(new URLSearchParams({ path, window: days, marker, times: String(times.value) }));
  return (
    <div class="stack">
      <form
        class="metrics-ask"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const field = (name: string): string => String(data.get(name) ?? '').trim();
          times.value += 1;
          setQuery({ path: field('path'), window: field('window'), marker: field('marker') });
        }}
      >
        <label class="field">
          <span>{text.path}</span>
          <input name="path" defaultValue={path} placeholder={text.pathHint} required spellcheck={false} />
        </label>
        <label class="field">
          <span>{text.window}</span>
          <input name="window" type="number" min={1} max={WINDOW_DAYS_MAX} defaultValue={days} required />
        </label>
        <ChoiceField
          label={text.marker}
          name="marker"
          options={MARKERS.map((each) => [each, text.markers[each]])}
          value={marker}
        />
        <Button tone="primary" type="submit">
          {text.measure}
        </Button>
      </form>
      {path === '' ? (
        <Empty title={text.empty} help={text.emptyHelp} />
      ) : (
        <Loaded of={scorecard(asked)} lines={6}>
          {(found) => (
            <>
              <Card of={found} />
              <TeamPart asked={asked} />
            </>
          )}
        </Loaded>
      )}
    </div>
  );
}

function Card({ of }: { readonly of: Scorecard }): JSX.Element {
  const { dora, practices, delivery_grade, dora_coverage, headline } = of;
  return (
    <>
      <section class="card">
        <h2 class="metrics-headline">{headline}</h2>
        <p class="row quiet">
          {delivery_grade !== undefined && <Badge tone="good">{text.grade(delivery_grade)}</Badge>}
          {text.coverage(percent(dora_coverage))} ·{' '}
          {text.window_(count(dora.commits_in_window), count(dora.authors_in_window), count(dora.window_days))}
        </p>
      </section>
      <div class="metrics-keys">
        {KEYS.map((key) => (
          <Key key={key} name={key} dora={dora} />
        ))}
      </div>
      <Releases dora={dora} />
      <PracticeList of={practices} />
    </>
  );
}

function Key({ name, dora }: { readonly name: (typeof KEYS)[number]; readonly dora: Dora }): JSX.Element {
  const measure = dora[name];
  const missing = dora.unmeasured.find(({ metric }) => metric === name);
  return (
    <section class="card" aria-label={text.keys[name]}>
      <h3>{text.keys[name]}</h3>
      {measure === undefined ? (
        <>
          <p class="quiet">{text.unmeasured}</p>
          {missing !== undefined && <p class="quiet">{missing.reason}</p>}
          {missing !== undefined && <p class="quiet">{missing.to_measure_this}</p>}
        </>
      ) : (
        <>
          <p class="row">
            <span class="metrics-value">{number(measure.value)}</span> {measure.unit}
          </p>
          <p class="row quiet">
            <Badge tone={TONES[measure.band]}>{text.bands[measure.band]}</Badge>
            {text.samples(count(measure.sample_size))}
          </p>
          <p class="quiet">{measure.proxy}</p>
        </>
      )}
    </section>
  );
}

/** Releases by week of the window. */
function weeksOf({ deployments, since, generated_at }: Dora) {
  const begin = inMs(since);
  const weeks = Math.max(1, Math.ceil((inMs(generated_at) - begin) / WEEK_MS));
  const all_ = Array.from({ length: weeks }, () => 0);
  const failed = Array.from({ length: weeks }, () => 0);
  for (const { at, followed_by_remediation } of deployments) {
    const week = Math.min(weeks - 1, Math.max(0, Math.floor((inMs(at) - begin) / WEEK_MS)));
    all_[week]! += 1;
    if (followed_by_remediation) failed[week]! += 1;
  }
  return { at: all_.map((_, week) => begin + week * WEEK_MS), all: all_, failed };
}

/** Times of the report are in Unix seconds. */
const inMs = (seconds: number): number => seconds * 1_000;

function Releases({ dora }: { readonly dora: Dora }): JSX.Element | null {
  if (dora.deployments.length === 0) return null;
  const { at, all: releases, failed } = weeksOf(dora);
  return (
    <Plot
      title={text.releases}
      at={at}
      isBars
      format={number}
      lines={[
        { label: text.fine, values: releases, colour: 'busy' },
        { label: text.failed, values: failed, colour: 'bad' },
      ]}
    />
  );
}

function PracticeList({ of }: { readonly of: Practices }): JSX.Element {
  return (
    <section>
      <h2>{text.practices}</h2>
      <p class="quiet">{of.scope_note}</p>
      <ul class="rows metrics-practices">
        {of.practices.map(({ key, title, level, level_name, next_step }) => (
          <li key={key}>
            <span>{title}</span>
            <span class="row">
              <progress class="progress" max={of.max_detectable_level} value={level} aria-label={title} />
            </span>
            <span class="quiet">
              {text.levelName[level_name]}, {text.level(count(level), count(of.max_detectable_level))}
            </span>
            <span class="quiet">{level < of.max_detectable_level ? text.next(next_step) : ''}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
