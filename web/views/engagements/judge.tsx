/**
 * The dialog that judges a gate. To pass it, the user says what was observed. If somebody else judges the gate while
 * the dialog is open, both verdicts are shown and the user chooses: no unseen verdict is overwritten.
 */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { api, type Gate } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { gates } from './data.ts';
import { Radios } from './radios.tsx';
import { JudgementText, type Verdict, VerdictBadge } from './verdict.tsx';

const text = all.engagements.judging;
const words = all.engagements.gates;
const VERDICTS: readonly Verdict[] = ['pass', 'fail', 'pending', 'waived', 'not_measured'];

interface JudgeDialogProps extends DialogState {
  readonly gate: Gate;
  readonly sending: Signal<Verdict | null>;
}

export function JudgeDialog({ gate, sending, isOpen, onClose }: JudgeDialogProps): JSX.Element {
  const verdict = useSignal<Verdict>('pass');
  /** The number of verdicts that the user has seen. */
  const seen = useSignal(gate.judgements.length);
  useLayoutEffect(() => {
    if (isOpen) seen.value = gate.judgements.length;
  }, [isOpen]);
  // The event of the own verdict may come before its answer.
  const isConflict = isOpen && sending.value === null && gate.judgements.length > seen.value;
  const judge = async (fields: FormData): Promise<boolean> => {
    sending.value = verdict.value;
    try {
      return await send({ gate, verdict: verdict.value, seen: seen.value, fields });
    } finally {
      sending.value = null;
    }
  };
  return (
    <FormDialog
      title={words.judgeTitle(gate.title)}
      isOpen={isOpen}
      onClose={onClose}
      submit={text.submit(words.verdicts[verdict.value])}
      tone={verdict.value === 'fail' ? 'danger' : 'primary'}
      disabled={isConflict}
      send={judge}
    >
      <p class="quiet" dir="auto">
        {words.measurement}: {gate.measurement}
      </p>
      <Radios label={text.verdict} words={words.verdicts} of={VERDICTS} chosen={verdict} />
      <Field
        label={text.observed}
        name="observed"
        rows={3}
        required={verdict.value === 'pass'}
        {...(verdict.value === 'pass' && { help: text.observedPass })}
      />
      <Field label={text.rationale} name="rationale" rows={2} />
      <Field label={text.by} name="decided_by" help={text.byHelp} />
      {isConflict && (
        <Conflict
          gate={gate}
          mine={verdict.value}
          keep={onClose}
          record={() => (seen.value = gate.judgements.length)}
        />
      )}
    </FormDialog>
  );
}

interface Judging {
  readonly gate: Gate;
  readonly verdict: Verdict;
  readonly seen: number;
  readonly fields: FormData;
}

/** False if somebody else was faster: the dialog stays open and shows both. */
async function send({ gate: { engagement_id, id }, verdict, seen, fields }: Judging): Promise<boolean> {
  const known = gates(engagement_id);
  await known.refresh();
  const fresh = known.value.value?.find((each) => each.id === id);
  if (fresh !== undefined && fresh.judgements.length > seen) return false;
  const { gate: judged } = await api.engagements.judgeGate(engagement_id, id, {
    verdict,
    observed: written(fields, 'observed'),
    rationale: written(fields, 'rationale'),
    decided_by: written(fields, 'decided_by') || null,
  });
  known.put((known.value.value ?? []).map((each) => (each.id === id ? judged : each)));
  // Another verdict may be given between this check and the request.
  if (judged.judgements.length > seen + 1) toast(text.both, 'bad');
  else toast(text.recorded);
  return true;
}

interface ConflictProps {
  readonly gate: Gate;
  readonly mine: Verdict;
  keep(): void;
  record(): unknown;
}

function Conflict({ gate, mine, keep, record }: ConflictProps): JSX.Element {
  const theirs = gate.judgements.at(-1)!;
  return (
    <div class="failure engagement-conflict" role="alert">
      <strong>{text.conflict}</strong>
      <div class="engagement-both">
        <div>
          <h3>{text.theirs}</h3>
          <VerdictBadge of={theirs.verdict} />
          <JudgementText of={theirs} />
        </div>
        <div>
          <h3>{text.mine}</h3>
          <VerdictBadge of={mine} />
        </div>
      </div>
      <div class="row">
        <Button onClick={keep}>{text.keep}</Button>
        <Button onClick={record}>{text.record}</Button>
      </div>
    </div>
  );
}
