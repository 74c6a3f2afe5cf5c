/** What every route that starts a run may answer beside its own statuses. */
import { zError } from '../server/errors.ts';

export const tooManyRuns = { 503: { description: 'Too many runs wait already.', schema: zError } };
