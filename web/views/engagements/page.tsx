/** One engagement: its phases, the work of one of them, its history; now or as of an earlier time. */
import type { JSX } from 'preact';
import { api, type Engagement, isStatus } from '../../api.ts';
import { count, percent } from '../../format.ts';
import { useShortcuts } from '../../keys.ts';
import { href, setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useDialogs } from '../../ui/dialog.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Head } from '../../ui/head.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { When } from '../../ui/time.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { AdvanceDialog } from './advance.tsx';
import { Blockers } from './blockers.tsx';
import { PHASES, type Phase, reports, useWhole, type Whole } from './data.ts';
import { Deliverables } from './deliverables.tsx';
import { Gates } from './gates.tsx';
import { History } from './history.tsx';
import { RemoveDialog } from './remove.tsx';
import { ScanDialog } from './scan.tsx';
import { focusTime, TimeSlider } from './time.tsx';

const text = all.engagements;

export interface PageProps {
  readonly id: string;
  readonly query: URLSearchParams;
}

export function EngagementPage({ id, query }: PageProps): JSX.Element {
  const at = query.get('at');
  const { whole, shownAt, error, isReading, isOther } = useWhole(id, at);
  if (at === null && isStatus(error, 404)) return <Missing />;
  if (whole === undefined) {
    return (
      <>
        <Head title={text.title} above={<a href={href(['engagements'])}>{text.page.all}</a>} />
        {error === null ? <Skeleton lines={6} /> : <Failure error={error} />}
      </>
    );
  }
  return (
    <div class="engagement">
      {/* What is of the past cannot be changed, also while the present is read. */}
      <PageHead whole={whole} at={at ?? shownAt} />
      <TimeSlider id={id} at={at} whole={whole} isOther={isOther} />
      {error !== null && <Failure error={error} />}
      {(error === null || !isOther) && (
        <div class={isReading || error !== null ? 'stack pending' : 'stack'} aria-busy={isReading}>
          <Content whole={whole} at={at ?? shownAt} query={query} />
        </div>
      )}
    </div>
  );
}

function Missing(): JSX.Element {
  return (
    <>
      <Head title={text.page.missing} above={<a href={href(['engagements'])}>{text.page.all}</a>} />
      <Empty title={text.page.missingHelp} />
    </>
  );
}

interface PartProps {
  readonly whole: Whole;
  readonly at: string | null;
}

function PageHead({ whole, at }: PartProps): JSX.Element {
  const { engagement } = whole.report;
  const { open, opened } = useDialogs<'advance' | 'scan' | 'remove'>();
  const isNow = at === null;
  useShortcuts(all.shortcuts.here, [
    { keys: 't', label: text.keys.time, run: focusTime },
    ...(isNow
      ? [
          { keys: 'a', label: text.keys.advance, run: open('advance') },
          { keys: 's', label: text.keys.scan, run: open('scan') },
        ]
      : []),
  ]);
  const note = (
    <span class="row">
      <Status of={engagement.status} />
      <span dir="auto">{engagement.client}</span>
    </span>
  );
  const document = (kind: 'report' | 'handover'): JSX.Element => (
    <a class="button" href={href(['engagements', engagement.id, kind], { at })}>
      {text.page[kind]}
    </a>
  );
  return (
    <>
      <Head title={engagement.name} above={<a href={href(['engagements'])}>{text.page.all}</a>} note={note}>
        {document('report')}
        {document('handover')}
        {isNow && (
          <>
            <Button onClick={open('scan')}>{text.page.scan}</Button>
            <Button tone="primary" onClick={open('advance')}>
              {text.page.advance}
            </Button>
            <More engagement={engagement} remove={open('remove')} />
          </>
        )}
      </Head>
      <AdvanceDialog report={whole.report} {...opened('advance')} />
      <ScanDialog whole={whole} {...opened('scan')} />
      <RemoveDialog whole={whole} {...opened('remove')} />
    </>
  );
}

const STATUSES: readonly Engagement['status'][] = ['draft', 'active', 'paused', 'closed'];

function More({ engagement, remove }: { readonly engagement: Engagement; remove(): unknown }): JSX.Element {
  const { id, status } = engagement;
  const seed = async (): Promise<void> => toast(text.page.seeded(count((await api.engagements.seed(id)).added)));
  const report = reports(id);
  const setStatus = (next: Engagement['status']): Promise<unknown> =>
    attempt(() =>
      report.change(
        (old) => ({ ...old, report: { ...old.report, engagement: { ...old.report.engagement, status: next } } }),
        () => api.engagements.update(id, { status: next }),
      ),
    );
  return (
    <Menu label={text.page.more}>
      <Choice
        label={text.page.status}
        value={status}
        options={STATUSES.map((each) => [each, text.page.statuses[each]])}
        choose={setStatus}
      />
      <Action run={seed}>{text.page.seed}</Action>
      <Button tone="danger" onClick={remove}>
        {text.page.remove}
      </Button>
    </Menu>
  );
}

const SHOWN = { '': text.page.work, history: text.page.history };

function Content({ whole, at, query }: PartProps & { readonly query: URLSearchParams }): JSX.Element {
  const { report } = whole;
  const { current_phase, id } = report.engagement;
  const phase = PHASES.find((each) => each === query.get('phase')) ?? current_phase;
  const isHistory = query.get('show') === 'history';
  const shown = { id, at, phase, whole };
  return (
    <>
      <Phases whole={whole} shown={phase} />
      <Segments label={text.page.views} of={SHOWN} shown={isHistory ? 'history' : ''} />
      {isHistory ? (
        <History {...shown} />
      ) : (
        <div class="engagement-columns">
          <div class="stack">
            <Deliverables {...shown} />
            <Gates {...shown} />
          </div>
          <aside class="stack">
            <Blockers {...shown} />
            <About of={report.engagement} />
          </aside>
        </div>
      )}
    </>
  );
}

function Phases({ whole, shown }: { readonly whole: Whole; readonly shown: Phase }): JSX.Element {
  const { phases, engagement } = whole.report;
  return (
    <ol class="engagement-phases">
      {phases.map(({ phase, title, completion, can_exit, blockers }) => (
        <li key={phase}>
          <button
            type="button"
            class="card"
            aria-pressed={phase === shown}
            onClick={() => setQuery({ phase: phase === engagement.current_phase ? null : phase })}
          >
            <span class="engagement-phase" title={title}>
              <strong>{text.phases[phase]}</strong>
              {phase === engagement.current_phase && (
                <Badge tone="busy" icon="play">
                  {text.page.current}
                </Badge>
              )}
            </span>
            <progress class="progress" max={1} value={completion ?? 0} aria-label={text.readiness.label(title)} />
            <span class="row-ends quiet">
              <span>{completion === null ? text.readiness.empty : text.readiness.done(percent(completion))}</span>
              <span>{can_exit ? text.readiness.ready : text.readiness.blockers(blockers.length)}</span>
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function About({ of }: { readonly of: Engagement }): JSX.Element {
  const { page } = text;
  const facts: readonly Fact[] = [
    [page.client, of.client || all.none],
    [page.workspace, of.workspace_path ?? page.noFolder],
    [page.opened, <When key="opened" at={of.created_at} />],
    [page.changed, <When key="changed" at={of.updated_at} />],
  ];
  return (
    <section class="card" aria-labelledby="engagement-about">
      <h2 id="engagement-about">{page.about}</h2>
      {of.summary !== '' && <p dir="auto">{of.summary}</p>}
      <Facts of={facts} />
    </section>
  );
}
