/** Words of the runs. */
export const text = {
  title: 'Runs',
  none: 'No run yet',
  noneHelp: 'A run is an agent at work on a task in the workspace. Start one here, or with: daybook run "<task>"',
  newRun: {
    title: 'New run',
    task: 'Task',
    taskHint: 'What should be done in the workspace?',
    approval: 'Approval',
    approvals: {
      suggest: 'Suggest: asks before each change',
      'auto-edit': 'Auto-edit: edits files, asks before commands',
      'full-auto': 'Full auto: edits and runs commands',
      'read-only': 'Read only: looks, changes nothing',
    },
    interactive: 'Ask me here when a tool needs approval',
    interactiveHelp: 'Without it such a call is rejected and the run goes on.',
    start: 'Start',
    keys: 'Ctrl+Enter starts',
    started: 'The run has started.',
  },
};
