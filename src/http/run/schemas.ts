/** The answers that every route that starts a run may give beside its own. */
import { zError } from '../server/errors.ts';

export const tooManyRuns = { 503: { description: 'Too many runs wait already.', schema: zError } };
