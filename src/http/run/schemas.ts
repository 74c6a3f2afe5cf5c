/** Answers that all routes share that start a run. */
import { zError } from '../server/errors.ts';

export const tooManyRuns = { 503: { description: 'Too many runs wait already.', schema: zError } };

export const closedWorkspace = {
  403: { description: 'The workspace lies in a folder that holds credentials, or in Daybook’s home.', schema: zError },
};
