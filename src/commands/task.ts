/** The decider of tasks: created once, then renamed, given another status and linked to a session. */
import type { z } from 'zod';
import { type TaskEvent, taskEvents, type zTaskStatus } from '../events/task.ts';
import { characterCount } from '../lib/characters.ts';
import { isBlank } from './blank.ts';
import type { Decider } from './decider.ts';
import { Refusal, sanitiseEcho } from './refusal.ts';

type TaskStatus = z.infer<typeof zTaskStatus>;

export type TaskCommand =
  | {
      readonly type: 'CreateTask';
      readonly title: string;
      readonly provider: string;
      readonly model: string;
      readonly project_path: string;
    }
  /** Fields left out stay as they are; a blank title is ignored. */
  | {
      readonly type: 'ChangeTask';
      readonly title?: string | undefined;
      readonly status?: TaskStatus | undefined;
      readonly session_id?: string | undefined;
    };

export interface TaskState {
  readonly exists: boolean;
  readonly title: string;
  readonly status: TaskStatus;
  readonly session_id: string;
}

const TITLE_CHARACTERS_MAX = 500;

export const task: Decider<TaskCommand, TaskState, TaskEvent> = {
  category: 'task',
  events: taskEvents,
  initial: { exists: false, title: '', status: 'queued', session_id: '' },
  decide(command, state, { id }) {
    if (command.type === 'CreateTask') {
      if (state.exists) return new Refusal('conflict', 'A task with this id exists already.');
      if (isBlank(command.title)) return new Refusal('invalid', 'title must not be blank.');
      if (isLong(command.title)) return longTitle();
      const { title, provider, model, project_path } = command;
      return [{ type: 'TaskCreated', data: { title, provider, model, project_path } }];
    }
    if (!state.exists) return new Refusal('not_found', `Task '${sanitiseEcho(id)}' not found`);
    if (isLong(command.title ?? '')) return longTitle();
    return changes(command, state);
  },
  evolve(state, event) {
    switch (event.type) {
      case 'TaskCreated':
        return { ...state, exists: true, title: event.data.title };
      case 'TaskRenamed':
        return { ...state, title: event.data.title };
      case 'TaskStatusChanged':
        return { ...state, status: event.data.status };
      case 'TaskSessionLinked':
        return { ...state, session_id: event.data.session_id };
    }
  },
};

function isLong(title: string): boolean {
  return characterCount(title) > TITLE_CHARACTERS_MAX;
}

function longTitle(): Refusal {
  return new Refusal('invalid', `title must have at most ${TITLE_CHARACTERS_MAX} characters.`);
}

function changes(command: Extract<TaskCommand, { type: 'ChangeTask' }>, state: TaskState): readonly TaskEvent[] {
  const events: TaskEvent[] = [];
  const title = command.title ?? '';
  if (!isBlank(title) && title !== state.title) events.push({ type: 'TaskRenamed', data: { title } });
  if (command.status !== undefined && command.status !== state.status) {
    events.push({ type: 'TaskStatusChanged', data: { status: command.status } });
  }
  if (command.session_id !== undefined && command.session_id !== state.session_id) {
    events.push({ type: 'TaskSessionLinked', data: { session_id: command.session_id } });
  }
  return events;
}
