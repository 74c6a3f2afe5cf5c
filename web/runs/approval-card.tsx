/** A request for approval: what would be done; allow once, allow for this run, or deny with a reason. */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type Approval, api, isStatus } from '../api.ts';
import { approvals } from '../approval.ts';
import { ago, now } from '../format.ts';
import { objectOf } from '../lib/json.ts';
import { text as all } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Status } from '../ui/status.tsx';
import { toast, toastFailure } from '../ui/toasts.tsx';
import { useUnsent } from '../unsent.ts';
import { changeOf } from './diff.ts';
import { Diff } from './diff-view.tsx';
import { subjectOf } from './words.ts';

const text = all.now.approvals;

/** A longer input is not shown as a change at once. */
const CHANGE_CHARACTERS_MAX = 8_000;

type Decision = 'allow_once' | 'allow_run' | 'deny';

/** The request was answered by somebody else or timed out. It is shown until the user has seen it. */
interface Conflict {
  readonly approval: Approval;
  readonly mine: Decision;
  /** The daemon's message about the recorded answer. */
  readonly said: string;
}

export const conflicts = signal<readonly Conflict[]>([]);

async function send(
  approval: Approval,
  decision: Decision,
  reason: string,
  mine: Signal<Decision | null>,
): Promise<void> {
  mine.value = decision;
  try {
    await api.approvals.answer(approval.id, { decision, ...(reason !== '' && { reason }) });
    toast(decision === 'deny' ? text.denied : text.allowed);
    await approvals.refresh();
  } catch (error) {
    mine.value = null;
    if (!isStatus(error, 409)) return toastFailure(error);
    conflicts.value = [...conflicts.value, { approval, mine: decision, said: (error as Error).message }];
  }
}

interface ApprovalCardProps {
  readonly approval: Approval;
  readonly children?: ComponentChildren;
}

export function ApprovalCard({ approval, children }: ApprovalCardProps): JSX.Element {
  const mine = useSignal<Decision | null>(null);
  const reason = useSignal<string | null>(null);
  useUnsent(() => Boolean(reason.peek()));
  const answer = mine.value;
  const left = approval.expires_at - now.value;
  return (
    <div class={`card approval ${answer === null ? '' : 'pending'}`}>
      <div class="row-ends">
        <p>
          <code class="approval-tool">{approval.tool_name}</code> <span class="quiet">{text.wants}</span>
        </p>
        {/* It changes every minute, and every second at last. */}
        <span class="quiet" aria-live="off">
          {left > 0 ? text.expires(ago(approval.expires_at)) : text.expired}
        </span>
      </div>
      <Input of={approval} />
      {answer === null ? (
        <Choices approval={approval} mine={mine} reason={reason} />
      ) : (
        <p class="pending-mark" role="status">
          {text.sending[answer]} {all.unconfirmed}
        </p>
      )}
      {children}
    </div>
  );
}

/** What would be done: the change of a file, unless it is long or made in several places; else the subject of the call. */
function Input({ of: { tool_name, input } }: { readonly of: Approval }): JSX.Element {
  const whole = useMemo(() => JSON.stringify(input, null, 2), [input]);
  const change = useMemo(() => changeOf(tool_name, input), [tool_name, input]);
  const isShown = change !== undefined && whole.length <= CHANGE_CHARACTERS_MAX && objectOf(input).replace_all !== true;
  return (
    <>
      {isShown ? (
        <Diff of={change} />
      ) : (
        <p class="approval-subject mono" dir="auto">
          {subjectOf(input)}
        </p>
      )}
      <details>
        <summary class="quiet">{text.input}</summary>
        <pre class="well">{whole}</pre>
      </details>
    </>
  );
}

export function ConflictCard({ conflict }: { readonly conflict: Conflict }): JSX.Element {
  const { approval, mine, said } = conflict;
  const dismiss = (): void => {
    conflicts.value = conflicts.value.filter((each) => each !== conflict);
  };
  return (
    <div class="card approval">
      <p>
        <code class="approval-tool">{approval.tool_name}</code> <span dir="auto">{subjectOf(approval.input)}</span>
      </p>
      <div class="failure" role="alert">
        <p>
          <strong>{text.conflict}.</strong> {text.yours(text.decisions[mine])} {text.theirs(said)}
        </p>
        <Button onClick={dismiss}>{text.dismiss}</Button>
      </div>
    </div>
  );
}

interface ChoicesProps {
  readonly approval: Approval;
  readonly mine: Signal<Decision | null>;
  /** Of a denial that is being written; null before. It outlives an answer that could not be sent. */
  readonly reason: Signal<string | null>;
}

function Choices({ approval, mine, reason }: ChoicesProps): JSX.Element {
  if (reason.value !== null) return <Denial approval={approval} mine={mine} reason={reason} written={reason.value} />;
  return (
    <div class="row">
      <Button tone="primary" onClick={() => void send(approval, 'allow_once', '', mine)}>
        {text.once}
      </Button>
      <Button onClick={() => void send(approval, 'allow_run', '', mine)}>{text.run}</Button>
      <Button tone="danger" onClick={() => (reason.value = '')}>
        {text.deny}
      </Button>
      <span class="visually-hidden">
        <Status of={approval.status} />
      </span>
    </div>
  );
}

function Denial({ approval, mine, reason, written }: ChoicesProps & { readonly written: string }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const deny = (event: SubmitEvent): void => {
    event.preventDefault();
    void send(approval, 'deny', written.trim(), mine);
  };
  return (
    <form class="approval-deny" onSubmit={deny}>
      <label class="field">
        <span>{text.reason}</span>
        <input
          ref={field}
          dir="auto"
          maxLength={2_000}
          placeholder={text.reasonHint}
          value={written}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
      </label>
      <span class="row">
        <Button tone="danger" type="submit">
          {text.denyNow}
        </Button>
        <Button onClick={() => (reason.value = null)}>{all.cancel}</Button>
      </span>
    </form>
  );
}
