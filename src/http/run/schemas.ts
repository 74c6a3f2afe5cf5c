/** Answers that all routes share that start a run. */

export const tooManyRuns = { 503: 'Too many runs wait already.' };

export const closedWorkspace = {
  403: 'The workspace lies in a folder that holds credentials, or in Daybook’s home.',
};
