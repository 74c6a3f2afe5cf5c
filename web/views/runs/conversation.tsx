/** The conversation of a run with its tool calls. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { approvals } from '../../approval.ts';
import { count } from '../../format.ts';
import { useResource } from '../../resource.ts';
import { ApprovalCard, ConflictCard, conflicts } from '../../runs/approval-card.tsx';
import { changesOf, type FileChange } from '../../runs/diff.ts';
import type { AnswerItem, ApprovalItem, EndItem, Item, NoteItem, PlanStep, Run } from '../../runs/fold.ts';
import { subjectOf } from '../../runs/words.ts';
import { text as all } from '../../text.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Status, StepStatus } from '../../ui/status.tsx';
import { When } from '../../ui/time.tsx';
import { ToolCall } from './tool-call.tsx';

const text = all.runs.items;

export function Conversation({ run, version }: { readonly run: Run; readonly version: number }): JSX.Element {
  const changes = useMemo(() => changesOf(run.items), [run, version]);
  return (
    <div class="conversation">
      {run.plan.length > 0 && <Plan steps={run.plan} />}
      <div class="stack" role="log" aria-live="off" aria-label={text.live}>
        {run.items.map((item) => (
          <Entry key={`${item.kind}-${item.position}`} item={item} change={changes.get(item.position)} />
        ))}
      </div>
    </div>
  );
}

function Plan({ steps }: { readonly steps: readonly PlanStep[] }): JSX.Element {
  return (
    <section class="run-plan">
      <h2>{all.runs.run.plan}</h2>
      <ol>
        {steps.map(({ description, status }, index) => (
          <li key={index}>
            <StepStatus of={status} /> <span dir="auto">{description}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly item: Item;
  readonly change: FileChange | undefined;
  /** Whether a tool call is shown with its input and output at once. */
  readonly isOpened?: boolean;
}

export function Entry({ item, change, isOpened = false }: EntryProps): JSX.Element | null {
  switch (item.kind) {
    case 'answer':
      return item.text === '' && item.reasoning === '' && !item.isOpen ? null : <Answer item={item} />;
    case 'tool':
      return <ToolCall item={item} change={change} isOpened={isOpened} />;
    case 'approval':
      return <Asked item={item} />;
    case 'user':
      return <Task item={item} />;
    case 'end':
      return <End item={item} />;
    case 'note':
      return (
        <p id={`at-${item.position}`} class="entry-note quiet" dir="auto" tabIndex={-1}>
          {item.text}
        </p>
      );
  }
}

function Task({ item }: { readonly item: NoteItem }): JSX.Element {
  return (
    <article id={`at-${item.position}`} class="entry entry-user" tabIndex={-1}>
      <h3>
        {text.user} <When at={item.at} />
      </h3>
      <Markdown of={item.text} />
    </article>
  );
}

function Answer({ item }: { readonly item: AnswerItem }): JSX.Element {
  const hasTokens = item.inputTokens !== null || item.outputTokens !== null;
  return (
    <article id={`at-${item.position}`} class="entry" tabIndex={-1}>
      <h3>
        {text.answer} <span>{item.model}</span>
        {hasTokens && (
          <span class="number">{all.runs.run.tokens(count(item.inputTokens ?? 0), count(item.outputTokens ?? 0))}</span>
        )}
      </h3>
      {item.reasoning !== '' && (
        <details class="entry-reasoning">
          <summary class="quiet">{text.reasoning}</summary>
          <Markdown of={item.reasoning} />
        </details>
      )}
      {item.text === '' ? item.isOpen && <p class="quiet">{text.thinking}</p> : <Markdown of={item.text} />}
    </article>
  );
}

function Asked({ item }: { readonly item: ApprovalItem }): JSX.Element {
  const conflict = conflicts.value.find(({ approval }) => approval.id === item.id);
  return (
    <article id={`at-${item.position}`} class="entry entry-approval" tabIndex={-1}>
      <h3 class="row">
        {text.approval(item.tool)} <Status of={item.state} />
      </h3>
      {item.state === 'pending' ? <Pending item={item} /> : <AskedFor item={item} />}
      {conflict !== undefined && <ConflictCard conflict={conflict} />}
      {item.reason !== '' && <p dir="auto">{item.reason}</p>}
    </article>
  );
}

/** Without its buttons when the run is shown as it was before the answer. */
function Pending({ item }: { readonly item: ApprovalItem }): JSX.Element {
  const approval = useResource(approvals).value.value?.find(({ id }) => id === item.id);
  return approval === undefined ? <AskedFor item={item} /> : <ApprovalCard approval={approval} />;
}

function AskedFor({ item }: { readonly item: ApprovalItem }): JSX.Element {
  return (
    <p class="mono" dir="auto">
      {subjectOf(item.input)}
    </p>
  );
}

function End({ item }: { readonly item: EndItem }): JSX.Element {
  const { status, isSaid } = item;
  return (
    <article id={`at-${item.position}`} class={`entry entry-end ${status}`} tabIndex={-1}>
      <h3 class="row">
        <Status of={status} /> {text.ends[status] ?? status} <When at={item.at} />
      </h3>
      {item.text !== '' && (isSaid ? <p class="quiet">{text.sameAsAnswer}</p> : <Markdown of={item.text} />)}
    </article>
  );
}
