/** The fields of a pull request payload that are read, in the format of the common forges. */
import { z } from 'zod';
import { faultOf } from '../../events/fault.ts';
import type { ForgeRequest } from '../../events/webhook.ts';
import { withoutByteOrderMark } from '../../lib/json-text.ts';
import { HttpError, validationMessage } from '../server/errors.ts';

/** New commits are `synchronize` at GitHub, `synchronized` at Gitea and Forgejo. */
const REVIEWED_ACTIONS: ReadonlySet<string> = new Set(['opened', 'synchronize', 'synchronized', 'reopened']);
const TEXT_CHARACTERS_MAX = 2_000;
/** Owner and name; `.` and `..` would lead to another path of the forge's API. */
const REPOSITORY = /^(?!\.{1,2}\/)[\w.-]{1,200}\/(?!\.{1,2}$)[\w.-]{1,200}$/;

const zText = z.string().transform((text) => text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed());
const zUrl = z
  .string()
  .max(TEXT_CHARACTERS_MAX)
  .overwrite((text) => text.toWellFormed());
const zCommit = z.object({ sha: zText, ref: zText.describe('Branch that the commit is on.') });

export const zPayload = z.object({
  pull_request: z
    .object({
      number: z.int().positive().describe('Number of the pull request.'),
      title: zText,
      head: zCommit.describe('The newest commit of the pull request.'),
      base: zCommit.describe('The commit that it is to be merged into.'),
      diff_url: zUrl.describe('Where the forge offers the diff.'),
    })
    .describe('The pull request to review.'),
  repository: z
    .object({
      full_name: z
        .string()
        .regex(REPOSITORY, 'must be owner/name')
        .describe('Owner and name, with a slash between them.'),
      clone_url: zUrl
        .nullish()
        .describe('Where it can be cloned from; absent: the diff is loaded from `diff_url` alone.'),
    })
    .describe('The repository of the pull request.'),
});

type ForgePayload =
  | { readonly kind: 'ignored'; readonly action: string }
  | { readonly kind: 'review'; readonly request: ForgeRequest };

/** Throws `HttpError` 400 for an invalid payload. */
export function readPayload(body: Buffer, contentType: string | undefined): ForgePayload {
  const payload = parse(jsonText(body, contentType));
  const action = z.object({ action: z.string() }).safeParse(payload, { error: faultOf });
  if (!action.success) throw new HttpError(400, validationMessage(action.error, 'payload'));
  const name = action.data.action;
  if (!REVIEWED_ACTIONS.has(name)) return { kind: 'ignored', action: name.slice(0, 100).toWellFormed() };
  const parsed = zPayload.safeParse(payload, { error: faultOf });
  if (!parsed.success) throw new HttpError(400, validationMessage(parsed.error, 'payload'));
  const { pull_request, repository } = parsed.data;
  const request = {
    action: name,
    ...pull_request,
    repository: repository.full_name,
    clone_url: repository.clone_url ?? null,
  };
  return { kind: 'review', request };
}

/** A forge can be configured to send the JSON as the form field `payload`. */
function jsonText(body: Buffer, contentType: string | undefined): string {
  const text = body.toString('utf8');
  if (contentType?.trim().toLowerCase().startsWith('application/x-www-form-urlencoded') !== true) return text;
  return new URLSearchParams(text).get('payload') ?? text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch {
    throw new HttpError(400, 'The payload is not valid JSON.');
  }
}
