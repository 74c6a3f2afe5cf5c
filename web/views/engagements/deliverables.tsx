/** The deliverables of a phase: status, owner and notes are edited in place. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type Deliverable, type EngagementsUpdateDeliverableBody, repeatable } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Options } from '../../ui/choice.tsx';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { InPlace } from '../../ui/in-place.tsx';
import { Badge, type Tone } from '../../ui/status.tsx';
import { attempt } from '../../ui/toasts.tsx';
import { elementOf, type Shown } from './blockers.tsx';
import { DELIVERABLE_STATUSES, deliverables } from './data.ts';
import { Evidence } from './evidence.tsx';
import { Part } from './part.tsx';

const text = all.engagements.deliverables;

export const TONES: Readonly<Record<Deliverable['status'], Tone>> = {
  not_started: 'quiet',
  in_progress: 'busy',
  ready: 'warn',
  accepted: 'good',
  waived: 'quiet',
};

export function Deliverables(shown: Shown): JSX.Element {
  const { whole, phase, at } = shown;
  const list = whole.deliverables.filter((each) => each.phase === phase);
  return (
    <Part
      words={text}
      isPast={at !== null}
      isEmpty={list.length === 0}
      dialog={(opened) => <AddDialog shown={shown} {...opened} />}
    >
      <ul class="rows">
        {list.map((deliverable) => (
          <Row key={deliverable.id} deliverable={deliverable} shown={shown} />
        ))}
      </ul>
    </Part>
  );
}

interface RowProps {
  readonly deliverable: Deliverable;
  readonly shown: Shown;
}

/** Shows a change immediately, sends it, and then shows the answer of the daemon. */
function save(deliverable: Deliverable, change: EngagementsUpdateDeliverableBody): Promise<void> {
  const { id, engagement_id } = deliverable;
  return deliverables(engagement_id).change(
    (list) => list.map((each) => (each.id === id ? { ...each, ...change, notes: change.notes ?? each.notes } : each)),
    () => api.engagements.updateDeliverable(engagement_id, id, change),
  );
}

function Row({ deliverable, shown }: RowProps): JSX.Element {
  const isOpen = useSignal(false);
  const isSending = useSignal(false);
  const { id, key, title, owner, evidence_count } = deliverable;
  const setStatus = async (next: Deliverable['status']): Promise<void> => {
    isSending.value = true;
    await attempt(() => save(deliverable, { status: next }));
    isSending.value = false;
  };
  const toggle = (): void => {
    isOpen.value = !isOpen.value;
  };
  return (
    <li>
      <div class="engagement-row">
        <button
          type="button"
          id={elementOf(key)}
          class="engagement-toggle"
          aria-expanded={isOpen.value}
          onClick={toggle}
        >
          <Icon name={isOpen.value ? 'down' : 'chevron'} />
          <span>
            <span class="engagement-name" dir="auto">
              {title}
            </span>
            <span class="quiet">
              {owner ?? text.nobody} · {text.evidence(evidence_count)}
            </span>
          </span>
        </button>
        {isSending.value && <span class="pending-mark">{all.unconfirmed}</span>}
        <StatusOf deliverable={deliverable} isPast={shown.at !== null} set={setStatus} />
      </div>
      {isOpen.value && <Details key={id} deliverable={deliverable} shown={shown} />}
    </li>
  );
}

interface StatusOfProps {
  readonly deliverable: Deliverable;
  readonly isPast: boolean;
  set(status: Deliverable['status']): Promise<void>;
}

function StatusOf({ deliverable: { title, status }, isPast, set }: StatusOfProps): JSX.Element {
  if (isPast) return <Badge tone={TONES[status]}>{text.statuses[status]}</Badge>;
  return (
    <select
      class={`engagement-status ${TONES[status]}`}
      aria-label={text.status(title)}
      value={status}
      onChange={({ currentTarget: { value } }) => {
        const next = DELIVERABLE_STATUSES.find((each) => each === value);
        if (next !== undefined) void set(next);
      }}
    >
      <Options of={DELIVERABLE_STATUSES.map((each) => [each, text.statuses[each]])} />
    </select>
  );
}

function Details({ deliverable, shown }: RowProps): JSX.Element {
  const { description, tool_hint, owner, notes, key } = deliverable;
  return (
    <div class="engagement-details">
      {description !== '' && (
        <p class="quiet" dir="auto">
          {description}
        </p>
      )}
      {shown.at === null ? (
        <>
          <InPlace
            name={`owner of ${deliverable.id}`}
            label={text.owner}
            value={owner ?? ''}
            placeholder={text.nobody}
            save={(value) => save(deliverable, { owner: value === '' ? null : value })}
          />
          <InPlace
            name={`notes of ${deliverable.id}`}
            label={text.notes}
            value={notes}
            rows={3}
            save={(value) => save(deliverable, { notes: value })}
          />
        </>
      ) : (
        notes !== '' && (
          <p dir="auto" class="engagement-notes">
            {notes}
          </p>
        )
      )}
      <p class="quiet">
        <code>{key}</code>
        {tool_hint !== null && ` · ${text.hint}: ${tool_hint}`}
      </p>
      <Evidence deliverable={deliverable} shown={shown} />
    </div>
  );
}

const addDeliverable = repeatable(api.engagements.addDeliverable);

function AddDialog({ shown: { id, phase }, ...opened }: DialogState & { readonly shown: Shown }): JSX.Element {
  const add = async (fields: FormData): Promise<void> => {
    await addDeliverable(id, {
      phase,
      key: written(fields, 'key'),
      title: written(fields, 'title'),
      description: written(fields, 'description'),
    });
    await deliverables(id).refresh();
  };
  return (
    <FormDialog title={text.addTitle} submit={text.add} send={add} {...opened}>
      <Field label={text.name} name="title" required />
      <Field label={text.key} name="key" help={text.keyHelp} required />
      <Field label={text.description} name="description" rows={3} />
    </FormDialog>
  );
}
