/** The dialog that starts a run. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, repeatable } from '../../api.ts';
import { APPROVALS, approvalOf, approvalPolicy } from '../../approval.ts';
import { keyNames } from '../../keys.ts';
import { inTab } from '../../lib/storage.ts';
import { useResource } from '../../resource.ts';
import { go } from '../../router.ts';
import type { OverlayProps } from '../../shell/overlay.ts';
import { text as all } from '../../text.ts';
import { ChoiceField } from '../../ui/choice.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useUnsent } from '../../unsent.ts';

const text = all.runs.newRun;
const startRun = repeatable(api.runs.start);

const DRAFT_KEY = 'daybook.task';

/** Outlives the dialog, and a reload of the tab. */
let draft = inTab.get(DRAFT_KEY) ?? '';

function keep(task: string): void {
  draft = task;
  inTab.set(DRAFT_KEY, task);
}

export function Overlay({ onClose, typed }: OverlayProps): JSX.Element {
  // Kept: an answer that comes while the user writes renders the element again, and must leave its text content as it is.
  const [initial] = useState(() => {
    keep(draft + typed);
    return draft;
  });
  useUnsent(() => draft !== '');
  const known = useResource(approvalPolicy).value.value;
  const byDefault = text.approvalDefault(known === undefined ? null : all.approvals[known.effective]);
  const start = async (fields: FormData): Promise<() => void> => {
    const task = String(fields.get('task'));
    const approval = approvalOf(String(fields.get('approval')));
    const workspace_root = written(fields, 'workspace_root');
    const { session_id } = await startRun({
      task,
      ...(workspace_root !== '' && { workspace_root }),
      ...(approval !== null && { approval }),
      interactive: fields.get('interactive') !== null,
    });
    // Unless it is that of the next run, written while the daemon took its time.
    if (draft === task) keep('');
    toast(text.started);
    return () => go(['runs', session_id]);
  };
  return (
    <FormDialog title={text.title} isOpen onClose={onClose} submit={text.start} keepsWords send={start}>
      <TaskField initial={initial} />
      <Field label={text.workspace} name="workspace_root" help={text.workspaceHelp} />
      <ChoiceField
        label={text.approval}
        name="approval"
        options={[['', byDefault], ...APPROVALS.map((name) => [name, all.approvals[name]] as const)]}
      />
      <label class="check">
        <input type="checkbox" name="interactive" defaultChecked />
        <span>
          {text.interactive} <span class="quiet">{text.interactiveHelp}</span>
        </span>
      </label>
    </FormDialog>
  );
}

function TaskField({ initial }: { readonly initial: string }): JSX.Element {
  return (
    <div class="field">
      <label class="field">
        <span>{text.task}</span>
        <textarea
          name="task"
          rows={5}
          required
          dir="auto"
          placeholder={text.taskHint}
          defaultValue={initial}
          onInput={(event) => keep(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <small class="quiet">{text.keys(keyNames('Mod+Enter').flat().join('+'))}</small>
    </div>
  );
}
