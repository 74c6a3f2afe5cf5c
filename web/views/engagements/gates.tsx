/** The gates of a phase: how each is measured, its verdict, and its earlier verdicts. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api, type Gate, type Judgement, repeatable } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { type DialogState, useDialogs } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { elementOf, type Shown } from './blockers.tsx';
import { gates } from './data.ts';
import { JudgeDialog } from './judge.tsx';
import { Part } from './part.tsx';
import { JudgementText, type Verdict, VerdictBadge } from './verdict.tsx';

const text = all.engagements.gates;

export function Gates(shown: Shown): JSX.Element {
  const { whole, phase, at } = shown;
  const list = whole.gates.filter((each) => each.phase === phase);
  return (
    <Part
      words={text}
      isPast={at !== null}
      isEmpty={list.length === 0}
      dialog={(opened) => <AddDialog shown={shown} {...opened} />}
    >
      <ul class="engagement-gates">
        {list.map((gate) => (
          <GateCard key={gate.id} gate={gate} isPast={at !== null} />
        ))}
      </ul>
    </Part>
  );
}

function GateCard({ gate, isPast }: { readonly gate: Gate; readonly isPast: boolean }): JSX.Element {
  const { open, opened } = useDialogs<'judge' | 'remove'>();
  /** The verdict that is being sent. */
  const sending = useSignal<Verdict | null>(null);
  const { id, title, criterion, measurement, judgements, verdict } = gate;
  const newest = judgements.at(-1);
  return (
    <li class="card" id={elementOf(id)} tabIndex={-1}>
      <div class="row-ends">
        <strong dir="auto">{title}</strong>
        <span class="row">
          <VerdictBadge of={verdict} />
          {sending.value !== null && (
            <span class="pending-mark">{all.engagements.judging.sending(text.verdicts[sending.value])}</span>
          )}
        </span>
      </div>
      <Facts
        of={[
          [text.criterion, criterion],
          [text.measurement, measurement],
        ]}
      />
      {newest !== undefined && <JudgementText of={newest} />}
      {(!isPast || judgements.length > 1) && (
        <div class="row-ends">
          <Earlier of={judgements.slice(0, -1)} />
          {!isPast && (
            <span class="row">
              <Button onClick={open('judge')}>{text.judge}</Button>
              <Button tone="plain" icon="close" aria-label={`${text.remove} ${title}`} onClick={open('remove')} />
            </span>
          )}
        </div>
      )}
      <JudgeDialog gate={gate} sending={sending} {...opened('judge')} />
      <RemoveDialog gate={gate} {...opened('remove')} />
    </li>
  );
}

function Earlier({ of }: { readonly of: readonly Judgement[] }): JSX.Element {
  if (of.length === 0) return <span />;
  return (
    <details class="engagement-earlier">
      <summary class="quiet">{text.earlier(of.length)}</summary>
      <ol class="stack">
        {of.toReversed().map((judgement) => (
          <li key={judgement.at}>
            <JudgementText of={judgement} />
          </li>
        ))}
      </ol>
    </details>
  );
}

const addGate = repeatable(api.engagements.addGate);

function AddDialog({ shown: { id, phase }, ...opened }: DialogState & { readonly shown: Shown }): JSX.Element {
  const add = async (fields: FormData): Promise<void> => {
    await addGate(id, {
      phase,
      title: written(fields, 'title'),
      criterion: written(fields, 'criterion'),
      measurement: written(fields, 'measurement'),
    });
    await gates(id).refresh();
  };
  return (
    <FormDialog title={text.addTitle} submit={text.add} send={add} {...opened}>
      <Field label={text.name} name="title" required />
      <Field label={text.criterion} name="criterion" rows={2} />
      <Field label={text.measurement} name="measurement" rows={2} help={text.measurementHelp} required />
    </FormDialog>
  );
}

function RemoveDialog({ gate, ...opened }: DialogState & { readonly gate: Gate }): JSX.Element {
  const { id, engagement_id, title, judgements } = gate;
  const remove = async (fields: FormData): Promise<void> => {
    await api.engagements.deleteGate(engagement_id, id, { query: { reason: written(fields, 'reason') } });
    await gates(engagement_id).refresh();
  };
  return (
    <FormDialog
      title={text.removeTitle}
      submit={all.engagements.evidence.remove}
      tone="danger"
      send={remove}
      {...opened}
    >
      <p>{text.lost(title, judgements.length)}</p>
      <Field label={all.engagements.evidence.reason} name="reason" required />
    </FormDialog>
  );
}
