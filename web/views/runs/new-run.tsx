/** The dialog that starts a run. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { api, freshKey, isStatus } from '../../api.ts';
import { APPROVALS, approvalOf, approvalPolicy } from '../../approval.ts';
import { useResource } from '../../resource.ts';
import { go } from '../../router.ts';
import type { OverlayProps } from '../../shell/overlay.ts';
import { text as all } from '../../text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';

const text = all.runs.newRun;

/** Outlives the dialog: the input is kept, and a start whose answer was lost does not start a second run. */
let draft = '';
let key = freshKey();

export function Overlay({ onClose, typed }: OverlayProps): JSX.Element {
  useState(() => {
    draft += typed;
  });
  const form = useRef<HTMLFormElement>(null);
  const isBusy = useSignal(false);
  const known = useResource(approvalPolicy).value.value;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    const fields = new FormData(form.current!);
    await attempt(async () => {
      const session = await start(fields);
      onClose();
      toast(text.started);
      go(['runs', session]);
    });
    isBusy.value = false;
  };
  return (
    <Dialog title={text.title} isOpen onClose={onClose}>
      <form ref={form} class="stack" onSubmit={(event) => void submit(event)}>
        <TaskField onDone={() => form.current?.requestSubmit()} />
        <label class="field">
          <span>{text.approval}</span>
          <select name="approval">
            <option value="">
              {text.approvalDefault(known === undefined ? null : all.approvals[known.effective])}
            </option>
            {APPROVALS.map((name) => (
              <option key={name} value={name}>
                {all.approvals[name]}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" name="interactive" defaultChecked />
          <span>
            {text.interactive} <span class="quiet">{text.interactiveHelp}</span>
          </span>
        </label>
        <div class="row-ends">
          <span class="quiet">{text.keys}</span>
          <span class="row">
            <button type="button" class="button" onClick={onClose}>
              {all.cancel}
            </button>
            <button type="submit" class="button primary" aria-busy={isBusy.value}>
              {text.start}
            </button>
          </span>
        </div>
      </form>
    </Dialog>
  );
}

function TaskField({ onDone }: { onDone(): void }): JSX.Element {
  return (
    <label class="field">
      <span>{text.task}</span>
      <textarea
        name="task"
        rows={5}
        required
        dir="auto"
        placeholder={text.taskHint}
        defaultValue={draft}
        onInput={(event) => {
          draft = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onDone();
        }}
      />
    </label>
  );
}

/** Returns the id of the new run. The key changes once the daemon has answered. */
async function start(fields: FormData): Promise<string> {
  const approval = approvalOf(String(fields.get('approval')));
  const body = {
    task: String(fields.get('task')),
    ...(approval !== null && { approval }),
    interactive: fields.get('interactive') !== null,
  };
  try {
    const { session_id } = await api.runs.start(body, { idempotencyKey: key });
    key = freshKey();
    draft = '';
    return session_id;
  } catch (error) {
    if (!isStatus(error, 0)) key = freshKey();
    throw error;
  }
}
