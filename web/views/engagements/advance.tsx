/**
 * The dialog that completes the current phase: its blockers, and the option to ignore them, in red and with a reason.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { api } from '../../api.ts';
import { text as all } from '../../text.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { BlockerList } from './blockers.tsx';
import { PHASES, type Report, reports } from './data.ts';

const text = all.engagements.advancing;
const { phases: names } = all.engagements;

export function AdvanceDialog({ report, ...opened }: DialogState & { readonly report: Report }): JSX.Element {
  const { id, current_phase: from } = report.engagement;
  const to = PHASES[PHASES.indexOf(from) + 1];
  const blockers = report.phases.find(({ phase }) => phase === from)?.blockers ?? [];
  const isForced = useSignal(false);
  useLayoutEffect(() => {
    isForced.value = false;
  }, [opened.isOpen]);
  const isHeld = blockers.length > 0;
  const advance = async (fields: FormData): Promise<boolean> => {
    const force = isHeld && isForced.value;
    const { outcome } = await api.engagements.advance(id, { force, reason: written(fields, 'reason') });
    await reports(id).refresh();
    if (!outcome.advanced) {
      toast(text.refused, 'bad');
      return false;
    }
    toast(text.done(names[outcome.to ?? outcome.from]));
    return true;
  };
  const words = to === undefined ? '' : isHeld ? text.forced(names[to]) : text.submit(names[to]);
  return (
    <FormDialog
      title={text.title(names[from])}
      submit={words === '' ? text.title(names[from]) : words}
      tone={isHeld ? 'danger' : 'primary'}
      disabled={to === undefined || (isHeld && !isForced.value)}
      send={advance}
      {...opened}
    >
      <p>
        {to === undefined ? text.last : isHeld ? text.held(blockers.length) : `${text.clear} ${text.to(names[to])}`}
      </p>
      {isHeld && <BlockerList of={blockers} />}
      {isHeld && to !== undefined && (
        <label class="check bad">
          <input
            type="checkbox"
            checked={isForced.value}
            onChange={(event) => {
              isForced.value = event.currentTarget.checked;
            }}
          />
          <span>
            {text.force} <span class="quiet">{text.forceHelp}</span>
          </span>
        </label>
      )}
      {to !== undefined && (!isHeld || isForced.value) && (
        <Field label={isHeld ? text.reasonNeeded : text.reason} name="reason" rows={2} required={isHeld} />
      )}
    </FormDialog>
  );
}
