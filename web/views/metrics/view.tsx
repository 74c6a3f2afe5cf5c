/** Plots of the store, the process and the providers over the last day, and the delivery metrics of a repository. */
import type { ComponentChildren, JSX } from 'preact';
import type { MetricsHistory } from '../../api.ts';
import { bytes, count, duration, percent, short, when } from '../../format.ts';
import { useEvery } from '../../resource.ts';
import { href, setQuery, type ViewProps } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Options } from '../../ui/choice.tsx';
import { Head } from '../../ui/head.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { history, lineOf, providersOf, RANGES, type Range, store } from './data.ts';
import { DeliveryPart } from './delivery.tsx';
import { type Colour, Plot } from './plot.tsx';
import { StoreCards } from './store.tsx';

const text = all.metrics;
/** How often the daemon takes a sample. */
const SAMPLE_MS = 10_000;
const PARTS = ['storage', 'process', 'providers', 'delivery'] as const;

const seconds = (value: number): string =>
  value < 0.001 && value > 0 ? `${(value * 1_000_000).toFixed(0)}µs` : duration(value * 1_000);
const perSecond = (value: number): string => text.perSecond(short(value));

export function View({ path, query }: ViewProps): JSX.Element {
  const part = PARTS.find((each) => each === path[0]) ?? 'storage';
  const asked = query.get('range') ?? '';
  const range: Range = Object.hasOwn(RANGES, asked) ? (asked as Range) : '1h';
  const samples = history(range);
  useEvery(SAMPLE_MS, samples, store);
  const since = samples.value.value?.started_at;
  return (
    <div class="metrics">
      <Head title={text.title} note={since === undefined ? '\u00a0' : text.note(when(since))}>
        {part !== 'delivery' && (
          <label class="metrics-range">
            <span class="visually-hidden">{text.range}</span>
            <select value={range} onChange={(event) => setQuery({ range: event.currentTarget.value })}>
              <Options of={(Object.keys(RANGES) as Range[]).map((each) => [each, text.ranges[each]])} />
            </select>
          </label>
        )}
      </Head>
      <Tabs label={text.partsLabel} current={part}>
        {PARTS.map((each) => (
          <a
            key={each}
            href={href(each === 'storage' ? ['metrics'] : ['metrics', each], { range: asked })}
            aria-current={each === part ? 'page' : undefined}
          >
            {text.parts[each]}
          </a>
        ))}
      </Tabs>
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
            <Empty title={text.nothing} help={text.nothingHelp} />
          ) : (
            <div class="metrics-plots" key={`${part} ${range}`}>
              {part === 'storage' && <Plots of={samples} span={RANGES[range]} specs={STORAGE} />}
              {part === 'process' && <Plots of={samples} span={RANGES[range]} specs={PROCESS} />}
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

type Look = readonly [series: string, label: string, colour: Colour];

/** A plot by the key of its text, with the series that are its lines. */
interface Spec {
  readonly title: keyof typeof text.plots;
  readonly lines: readonly Look[];
  format(value: number): string;
  readonly max?: number;
}

const { series: words } = text;
const one = (name: string, label: string): readonly Look[] => [[name, label, 'busy']];
const quantiles = (name: string): readonly Look[] => [
  [`${name}_p50`, words.p50, 'busy'],
  [`${name}_p99`, words.p99, 'warn'],
];

const STORAGE: readonly Spec[] = [
  { title: 'append', lines: quantiles('append'), format: seconds },
  { title: 'appendRate', lines: one('append_rate', words.rate), format: perSecond },
  { title: 'sync', lines: quantiles('sync'), format: seconds },
  { title: 'group', lines: one('group_size', words.size), format: short },
  { title: 'read', lines: quantiles('read'), format: seconds },
  { title: 'cache', lines: one('cache_hit_ratio', words.share), format: percent, max: 1 },
  { title: 'wal', lines: one('wal_bytes', words.size), format: bytes },
  { title: 'disk', lines: one('disk_bytes', words.size), format: bytes },
];

const PROCESS: readonly Spec[] = [
  { title: 'memory', lines: one('memory_bytes', words.size), format: bytes },
  { title: 'cpu', lines: one('cpu_ratio', words.share), format: percent },
  {
    title: 'loop',
    lines: [
      ['loop_delay_p99', words.p99, 'busy'],
      ['loop_delay_max', words.max, 'warn'],
    ],
    format: seconds,
  },
];

function providerSpecs(provider: string): readonly Spec[] {
  const name = (what: string): string => `provider:${provider}:${what}`;
  const tokens: readonly Look[] = [
    [name('tokens_in'), words.in, 'busy'],
    [name('tokens_out'), words.out, 'accent'],
  ];
  const calls: readonly Look[] = [
    [name('calls'), words.calls, 'busy'],
    [name('errors'), words.errors, 'bad'],
  ];
  return [
    { title: 'tokens', lines: tokens, format: short },
    { title: 'latency', lines: quantiles(name('latency')), format: seconds },
    { title: 'calls', lines: calls, format: count },
  ];
}

function Plots({ of, span, specs }: PlotsProps & { readonly specs: readonly Spec[] }): ComponentChildren {
  return specs.map(({ title, lines, ...look }) => (
    <Plot
      key={title}
      title={text.plots[title]}
      at={of.at}
      span={span}
      lines={lines.map(([name, label, colour]) => lineOf(of, name, { label, colour }))}
      {...look}
    />
  ));
}

function ProviderPlots({ of, span }: PlotsProps): ComponentChildren {
  const providers = providersOf(of);
  if (providers.length === 0) {
    return <Empty title={text.providers.none} help={text.providers.noneHelp} />;
  }
  return providers.map((provider) => (
    <section key={provider} class="metrics-provider" aria-label={provider}>
      <h2>{provider}</h2>
      <div class="metrics-plots">
        <Plots of={of} span={span} specs={providerSpecs(provider)} />
      </div>
    </section>
  ));
}
