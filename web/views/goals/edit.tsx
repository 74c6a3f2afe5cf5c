/** The dialogs that create and edit a goal. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { api, type Goal, repeatable } from '../../api.ts';
import { go, setQuery } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceField } from '../../ui/choice.tsx';
import type { DialogState } from '../../ui/dialog.tsx';
import { Field, FormDialog, written, writtenList } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { goals } from './data.ts';

const text = all.goals;
const { fields: words } = text;
const STATUSES: readonly Goal['status'][] = ['active', 'paused', 'done', 'abandoned'];

function bodyOf(fields: FormData) {
  return {
    title: written(fields, 'title'),
    statement: written(fields, 'statement'),
    success_criteria: writtenList(fields, 'success_criteria', '\n'),
    tags: writtenList(fields, 'tags', ','),
    workspace: written(fields, 'workspace') || null,
    parent_goal_id: written(fields, 'parent') || null,
  };
}

const createGoal = repeatable(api.goals.create);

interface CreateDialogProps {
  readonly list: readonly Goal[];
  readonly parent: string | null;
  readonly isOpen: boolean;
}

export function CreateDialog({ list, parent, isOpen }: CreateDialogProps): JSX.Element {
  const above = list.find(({ id }) => id === parent);
  const create = async (fields: FormData): Promise<() => void> => {
    const goal = await createGoal(bodyOf(fields));
    goals.put([goal, ...(goals.value.value ?? []).filter(({ id }) => id !== goal.id)]);
    toast(text.create.done);
    return () => go(['goals', goal.id]);
  };
  return (
    <FormDialog
      title={above === undefined ? text.create.title : text.create.below(above.title)}
      isOpen={isOpen}
      onClose={() => setQuery({ new: null })}
      submit={text.create.submit}
      send={create}
    >
      <Fields list={list} parent={parent} workspace={above?.workspace ?? ''} />
    </FormDialog>
  );
}

interface FieldsProps {
  readonly list: readonly Goal[];
  readonly of?: Goal;
  readonly parent: string | null;
  readonly workspace: string;
}

function Fields({ list, of, parent, workspace }: FieldsProps): JSX.Element {
  const others = list.filter(({ id }) => id !== of?.id);
  return (
    <>
      <Field label={words.title} name="title" value={of?.title ?? ''} required />
      <Field label={words.statement} name="statement" rows={3} value={of?.statement ?? ''} />
      <Field
        label={words.criteria}
        name="success_criteria"
        rows={3}
        help={words.criteriaHelp}
        value={of?.success_criteria.join('\n') ?? ''}
      />
      <Field label={words.tags} name="tags" help={words.tagsHelp} value={of?.tags.join(', ') ?? ''} />
      <Field label={words.workspace} name="workspace" help={words.workspaceHelp} value={workspace} />
      <ChoiceField
        label={words.parent}
        name="parent"
        options={[['', words.noParent], ...others.map(({ id, title }) => [id, title] as const)]}
        value={parent ?? ''}
      />
    </>
  );
}

interface EditDialogProps extends DialogState {
  readonly goal: Goal;
  readonly list: readonly Goal[];
}

export function EditDialog({ goal, list, ...opened }: EditDialogProps): JSX.Element {
  /** The goal as it was when the edit began. */
  const base = useSignal(goal);
  const isAware = useSignal(false);
  useLayoutEffect(() => {
    base.value = goal;
    isAware.value = false;
  }, [opened.isOpen]);
  const isChanged = goal.updated_at !== base.value.updated_at;
  // The event of the own change may come before its answer.
  const isConflict = opened.isOpen && isChanged && !isAware.value && !goals.isPending.value;
  const save = async (fields: FormData): Promise<void> => {
    const body = bodyOf(fields);
    const status = STATUSES.find((each) => each === written(fields, 'status')) ?? goal.status;
    await goals.change(
      (all) => all.map((each) => (each.id === goal.id ? { ...each, ...body, status } : each)),
      () => api.goals.update(goal.id, { ...body, status }),
    );
  };
  return (
    <FormDialog title={text.edit.title} submit={text.edit.submit} disabled={isConflict} send={save} {...opened}>
      <Fields list={list} of={base.value} parent={base.value.parent_goal_id} workspace={base.value.workspace ?? ''} />
      <ChoiceField
        label={words.status}
        name="status"
        options={STATUSES.map((each) => [each, all.statuses[each] ?? each])}
        value={base.value.status}
      />
      {isConflict && <Conflict base={base.value} theirs={goal} record={() => (isAware.value = true)} />}
    </FormDialog>
  );
}

interface ConflictProps {
  readonly base: Goal;
  readonly theirs: Goal;
  record(): unknown;
}

function Conflict({ base, theirs, record }: ConflictProps): JSX.Element {
  const side = (title: string, { title: name, statement, status }: Goal): JSX.Element => (
    <div>
      <h3>{title}</h3>
      <p dir="auto">
        <strong>{name}</strong> · {all.statuses[status]}
      </p>
      <p dir="auto">{statement}</p>
    </div>
  );
  return (
    <div class="failure goals-conflict" role="alert">
      <strong>{text.edit.conflict}</strong>
      {side(text.edit.theirs, theirs)}
      {side(text.edit.mine, base)}
      <Button onClick={record}>{text.edit.record}</Button>
    </div>
  );
}
