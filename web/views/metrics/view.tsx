/** Plots of the store, the process and the providers over the last day; how well a repository delivers. */
import type { ComponentChildren, JSX } from 'preact';
import type { MetricsHistory } from '../../api.ts';
import { bytes, count, duration, percent, short, when } from '../../format.ts';
import { href, setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Head } from '../../ui/head.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import type { ViewProps } from '../../views.ts';
import { history, lineOf, providersOf, RANGES, type Range, store, useEvery } from './data.ts';
import { DeliveryPart } from './delivery.tsx';
import { Plot } from './plot.tsx';
import { StoreCards } from './store.tsx';

const text = all.metrics;
const PARTS = ['storage', 'process', 'providers', 'delivery'] as const;

const seconds = (value: number): string =>
  value < 0.001 && value > 0 ? `${(value * 1_000_000).toFixed(0)}µs` : duration(value * 1_000);
const perSecond = (value: number): string => text.perSecond(short(value));

export function View({ path, query }: ViewProps): JSX.Element {
  const part = PARTS.find((each) => each === path[0]) ?? 'storage';
  const asked = query.get('range') ?? '';
  const range: Range = asked in RANGES ? (asked as Range) : '1h';
  const samples = history(range);
  useEvery(samples, store);
  const since = samples.value.value?.started_at;
  return (
    <div class="metrics">
      <Head title={text.title} note={since === undefined ? '\u00a0' : text.note(when(since))}>
        {part !== 'delivery' && (
          <label class="metrics-range">
            <span class="visually-hidden">{text.range}</span>
            <select value={range} onChange={(event) => setQuery({ range: event.currentTarget.value })}>
              {(Object.keys(RANGES) as Range[]).map((each) => (
                <option key={each} value={each}>
                  {text.ranges[each]}
                </option>
              ))}
            </select>
          </label>
        )}
      </Head>
      <nav class="tabs" aria-label={text.partsLabel}>
        {PARTS.map((each) => (
          <a
            key={each}
            href={href(each === 'storage' ? ['metrics'] : ['metrics', each], { range: asked })}
            aria-current={each === part ? 'page' : undefined}
          >
            {text.parts[each]}
          </a>
        ))}
      </nav>
      {part === 'delivery' ? <DeliveryPart query={query} /> : <Measured part={part} range={range} />}
    </div>
  );
}

interface MeasuredProps {
  readonly part: 'storage' | 'process' | 'providers';
  readonly range: Range;
}

function Measured({ part, range }: MeasuredProps): JSX.Element {
  return (
    <Loaded of={history(range)} lines={8}>
      {(samples) => (
        <>
          {part === 'storage' && <StoreCards backups={samples.backups} />}
          {samples.at.length === 0 ? (
            <Empty title={text.nothing}>
              <p>{text.nothingHelp}</p>
            </Empty>
          ) : (
            <div class="metrics-plots" key={`${part} ${range}`}>
              {part === 'storage' && <StoragePlots of={samples} span={RANGES[range]} />}
              {part === 'process' && <ProcessPlots of={samples} span={RANGES[range]} />}
              {part === 'providers' && <ProviderPlots of={samples} span={RANGES[range]} />}
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

interface PlotsProps {
  readonly of: MetricsHistory;
  /** Milliseconds before now. */
  readonly span: number;
}

function quantiles(of: MetricsHistory, name: string) {
  return [
    lineOf(of, `${name}_p50`, { label: text.series.p50, colour: 'busy' }),
    lineOf(of, `${name}_p99`, { label: text.series.p99, colour: 'warn' }),
  ];
}

function StoragePlots({ of, span }: PlotsProps): JSX.Element {
  const one = (name: string, label: string) => [lineOf(of, name, { label, colour: 'busy' })];
  return (
    <>
      <Plot title={text.plots.append} at={of.at} span={span} lines={quantiles(of, 'append')} format={seconds} />
      <Plot
        title={text.plots.appendRate}
        at={of.at}
        span={span}
        lines={one('append_rate', text.series.rate)}
        format={perSecond}
      />
      <Plot title={text.plots.sync} at={of.at} span={span} lines={quantiles(of, 'sync')} format={seconds} />
      <Plot
        title={text.plots.group}
        at={of.at}
        span={span}
        lines={one('group_size', text.series.size)}
        format={short}
      />
      <Plot title={text.plots.read} at={of.at} span={span} lines={quantiles(of, 'read')} format={seconds} />
      <Plot
        title={text.plots.cache}
        at={of.at}
        span={span}
        lines={one('cache_hit_ratio', text.series.share)}
        format={percent}
        max={1}
      />
      <Plot title={text.plots.wal} at={of.at} span={span} lines={one('wal_bytes', text.series.size)} format={bytes} />
      <Plot title={text.plots.disk} at={of.at} span={span} lines={one('disk_bytes', text.series.size)} format={bytes} />
    </>
  );
}

function ProcessPlots({ of, span }: PlotsProps): JSX.Element {
  const delays = [
    lineOf(of, 'loop_delay_p99', { label: text.series.p99, colour: 'busy' }),
    lineOf(of, 'loop_delay_max', { label: text.series.max, colour: 'warn' }),
  ];
  const one = (name: string, label: string) => [lineOf(of, name, { label, colour: 'busy' })];
  return (
    <>
      <Plot
        title={text.plots.memory}
        at={of.at}
        span={span}
        lines={one('memory_bytes', text.series.size)}
        format={bytes}
      />
      <Plot
        title={text.plots.cpu}
        at={of.at}
        span={span}
        lines={one('cpu_ratio', text.series.share)}
        format={percent}
      />
      <Plot title={text.plots.loop} at={of.at} span={span} lines={delays} format={seconds} />
    </>
  );
}

function ProviderPlots({ of, span }: PlotsProps): ComponentChildren {
  const providers = providersOf(of);
  if (providers.length === 0) {
    return (
      <Empty title={text.providers.none}>
        <p>{text.providers.noneHelp}</p>
      </Empty>
    );
  }
  return providers.map((provider) => {
    const name = (what: string): string => `provider:${provider}:${what}`;
    const tokens = [
      lineOf(of, name('tokens_in'), { label: text.series.in, colour: 'busy' }),
      lineOf(of, name('tokens_out'), { label: text.series.out, colour: 'accent' }),
    ];
    const calls = [
      lineOf(of, name('calls'), { label: text.series.calls, colour: 'busy' }),
      lineOf(of, name('errors'), { label: text.series.errors, colour: 'bad' }),
    ];
    return (
      <section key={provider} class="metrics-provider" aria-label={provider}>
        <h2>{provider}</h2>
        <div class="metrics-plots">
          <Plot title={text.plots.tokens} at={of.at} span={span} lines={tokens} format={short} />
          <Plot
            title={text.plots.latency}
            at={of.at}
            span={span}
            lines={quantiles(of, name('latency'))}
            format={seconds}
          />
          <Plot title={text.plots.calls} at={of.at} span={span} lines={calls} format={count} />
        </div>
      </section>
    );
  });
}
