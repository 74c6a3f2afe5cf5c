/** Next to the runs: goals, engagements, the newest briefing, and the store. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type BriefingEntry, type Engagement, type Goal, type StorageStats } from '../../api.ts';
import { bytes, count, percent } from '../../format.ts';
import { position } from '../../live.ts';
import { useEvery, useResource } from '../../resource.ts';
import { href } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Button } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { briefings, engagements, goals, type PhaseReadiness, reportOf, storage } from './data.ts';

const text = all.now;
const STORAGE_EVERY_MS = 15_000;

export function Goals(): JSX.Element {
  return (
    <section class="card" aria-labelledby="now-goals">
      <ListHead id="now-goals" view="goals" words={text.goals} />
      <Loaded of={goals} lines={2}>
        {({ goals: active }) =>
          active.length === 0 ? (
            <p class="quiet">
              {text.goals.none} {text.goals.noneHelp}
            </p>
          ) : (
            <ul class="now-list">
              {active.map((goal) => (
                <GoalLine key={goal.id} goal={goal} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

interface ListHeadProps {
  readonly id: string;
  readonly view: string;
  readonly words: { readonly title: string; readonly all: string };
}

/** The cards list the items that changed last; the link leads to all of them. */
function ListHead({ id, view, words }: ListHeadProps): JSX.Element {
  return (
    <div class="section-head">
      <h2 id={id}>{words.title}</h2>
      <a class="quiet" href={href([view])}>
        {words.all}
      </a>
    </div>
  );
}

function GoalLine({ goal }: { readonly goal: Goal }): JSX.Element {
  const steps = goal.current_plan?.steps ?? [];
  const done = steps.filter(({ status }) => status === 'done').length;
  return (
    <li>
      <a dir="auto" href={href(['goals', goal.id])}>
        {goal.title}
      </a>
      <span class="quiet">
        {steps.length === 0 ? text.goals.noPlan : text.goals.plan(count(done), count(steps.length))}
      </span>
    </li>
  );
}

export function Engagements(): JSX.Element {
  return (
    <section class="card" aria-labelledby="now-engagements">
      <ListHead id="now-engagements" view="engagements" words={text.engagements} />
      <Loaded of={engagements} lines={2}>
        {(open) =>
          open.length === 0 ? (
            <p class="quiet">{text.engagements.none}</p>
          ) : (
            <ul class="now-list">
              {open.map((engagement) => (
                <EngagementLine key={engagement.id} engagement={engagement} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function EngagementLine({ engagement }: { readonly engagement: Engagement }): JSX.Element {
  const { id, name, current_phase } = engagement;
  const report = useResource(reportOf(id)).value.value;
  const phase = report?.phases.find(({ phase: each }) => each === current_phase);
  const { engagements: words } = text;
  return (
    <li class="now-engagement">
      <a dir="auto" href={href(['engagements', id])}>
        {name}
      </a>
      <span class="quiet">
        {words.phases[current_phase]}
        {phase && ` · ${words.accepted(count(phase.deliverables.accepted), count(counted(phase)))}`}
      </span>
      {phase && <Blockers details={phase.blockers.map(({ detail }) => detail)} />}
    </li>
  );
}

function counted({ deliverables: { total, waived } }: PhaseReadiness): number {
  return total - waived;
}

function Blockers({ details }: { readonly details: readonly string[] }): JSX.Element {
  const { engagements: words } = text;
  if (details.length === 0) {
    return (
      <Badge tone="good" icon="check">
        {words.ready}
      </Badge>
    );
  }
  return (
    <details>
      <summary>
        <Badge tone="warn" icon="warning">
          {words.blockers(details.length)}
        </Badge>
      </summary>
      <ul class="now-blockers quiet">
        {details.map((detail) => (
          <li key={detail} dir="auto">
            {detail}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function NewestBriefing(): JSX.Element {
  const make = async (): Promise<void> => {
    await api.briefing.generate();
    await briefings.refresh();
  };
  return (
    <section class="card" aria-labelledby="now-briefing">
      <div class="section-head">
        <h2 id="now-briefing">{text.briefing.title}</h2>
        <Action tone="plain" icon="plus" run={make} label={text.briefing.make}>
          {''}
        </Action>
      </div>
      <Loaded of={briefings} lines={2}>
        {({ history: [newest, ...earlier], running: isMaking }) => (
          <>
            {isMaking && (
              <p class="quiet" role="status">
                {text.briefing.making}
              </p>
            )}
            {newest === undefined && !isMaking && (
              <p class="quiet">
                {text.briefing.none} {text.briefing.noneHelp}
              </p>
            )}
            {newest !== undefined && newest.status !== 'running' && <BriefingText briefing={newest} />}
            {earlier.length > 0 && <Earlier briefings={earlier} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Earlier({ briefings: list }: { readonly briefings: readonly BriefingEntry[] }): JSX.Element {
  return (
    <details>
      <summary>{text.briefing.earlier}</summary>
      <ul class="now-earlier">
        {list.map((briefing) => (
          <li key={briefing.id}>
            <BriefingText briefing={briefing} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function BriefingText({ briefing }: { readonly briefing: BriefingEntry }): JSX.Element {
  const isOpen = useSignal(false);
  if (briefing.status === 'failed') return <p class="bad">{text.briefing.failed(briefing.error ?? '')}</p>;
  return (
    <>
      <p dir="auto">{briefing.headline}</p>
      <p class="row-ends">
        <Button aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? text.briefing.fold : text.briefing.read}
        </Button>
        <span class="quiet">
          <Ago at={briefing.finished_at ?? briefing.requested_at} />
        </span>
      </p>
      {isOpen.value && <Markdown of={briefing.markdown ?? ''} heading={3} />}
    </>
  );
}

export function StorageState(): JSX.Element {
  useEvery(STORAGE_EVERY_MS, storage);
  return (
    <section class="card" aria-labelledby="now-storage">
      <h2 id="now-storage">{text.storage.title}</h2>
      <Loaded of={storage} lines={2}>
        {(stats) => <StorageFacts stats={stats} />}
      </Loaded>
    </section>
  );
}

function StorageFacts({ stats }: { readonly stats: StorageStats }): JSX.Element {
  const { storage: words } = text;
  const { last_backup_at: backupAt, backup_failure: backupFailure } = stats;
  const asked = stats.cache_hits + stats.cache_misses;
  const facts: readonly Fact[] = [
    [words.events, count(Math.max(stats.events, position.value))],
    [words.disk, bytes(stats.disk_bytes)],
    [words.log, bytes(stats.wal_bytes)],
    [words.hits, asked === 0 ? all.none : percent(stats.cache_hits / asked)],
    [words.backup, backupAt == null ? '' : <Ago at={backupAt} />],
  ];
  return (
    <>
      <p>
        {stats.failure === null ? (
          <Badge tone="good" icon="check">
            {words.well}
          </Badge>
        ) : (
          <Badge tone="bad" icon="warning">
            {words.failed}
          </Badge>
        )}{' '}
        <span class="quiet">{stats.failure ?? stats.backend}</span>
      </p>
      {backupFailure != null && <p class="warn">{words.backupFailed(backupFailure)}</p>}
      <Facts of={facts} />
    </>
  );
}
