/** Team metrics of the repository: the five dimensions of SPACE, and its readiness for newcomers. */
import type { JSX } from 'preact';
import { api, type Onboarding, type Space } from '../../api.ts';
import { count, date, duration } from '../../format.ts';
import { text as all } from '../../text.ts';
import { Loaded } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { number, ofRepository } from './data.ts';

const text = all.metrics.team;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const CONTRIBUTORS_SHOWN = 10;

const spaceOf = ofRepository<Space>(async (query) => (await api.devex.space({ query })).space);
const onboardingOf = ofRepository<Onboarding>(async (query) => (await api.devex.onboarding({ query })).onboarding);

/** `asked` is the query with the repository, its window and its marker. */
export function TeamPart({ asked }: { readonly asked: string }): JSX.Element {
  return (
    <>
      <section aria-labelledby="metrics-space" class="stack">
        <h2 id="metrics-space">{text.space}</h2>
        <Loaded of={spaceOf(asked)} lines={4}>
          {(of) => <Dimensions of={of} />}
        </Loaded>
      </section>
      <section aria-labelledby="metrics-onboarding" class="stack">
        <h2 id="metrics-onboarding">{text.onboarding}</h2>
        <Loaded of={onboardingOf(asked)} lines={4}>
          {(of) => <Readiness of={of} />}
        </Loaded>
      </section>
    </>
  );
}

function Dimensions({ of }: { readonly of: Space }): JSX.Element {
  return (
    <>
      <p class="quiet">{of.scope_note}</p>
      <div class="metrics-space">
        {of.dimensions.map(({ key, title, measures, unmeasured }) => (
          <section key={key} class="card" aria-label={title}>
            <h3>{title}</h3>
            {measures.map(({ name, value, unit, sample_size, source }) => (
              <div key={name}>
                <p>
                  <strong>{number(value)}</strong> {unit}
                </p>
                <p class="quiet">
                  {name} · {text.from(count(sample_size), source)}
                </p>
              </div>
            ))}
            {unmeasured.map(({ metric, reason, to_measure_this }) => (
              <p key={metric} class="quiet">
                {text.notMeasured(metric.replaceAll('_', ' '))} {reason} {to_measure_this}
              </p>
            ))}
          </section>
        ))}
      </div>
    </>
  );
}

function Readiness({ of }: { readonly of: Onboarding }): JSX.Element {
  const { readiness, readiness_found, readiness_expected, new_contributors } = of;
  return (
    <>
      <p>{text.ready(count(readiness_found), count(readiness_expected))}</p>
      <ul class="rows metrics-practices">
        {readiness.map(({ name, found, path }) => (
          <li key={name}>
            <span>{name}</span>
            {found ? (
              <Badge tone="good" icon="check">
                {text.found}
              </Badge>
            ) : (
              <Badge tone="warn" icon="dash">
                {text.missing}
              </Badge>
            )}
            <code class="quiet">{path}</code>
          </li>
        ))}
      </ul>
      <h3>{text.newcomers(count(new_contributors.length))}</h3>
      {new_contributors.length > 0 && (
        <ul class="rows metrics-practices">
          {new_contributors.slice(0, CONTRIBUTORS_SHOWN).map(({ author, first_commit_at, ...then }) => (
            <li key={author}>
              <span dir="auto">{author}</span>
              <span class="quiet">{date(first_commit_at * SECOND_MS)}</span>
              <span class="quiet">{text.commits(count(then.commits_in_window))}</span>
              <span class="quiet">
                {then.hours_to_second_commit === undefined
                  ? text.noSecond
                  : text.second(duration(then.hours_to_second_commit * HOUR_MS))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
