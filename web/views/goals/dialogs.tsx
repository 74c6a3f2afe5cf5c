/** The dialogs that start a run for a goal, plan it, link something to it, and delete it. */
import type { JSX } from 'preact';
import { api, type Goal, type GoalLink, repeatable } from '../../api.ts';
import { count } from '../../format.ts';
import { useResource } from '../../resource.ts';
import { go } from '../../router.ts';
import { text as all } from '../../text.ts';
import { ChoiceField } from '../../ui/choice.tsx';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { details, goals, type Node } from './data.ts';

const text = all.goals;

interface DialogProps extends DialogState {
  readonly goal: Goal;
}

function ModelFields(): JSX.Element {
  return (
    <div class="goals-two">
      <Field label={text.start.provider} name="provider" placeholder={text.start.byDefault} />
      <Field label={text.start.model} name="model" placeholder={text.start.byDefault} />
    </div>
  );
}

function modelOf(fields: FormData): { readonly provider: string | null; readonly model: string | null } {
  return { provider: written(fields, 'provider') || null, model: written(fields, 'model') || null };
}

const startRun = repeatable(api.goals.start);

export function StartDialog({ goal, ...opened }: DialogProps): JSX.Element {
  const start = async (fields: FormData): Promise<() => void> => {
    const { session_id } = await startRun(goal.id, {
      ...modelOf(fields),
      task: written(fields, 'task') || null,
    });
    toast(text.start.started);
    return () => go(['runs', session_id]);
  };
  return (
    <FormDialog title={text.start.title} submit={text.start.submit} send={start} {...opened}>
      <Field label={text.start.task} name="task" rows={4} help={text.start.taskHelp} />
      <ModelFields />
    </FormDialog>
  );
}

export function PlanDialog({ goal, ...opened }: DialogProps): JSX.Element {
  const plan = async (fields: FormData): Promise<void> => {
    await api.goals.plan(goal.id, modelOf(fields));
    await goals.refresh();
    toast(text.plan.done);
  };
  return (
    <FormDialog title={text.plan.dialog} submit={text.plan.submit} send={plan} {...opened}>
      {goal.current_plan !== null && <p>{text.plan.replaces}</p>}
      <ModelFields />
    </FormDialog>
  );
}

const KINDS: readonly GoalLink['kind'][] = ['session', 'job', 'recap', 'note'];

const linkGoal = repeatable(api.goals.link);

export function LinkDialog({ goal, ...opened }: DialogProps): JSX.Element {
  const link = async (fields: FormData): Promise<void> => {
    const kind = KINDS.find((each) => each === written(fields, 'kind')) ?? 'session';
    await linkGoal(goal.id, {
      kind,
      target_id: written(fields, 'target_id'),
      note: written(fields, 'note') || null,
    });
    await details(goal.id).refresh();
    toast(text.link.done);
  };
  return (
    <FormDialog title={text.link.title} submit={text.link.submit} send={link} {...opened}>
      <ChoiceField label={text.link.kind} name="kind" options={KINDS.map((kind) => [kind, text.link.kinds[kind]])} />
      <Field label={text.link.target} name="target_id" required />
      <Field label={text.link.note} name="note" />
    </FormDialog>
  );
}

export function RemoveDialog({
  node: { goal, children },
  ...opened
}: DialogState & { readonly node: Node }): JSX.Element {
  const linked = useResource(details(goal.id)).value.value?.links.length ?? 0;
  const remove = async (): Promise<() => void> => {
    await api.goals.delete(goal.id);
    toast(text.remove.done);
    void goals.refresh();
    return () => go(['goals']);
  };
  return (
    <FormDialog title={text.remove.title} submit={text.remove.submit} tone="danger" send={remove} {...opened}>
      <p>{text.remove.lost(count(linked))}</p>
      {children.length > 0 && <p>{text.remove.below(children.length)}</p>}
    </FormDialog>
  );
}
